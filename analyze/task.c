/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c - the table of tasks. */
#include "analyze/task.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct task_node {
	struct task task; /* first: a struct task * is its node's address */
	UT_hash_handle hh;
};

#define TASKS_CROWD 512u /* more than so many are looked through for those that are gone */
#define TASK_CACHE 64u

struct task_table {
	const struct source *src;
	struct task_node *nodes;
	struct task_node *cache[TASK_CACHE]; /* by tid: found last */
	unsigned crowd;
	bool switched; /* the trace has switches */
};

struct task_table *task_table_new(const struct source *src)
{
	struct task_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->src = src;
	t->crowd = TASKS_CROWD;
	return t;
}

void task_remove(struct task_table *t, struct task *task)
{
	struct task_node *node = (struct task_node *)task;

	t->cache[(uint32_t)task->tid % TASK_CACHE] = NULL;
	/* uthash unlinks the node before it is freed. */
	// NOLINTNEXTLINE(clang-analyzer-unix.Malloc,clang-analyzer-core.NullDereference)
	HASH_DEL(t->nodes, node);
	free(node);
}

void task_table_free(struct task_table *t, void (*drop)(struct task *task))
{
	struct task_node *node = t ? t->nodes : NULL;

	if (!t)
		return;
	HASH_CLEAR(hh, t->nodes);
	while (node) {
		struct task_node *next = node->hh.next;

		if (drop)
			drop(&node->task);
		free(node);
		node = next;
	}
	free(t);
}

struct task *task_find(struct task_table *t, int32_t tid)
{
	struct task_node **cached = &t->cache[(uint32_t)tid % TASK_CACHE];
	struct task_node *node = *cached;

	if (node && node->task.tid == tid)
		return &node->task;
	HASH_FIND_INT(t->nodes, &tid, node);
	if (!node)
		return NULL;
	*cached = node;
	return &node->task;
}

struct task *task_next(const struct task_table *t, struct task *after)
{
	struct task_node *node = after ? ((struct task_node *)after)->hh.next : t->nodes;

	return node ? &node->task : NULL;
}

void task_forget(struct task_table *t)
{
	struct task_node *node;
	struct task_node *next;

	if (HASH_COUNT(t->nodes) < t->crowd)
		return;
	HASH_ITER(hh, t->nodes, node, next)
	{
		bool gone = node->task.gone || (node->task.exiting && !t->switched);

		if (gone && !node->task.waiting)
			task_remove(t, &node->task);
	}
	/* uthash unlinks the node before it is freed. */
	// NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
	t->crowd = HASH_COUNT(t->nodes) + TASKS_CROWD;
}

/* Any process can give itself a name that moves the cursor or begins a line: it is shown as '?'. */
static void set_comm(struct task *task, const char *comm)
{
	size_t len = strnlen(comm, COMM_LEN - 1);

	if (len == 0)
		return;
	for (size_t i = 0; i < len; i++)
		task->comm[i] = (unsigned char)comm[i] < ' ' || comm[i] == '\x7f' ? '?' : comm[i];
	task->comm[len] = '\0';
}

static struct task *add_task(struct task_table *t, int32_t tid)
{
	struct task_node *node = calloc(1, sizeof(*node));
	int32_t tgid = source_tgid(t->src, tid);

	if (!node)
		return NULL;
	node->task.tid = tid;
	/* Without a record of it a task counts as its own group: right for all but old threads. */
	node->task.tgid = tgid >= 0 ? tgid : tid;
	node->task.tgid_certain = tgid >= 0;
	set_comm(&node->task, source_comm(t->src, tid));
	HASH_ADD_INT(t->nodes, task.tid, node);
	return &node->task;
}

struct task *task_get(struct task_table *t, int32_t tid, int32_t tgid)
{
	struct task *task = task_find(t, tid);

	if (!task)
		task = add_task(t, tid);
	if (task && tgid > 0) {
		task->tgid = tgid;
		task->tgid_certain = true;
	}
	return task;
}

static bool apply_newtask(struct task_table *t, const struct event *ev)
{
	const struct task *parent;
	struct task *child = task_find(t, ev->task.tid);

	/* Only a damaged record has a task that is its own child. */
	if (ev->task.tid == ev->tid)
		return true;
	if (child && !child->waiting)
		task_remove(t, child);
	parent = task_get(t, ev->tid, ev->tgid);
	child = task_get(t, ev->task.tid, -1);
	if (!parent || !child)
		return false;
	child->tgid = ev->task.flags & CLONE_THREAD ? parent->tgid : ev->task.tid;
	child->tgid_certain = !(ev->task.flags & CLONE_THREAD) || parent->tgid_certain;
	child->exiting = false;
	child->call = (struct task_call){ .known = parent->call.known };
	set_comm(child, ev->task.comm[0] ? ev->task.comm : parent->comm);
	return true;
}

/* EXIT_DEAD, EXIT_ZOMBIE and, until v4.13, TASK_DEAD and TASK_WAKEKILL. */
#define DEAD_STATES 0xf0

static bool apply_switch(struct task_table *t, const struct event *ev)
{
	struct task *prev = task_get(t, ev->sw.prev_tid, -1);
	struct task *next = task_get(t, ev->sw.next_tid, -1);

	if (!prev || !next)
		return false;
	t->switched = true;
	set_comm(prev, ev->sw.prev_comm);
	set_comm(next, ev->sw.next_comm);
	prev->gone = prev->exiting && (ev->sw.prev_state & DEAD_STATES);
	return true;
}

/* The calls that unmap or protect; the others say only that the task is in none of these. */
static bool is_flushing_call(enum syscall_nr nr)
{
	return nr <= SYSCALL_BRK || nr == SYSCALL_SHMDT;
}

static bool apply_call(struct task_table *t, const struct event *ev)
{
	struct task *task = task_get(t, ev->tid, ev->tgid);

	if (!task)
		return false;
	task->call = (struct task_call){
		.known = true,
		.inside = ev->kind == EVENT_SYS_ENTER && is_flushing_call(ev->sys.nr),
		.nr = ev->sys.nr,
		.time_ns = ev->time_ns,
		.start = ev->sys.start,
		.len = ev->sys.len,
	};
	return true;
}

static void lead_group(struct task *task)
{
	task->tgid = task->tid;
	task->tgid_certain = true;
}

bool task_apply(struct task_table *t, const struct event *ev)
{
	struct task *task;

	switch ((enum event_kind)ev->kind) {
	case EVENT_SWITCH:
		return apply_switch(t, ev);
	case EVENT_NEWTASK:
		return apply_newtask(t, ev);
	case EVENT_SYS_ENTER:
	case EVENT_SYS_EXIT:
		return apply_call(t, ev);
	case EVENT_EXEC:
	case EVENT_RENAME:
	case EVENT_EXIT:
		task = task_get(t, ev->task.tid, ev->tgid);
		if (!task)
			return false;
		set_comm(task, ev->task.comm);
		task->exiting |= ev->kind == EVENT_EXIT;
		/* exec ends the other threads; what is left has the group's number (de_thread). */
		if (ev->kind == EVENT_EXEC)
			lead_group(task);
		return true;
	default:
		return true;
	}
}
