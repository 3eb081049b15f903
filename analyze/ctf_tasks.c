/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_tasks.c - names and thread groups of tasks, as the events of a trace tell them. */
#include "analyze/ctf_tasks.h"

#include <stdio.h>
#include <stdlib.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "analyze/event.h"

struct ctf_task {
	int32_t tid;
	int32_t tgid;
	char comm[COMM_LEN];
	UT_hash_handle hh;
};

static struct ctf_task *find(const struct ctf_tasks *tasks, int32_t tid)
{
	struct ctf_task *task;

	HASH_FIND_INT(tasks->table, &tid, task);
	return task;
}

static struct ctf_task *add(struct ctf_tasks *tasks, int32_t tid)
{
	struct ctf_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->tid = tid;
	task->tgid = -1;
	HASH_ADD_INT(tasks->table, tid, task);
	if (task->hh.tbl)
		return task;
	free(task);
	return NULL;
}

int ctf_tasks_note(struct ctf_tasks *tasks, int32_t tid, int32_t tgid, const char *comm)
{
	struct ctf_task *task = find(tasks, tid);

	if (!task)
		task = add(tasks, tid);
	if (!task)
		return -1;
	if (tgid >= 0)
		task->tgid = tgid;
	if (!task->comm[0])
		snprintf(task->comm, sizeof(task->comm), "%s", comm);
	return 0;
}

const char *ctf_tasks_comm(const struct ctf_tasks *tasks, int32_t tid)
{
	const struct ctf_task *task = find(tasks, tid);

	return task ? task->comm : "";
}

int32_t ctf_tasks_tgid(const struct ctf_tasks *tasks, int32_t tid)
{
	const struct ctf_task *task = find(tasks, tid);

	return task ? task->tgid : -1;
}

void ctf_tasks_each(const struct ctf_tasks *tasks, int (*fn)(void *arg, int32_t tid), void *arg)
{
	const struct ctf_task *task;

	for (task = tasks->table; task; task = task->hh.next)
		if (fn(arg, task->tid))
			return;
}

void ctf_tasks_free(struct ctf_tasks *tasks)
{
	struct ctf_task *task = tasks->table;

	HASH_CLEAR(hh, tasks->table);
	while (task) {
		struct ctf_task *next = task->hh.next;

		free(task);
		task = next;
	}
}
