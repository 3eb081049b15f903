/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_tasks.c - what a task does next tells what its last flushes were for. */
#include <stdlib.h>
#include <string.h>

#include "analyze/x86_state.h"

/* Flushes outside of calls that wait for what their task does next; older ones are given up. */
#define WAITING 8

static void forget_task(struct x86_join *x, struct x86_task *task)
{
	HASH_DEL(x->tasks, task);
	free(task->waiting);
	free(task);
}

void x86_tasks_free(struct x86_join *x)
{
	struct x86_task *task = x->tasks;

	HASH_CLEAR(hh, x->tasks);
	while (task) {
		struct x86_task *next = task->hh.next;

		free(task->waiting);
		free(task);
		task = next;
	}
}

struct x86_task *x86_task_find(const struct x86_join *x, int32_t tid)
{
	struct x86_task *task;

	HASH_FIND_INT(x->tasks, &tid, task);
	return task;
}

struct x86_task *x86_task_get(struct x86_join *x, int32_t tid)
{
	struct x86_task *task = x86_task_find(x, tid);

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->tid = tid;
	HASH_ADD_INT(x->tasks, tid, task);
	return task;
}

static bool release(struct x86_join *x, struct x86_task *task)
{
	bool ok = true;

	for (unsigned i = 0; i < task->n && ok; i++)
		ok = x86_join_emit(x, &task->waiting[i]);
	task->n = 0;
	task->fresh = 0;
	task->all_told = false;
	return ok;
}

bool x86_task_wait(struct x86_join *x, struct x86_task *task, const struct flush *f)
{
	if (!task->waiting)
		task->waiting = calloc(WAITING, sizeof(*task->waiting));
	if (!task->waiting)
		return false;
	if (task->n == WAITING) {
		if (!x86_join_emit(x, &task->waiting[0]))
			return false;
		memmove(&task->waiting[0], &task->waiting[1],
			(WAITING - 1) * sizeof(task->waiting[0]));
		task->n--;
		task->fresh -= task->fresh > 0;
	}
	task->waiting[task->n++] = *f;
	return true;
}

/*
 * exec replaces the mm, then moves the new stack (some pages, then freed tables: everything), then
 * says so. Where probes saw the old mm's end, all that follows is the new one's.
 */
static bool blame_exec(struct x86_join *x, struct x86_task *task, int32_t tgid)
{
	unsigned first = task->all_told ? task->fresh : task->n;
	struct mm *mm;

	mm_process_left(x->env.mms, tgid);
	if (!task->all_told && task->n >= 2 && task->waiting[task->n - 1].x86.full_cpus &&
	    task->waiting[task->n - 2].x86.partial_cpus)
		first = task->n - 2;
	if (first == task->n)
		return true;
	mm = mm_of_process(x->env.mms, tgid, task->waiting[first].comm);
	for (unsigned i = first; i < task->n; i++) {
		task->waiting[i].cause = CAUSE_EXEC;
		task->waiting[i].mm = mm;
	}
	return mm;
}

/* dup_mmap() flushes the parent's whole mm before the child is announced. */
static void blame_fork(struct x86_task *task)
{
	for (unsigned i = task->n; i > 0; i--) {
		struct flush *f = &task->waiting[i - 1];

		bool all = f->x86.full_cpus || f->x86.whole;

		if (all && !f->x86.batch && !f->x86.pages) {
			f->cause = CAUSE_FORK;
			f->entry = x86_flush_entry(f);
			return;
		}
	}
}

/*
 * The last user of an mm has left it before it flushes it all: it is lazy on it, or has another.
 * Which of its requests that was, exec or exit tell afterwards.
 */
static void blame_teardown(struct x86_task *task)
{
	for (unsigned i = 0; i < task->n; i++) {
		struct flush *f = &task->waiting[i];

		if (f->x86.asked && f->x86.whole && !f->x86.batch) {
			f->x86.full_cpus += f->x86.partial_cpus - 1;
			f->x86.partial_cpus = 0;
		}
	}
}

static void blame_faults(struct x86_task *task)
{
	for (unsigned i = 0; i < task->n; i++) {
		struct flush *f = &task->waiting[i];

		if (f->cause == CAUSE_UNKNOWN && f->context == CONTEXT_OUTSIDE && f->x86.partial_cpus)
			f->cause = CAUSE_FAULT;
	}
}

bool x86_task_settle(struct x86_join *x, const struct event *ev)
{
	struct x86_task *task = x86_task_get(x, ev->tid);
	const struct task *known = task_get(x->env.tasks, ev->tid, ev->tgid);
	bool ok = true;

	if (!task || !known)
		return false;
	if (ev->kind == EVENT_EXEC)
		ok = blame_exec(x, task, known->tgid);
	else if (ev->kind == EVENT_NEWTASK && !(ev->task.flags & CLONE_VM))
		blame_fork(task);
	if (ev->kind == EVENT_EXEC || ev->kind == EVENT_EXIT)
		blame_teardown(task);
	blame_faults(task);
	task->told.fresh = false;
	if (ev->kind == EVENT_SYS_ENTER)
		task->call_flushed = false;
	task->user |= ev->kind != EVENT_NEWTASK && ev->kind != EVENT_EXIT;
	ok = ok && release(x, task);
	if (ev->kind == EVENT_EXIT)
		forget_task(x, task);
	return ok;
}

bool x86_task_begin(struct x86_join *x, const struct event *ev)
{
	const struct x86_task *parent = x86_task_find(x, ev->tid);
	bool user = parent && parent->user;
	struct x86_task *child = x86_task_get(x, ev->task.tid);

	if (!child || !release(x, child))
		return false;
	child->user = user;
	if (!(ev->task.flags & CLONE_THREAD))
		mm_process_left(x->env.mms, ev->task.tid);
	return true;
}

bool x86_tasks_finish(struct x86_join *x)
{
	for (struct x86_task *task = x->tasks; task; task = task->hh.next) {
		blame_faults(task);
		if (!release(x, task))
			return false;
	}
	return true;
}
