/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mask_state.h - what the machines of mask.c and the recorded kernel's mask of mask_recorded.c share; for
 * these two alone.
 */
#ifndef TLBTRACE_REPLAY_MASK_STATE_H
#define TLBTRACE_REPLAY_MASK_STATE_H

#include "replay/mask.h"

/*
 * The machines. The clock's phase is unknown: for kinds that have one, a second machine has the
 * other end of what it can be, and where both differ nobody knows. Where the recorded kernel had the
 * clock too, the first machine's fires when its records show that it did.
 */
enum {
	MACHINE_LATE = 0,      /* [TRIMS]: the clock has just fired, or fires as recorded */
	MACHINE_EARLY = TRIMS, /* [2]: it fires at once, TRIM_V5_12 and TRIM_V6_6 */
	MACHINES = TRIMS + 2,
	ROW_RECORDED = MACHINES, /* the recorded kernel's mask */
	ROW_TRIMMED,		 /* CPUs that left it by trims since the mm's last flush */
	ROW_HANDLED,		 /* all that handled such trims, or came only after the first */
	ROWS
};

/* What a space has at ext. */
struct mask_mm {
	uint64_t version; /* another one whenever anything below changes */
	uint8_t last;	  /* MACHINE_*: recorded scope of its last flush */
	bool hidden;	  /* flushed globally where no other CPU is known: one is, or a copro */
	bool crowded; /* flushed globally where a single user would have trimmed: there are more */
	bool met;     /* flushed before */
	bool complete[TRIMS]; /* nothing from before the trace is left in the mask */
	bool complete_recorded;
	uint8_t alone;	/* trims that were recorded, and no flush that shows another user since */
	uint32_t trims; /* recorded since its last flush, or since the one before if others' */
	bool others_trims; /* the flush in question has not sent them */
	uint64_t rows[];
};

/* By CPU. */
struct machine_cpus {
	uint64_t *trims_to;
	uint64_t *global_to;
	uint16_t *ticks;
};

/* All that flushes add up. Nothing but numbers of 64 bits: differences are taken word by word. */
struct counts_of_machine {
	uint64_t scope[MACHINE_SCOPES];
	uint64_t unsure;
	uint64_t ipis;
	uint64_t trims;
	uint64_t ticks;
	uint64_t open;	 /* flushes whose mask may have more CPUs, and the mm more users */
	uint64_t hidden; /* the most IPIs that such CPUs have got */
};

struct mask_counts {
	struct counts_of_machine machine[MACHINES];
	struct mask_scope scope[TRIMS];
	uint64_t incomplete;
	uint64_t against;
};

#define COUNT_WORDS (sizeof(struct mask_counts) / sizeof(uint64_t))

/*
 * A CPU's last flush, if it left its mm as it was: the next one that asks the same of the same mm,
 * still unchanged, gets the same answers. It is only counted, and added up when that ends.
 */
struct steady {
	const struct space *space; /* NULL: none */
	uint64_t version;	   /* mask_mm.version */
	struct mask_question question;
	bool kept;	   /* what follows is known: the same was asked twice */
	uint32_t ticked;   /* a bit for each machine whose clock counts it */
	bool clock_counts; /* the recorded kernel's does */
	uint64_t times;	   /* not yet in the sums */
	struct observation seen;
	struct mask_counts each; /* what one flush adds */
	uint64_t *masks;	 /* the machines' rows */
};

struct masks {
	uint32_t cpus;
	size_t words;
	uint64_t *scratch;
	uint64_t *running;
	struct machine_cpus by_cpu[MACHINES];
	struct mask_counts counts;
	uint32_t *since_clock; /* by CPU: counted flushes since a recorded clock trim */
	bool *clock_seen;      /* by CPU */
	uint32_t *stray; /* by CPU: hardware PID of a trim whose mm was not known then, or 0 */
	uint32_t strays; /* at most so many are not 0 */
	struct steady *steady; /* by CPU */
	uint64_t *steady_masks;
	struct mask_mm *before;
	uint64_t versions; /* given out */
	bool multicast;
	enum trim recorded; /* as the recorded kernel's release says */
	bool named;	    /* it does; else recorded is assumed */
};

static inline uint64_t *mask_row(const struct masks *m, struct mask_mm *mm, unsigned which)
{
	return mm->rows + which * m->words;
}

static inline void mask_changed(struct masks *m, struct mask_mm *mm)
{
	mm->version = ++m->versions;
}

/* Trims that this flush may have sent. */
static inline uint32_t mask_trims_of(const struct mask_mm *mm)
{
	return mm->others_trims ? 0 : mm->trims;
}

/* Whether another thread has sent the trims, whose flush comes later than this one. */
bool recorded_trims_are_others(const struct masks *m, struct mask_mm *mm,
			       const struct mask_question *q, const struct flush *f);

/* tlbie_enabled=0: neither local bits nor handlers tell anything, the rules do alone. */
void recorded_follow_rules(struct masks *m, struct mask_mm *mm, const struct mask_question *q,
			   enum trim kind);

/* The recorded kernel's mask as the flush begins, and what kind's rules say of it. */
void recorded_view(struct masks *m, struct space *space, const struct flush *f,
		   const struct mask_question *q, enum trim kind, struct mask_view *view);

/* What the recorded kernel did beside what the rules say, which then corrects its mask; true where the
 * clock counted the flush. */
bool recorded_compare(struct masks *m, struct space *space, const struct mask_question *q,
		      uint8_t recorded);

#endif
