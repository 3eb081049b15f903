/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_tasks.h - names and thread groups of tasks, as the events of a trace tell them. */
#ifndef TLBTRACE_CTF_TASKS_H
#define TLBTRACE_CTF_TASKS_H

#include <stdint.h>

struct ctf_task;

struct ctf_tasks {
	struct ctf_task *table;
};

/* The first name of a tid stays; "" and -1 say nothing. -1: no memory. */
int ctf_tasks_note(struct ctf_tasks *tasks, int32_t tid, int32_t tgid, const char *comm);

/* "" and -1 where nothing is known. The name stays valid until ctf_tasks_free(). */
const char *ctf_tasks_comm(const struct ctf_tasks *tasks, int32_t tid);
int32_t ctf_tasks_tgid(const struct ctf_tasks *tasks, int32_t tid);

/* Calls fn for each tid that was noted, in their order, until it returns non-zero. */
void ctf_tasks_each(const struct ctf_tasks *tasks, int (*fn)(void *arg, int32_t tid), void *arg);

void ctf_tasks_free(struct ctf_tasks *tasks);

#endif
