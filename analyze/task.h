/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task.h - tasks: their thread group, name, and the system call they are in.
 */
#ifndef TLBTRACE_TASK_H
#define TLBTRACE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/source.h"
#include "analyze/told.h"

#define CLONE_VM 0x100u
#define CLONE_THREAD 0x10000u

struct waiting;

/* The system call that a task is in. */
struct task_call {
	bool known; /* an event of the task told whether it is in one of the calls */
	bool inside;
	enum syscall_nr nr;
	uint64_t time_ns; /* of that event */
	uint64_t start;
	uint64_t len;
};

struct task {
	int32_t tid;
	int32_t tgid;
	bool tgid_certain; /* else it is the tid, for want of a record */
	char comm[COMM_LEN];
	bool exiting; /* sched_process_exit was seen */
	bool gone;    /* and then it was switched out for ever */
	struct task_call call;
	struct told told;	 /* the flush request that it is making */
	struct waiting *waiting; /* join.c: flushes that wait for what the task does next */
};

struct task_table;

/* Names and thread groups that no event tells are asked from src, which must outlive the table. */
struct task_table *task_table_new(const struct source *src);

/* Calls drop for every task that is left, then frees them; drop may be NULL. */
void task_table_free(struct task_table *t, void (*drop)(struct task *task));

/* The task with this tid, made where it is new. tgid: as the event had it, or -1. NULL: no memory. */
struct task *task_get(struct task_table *t, int32_t tid, int32_t tgid);

/* The task with this tid or NULL. */
struct task *task_find(struct task_table *t, int32_t tid);

/* All tasks, one by one: pass NULL first, then the last one; NULL at the end. */
struct task *task_next(const struct task_table *t, struct task *after);

/*
 * Forgets tasks that are gone, and for whom nothing waits, where there are so many that it matters.
 * No task that was looked up before may be used after it.
 */
void task_forget(struct task_table *t);

/* Applies what an event says about tasks: names, thread groups, calls, exits. False: no memory. */
bool task_apply(struct task_table *t, const struct event *ev);

/* Forgets a task; its tid may come again. */
void task_remove(struct task_table *t, struct task *task);

#endif
