/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mask.h - mm_cpumask replayed: which CPUs a flush concerns, and whether it is local or global.
 *
 * Models switch_mm_irqs_off(), radix_tlb.c's flush_type_needed(), mm_needs_flush_escalation() and
 * exit_flush_lazy_tlbs() of arch/powerpc/mm, v4.13 to v6.17 (policies 2.2, 2.3, 3).
 *
 * One machine runs for each kind of trims, from the trace's start, on the recorded switches alone:
 * what a kernel of that kind would have done. Beside them the recorded kernel's mask is followed
 * with the evidence of its own records: trims as their handlers wrote them, local bits. What each
 * kind's rules predict from that mask, one flush ahead and before its evidence, is what `scope`
 * reports: how far the rules can be trusted on this trace.
 */
#ifndef TLBTRACE_REPLAY_MASK_H
#define TLBTRACE_REPLAY_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/observer.h"
#include "analyze/taskstate.h"

/* flush_type_needed(): counted flushes until the trim clock fires (tlb_mm_cpumask_trim_timer). */
#define TRIM_CLOCK 1073u

/* One flush as the rules of 2.3 see it. */
struct mask_question {
	uint32_t cpu;
	uint32_t users;
	bool mine;   /* current->mm == mm */
	bool fullmm; /* a gather of the whole mm */
	bool beside; /* one only because another thread's gather is under way */
	bool nested; /* perhaps such a one: for what a recording leaves open */
	/* Recorded as global though its mm has one user as far as seen, which the recorded kernel would have
	 * made local: a co-processor, or a user that no event tells of, who is there under other rules too. */
	bool against;
	uint8_t recorded; /* MACHINE_*: its scope; _UNASKED: no record tells */
	bool proves;	  /* it was made local by trims that a single user makes, or the clock */
	uint32_t trims;	  /* recorded ones that it may have sent */
	/* CPUs whose current->mm is the mm: trims leave them in the mask. */
	const uint64_t *running;
};

struct mask_answer {
	uint8_t scope; /* MACHINE_NONE, _LOCAL, _GLOBAL */
	bool ticked;   /* the flush was counted by the trim clock */
	bool fired;    /* and the clock fired */
	uint16_t ipis;
	uint16_t trims;	  /* whole-PID local flushes that trims made, the own CPU's included */
	uint16_t targets; /* CPUs in the mask beside the own after the trims */
};

/*
 * One flush under the rules of kind. mask (words of 64 CPUs) and *tick, the CPU's count of the trim
 * clock, are brought up to date; a NULL tick never fires. Copros, which force GLOBAL, are unknown
 * to a trace and not modelled. Every CPU that got an IPI is added to sent[cpu] unless sent is NULL.
 */
struct mask_answer mask_decide(enum trim kind, uint64_t *mask, size_t words, uint16_t *tick,
			       const struct mask_question *q, uint64_t *sent);

/* How the rules of one kind did against the recording, one flush ahead. */
struct mask_scope {
	uint64_t flushes; /* with a recorded scope and a known mm */
	uint64_t agree;	  /* scope predicted before its evidence was taken */
	uint64_t same;	  /* would agree by "same as that mm's last flush" */
	/* Recorded changes: trims, and local after global or the reverse; without the clock's. */
	uint64_t changes;
	uint64_t changes_predicted;
	uint64_t changes_false;	 /* predicted where nothing changed */
	uint64_t clock_trims;	 /* recorded trims that only the clock explains */
	uint64_t trims_recorded; /* whole-PID flushes by interrupt handlers */
	uint64_t trims_predicted;
};

/* What one kind's machine did over the whole trace. */
struct mask_totals {
	uint64_t scope[MACHINE_SCOPES]; /* flushes by MACHINE_* */
	uint64_t unsure;		/* of them: another scope is possible */
	uint64_t ipis;			/* sent to trim */
	uint64_t trims;			/* whole-PID local flushes that trims made */
	uint64_t ticks;			/* flushes that the clock counted */
	uint64_t clock_ipis;  /* the most that another phase of the clock adds to ipis or takes */
	uint64_t hidden_ipis; /* the most that CPUs and users from before the trace add */
	/* By target CPU [cpus]: trims, and flushes of GLOBAL scope that concern the CPU. */
	const uint64_t *trims_to;
	const uint64_t *global_to;
};

/* For those who judge the masks: the recorded kernel's as a flush begins. */
struct mask_view {
	uint64_t before;   /* first 64 CPUs, trims since the mm's last flush not yet applied */
	uint64_t mask;	   /* the same with that evidence */
	uint8_t predicted; /* MACHINE_*: before */
	uint8_t settled;   /* from mask */
	bool complete;	   /* nothing before the trace can be missing */
};

struct masks;

/* recorded: how the recorded kernel trims, as far as known before its flushes are: named by its release,
 * or assumed. NULL where memory is short. */
struct masks *masks_new(uint32_t cpus, enum trim recorded, bool named);
void masks_free(struct masks *m);

/* Bytes that each space needs at ext. */
size_t masks_ext_bytes(const struct masks *m);

/* cpu has loaded space. */
void masks_ran(struct masks *m, struct space *space, uint32_t cpu);

/* cpu has been taken down: it leaves the masks of kernels from v5.10 on (cleanup_cpu_mmu_context,
 * commit 01b0f0eae081, released with v5.11 and in stable kernels). */
void masks_offline(struct masks *m, struct space *space, uint32_t cpu);

/* An interrupt handler's run on its CPU, where ts says what runs there: a trim, or else. */
void masks_handler(struct masks *m, const struct taskstate *ts, const struct run *run);

/*
 * A task's flush begins: every machine decides, f->seen says what. `kind` is the recorded kernel's
 * as far as assumed: view, if not NULL, is made by its rules.
 */
void masks_flush(struct masks *m, const struct taskstate *ts, const struct ts_flush *what,
		 struct flush *f, enum trim kind, struct mask_view *view);

/* Must be called behind the last flush: only then have all been added up. */
void masks_settle(struct masks *m);

/* A task flushes kernel addresses: every CPU is concerned, whoever trims; f->seen says so. */
void masks_kernel(struct masks *m, struct flush *f);

/* CPUs in the mask of space under kind without cpu, and those of them in `among` (a bit set). */
uint32_t masks_others(const struct masks *m, const struct space *space, enum trim kind,
		      uint32_t cpu, const uint64_t *among, uint32_t *in_among);

/* True where other CPUs can be in that mask, which nothing shows. */
bool masks_open(const struct space *space, enum trim kind);

bool masks_has(const struct masks *m, const struct space *space, enum trim kind, uint32_t cpu);

/* All zero where masks_multicast(). */
const struct mask_scope *masks_scope(const struct masks *m, enum trim kind);
struct mask_totals masks_totals(const struct masks *m, enum trim kind);

/* True where the recorded kernel flushed by IPI (tlbie_enabled=0): its local bits say no scope. */
bool masks_multicast(const struct masks *m);

/* Flushes of spaces whose mask before the trace is unknown, among those of mask_scope.flushes. */
uint64_t masks_incomplete(const struct masks *m);

/* Global flushes of mms with a single user, as far as seen: a co-processor has attached, or
 * somebody beside its tasks holds the mm (procfs, ptrace, io_uring). */
uint64_t masks_against(const struct masks *m);

#endif
