/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waiting.h - a task's flushes that wait for what it does next, and what one call as a whole tells
 * about them (policies 14).
 */
#ifndef TLBTRACE_WAITING_H
#define TLBTRACE_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/flush.h"
#include "analyze/span.h"

#define WAITING_MAX 4096u /* flushes of one task; beyond it they are to be handed out early */

struct waiting_flush {
	struct flush f;		/* owns f.times */
	enum flush_parts fresh; /* those of its 2 MiB pages that the call had not flushed before */
	bool repeated; /* its 2 MiB pages, or some of them, were flushed again later in the call */
	/* Run of 2 MiB pages inside a call: pages [again, again_end) of it had been flushed before in
	 * this call, but for pages between two such. Equal where there are none. */
	uint64_t again;
	uint64_t again_end;
};

struct waiting {
	struct waiting_flush *item;
	size_t n;
	size_t room;
	uint64_t since; /* join.c: when the first of them came */
	/* Of the call that the task is in: */
	uint64_t longest;  /* pages of its longest run of base pages in which requests may hide */
	uint32_t promoted; /* flushes of the whole PID */
	struct mm *promoted_mm;
	struct spans huge; /* 2 MiB pages that it has flushed */
	uint64_t from;	   /* bytes [from, to) hold all that it has flushed by address */
	uint64_t to;
};

/* Frees w and what waits in it. w may be NULL. */
void waiting_free(struct waiting *w);

/*
 * A flush inside a call: notes what it tells of the whole call, and in item what the call so far
 * tells of it. True where it must wait for the call's end, which can tell how many requests it is.
 */
bool waiting_note(struct waiting *w, struct waiting_flush *item);

/* Adds item, with its times. False where memory is short: item then still owns them. */
bool waiting_add(struct waiting *w, const struct waiting_flush *item);

/* The task was in no system call: it begins one now, the first that the trace has of it. */
void waiting_was_outside(struct waiting *w);

/* After all was released: as new, but for the memory, which the task's next call will need. */
void waiting_reset(struct waiting *w);

/* Takes a flush, or one part of it; part->times is valid during the call. */
typedef bool (*waiting_fn)(void *arg, struct flush *part);

/*
 * Hands out all that waits, each flush in the parts that the call has shown to be separate, and
 * empties w. False as soon as fn says so.
 */
bool waiting_release(struct waiting *w, waiting_fn fn, void *arg);

#endif
