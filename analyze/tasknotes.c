/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasknotes.c - names and thread groups of tasks, as a trace notes them beside its events. */
#define HASH_NONFATAL_OOM 1
#include "analyze/tasknotes.h"

#include <stdlib.h>

struct task_note *task_notes_find(const struct task_note *table, int32_t tid)
{
	struct task_note *note;

	HASH_FIND_INT(table, &tid, note);
	return note;
}

struct task_note *task_notes_get(struct task_note **table, int32_t tid)
{
	struct task_note *note = task_notes_find(*table, tid);

	if (note)
		return note;
	note = calloc(1, sizeof(*note));
	if (!note)
		return NULL;
	note->tid = tid;
	note->tgid = -1;
	HASH_ADD_INT(*table, tid, note);
	if (note->hh.tbl)
		return note;
	free(note);
	return NULL;
}

void task_notes_free(struct task_note **table)
{
	struct task_note *note = *table;

	HASH_CLEAR(hh, *table);
	while (note) {
		struct task_note *next = note->hh.next;

		free(note);
		note = next;
	}
}
