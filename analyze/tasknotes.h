/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasknotes.h - names and thread groups of tasks, as a trace notes them beside its events. */
#ifndef TLBTRACE_TASKNOTES_H
#define TLBTRACE_TASKNOTES_H

#include <stdint.h>
#include <uthash.h>

#include "analyze/event.h"

struct task_note {
	int32_t tid;
	int32_t tgid;	     /* -1 nothing is known */
	char comm[COMM_LEN]; /* "" nothing is known */
	UT_hash_handle hh;
};

/* A table begins as a NULL pointer. */
struct task_note *task_notes_find(const struct task_note *table, int32_t tid); /* or NULL */

/* That of the task, new and empty if need be; stays where it is. NULL: no memory. */
struct task_note *task_notes_get(struct task_note **table, int32_t tid);

void task_notes_free(struct task_note **table);

#endif
