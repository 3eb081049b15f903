/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_tasks.c - names and thread groups of tasks as perf's COMM and FORK records tell them. */
#include "analyze/perf_tasks.h"

#include <stdlib.h>

#include "analyze/event.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define MAX_TASKS (UINT64_C(1) << 20)
#define MAX_FORKS 16 /* generations that are searched for a name */

struct perf_task {
	int32_t tid;
	int32_t tgid;	 /* -1 unknown */
	int32_t parent;	 /* the task that forked it; -1 unknown */
	bool from_start; /* .comm is of before the recording */
	char comm[COMM_LEN];
	UT_hash_handle hh;
};

static struct perf_task *find(const struct perf_tasks *tasks, int32_t tid)
{
	struct perf_task *task;

	HASH_FIND_INT(tasks->table, &tid, task);
	return task;
}

/* The task, made where it is new. NULL: no memory, or *full. */
static struct perf_task *get(struct perf_tasks *tasks, int32_t tid, bool *full)
{
	struct perf_task *task = find(tasks, tid);

	*full = !task && tasks->n == MAX_TASKS;
	if (task || *full)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->tid = tid;
	task->tgid = task->parent = -1;
	HASH_ADD_INT(tasks->table, tid, task);
	if (!task->hh.tbl) {
		free(task);
		return NULL;
	}
	tasks->n++;
	return task;
}

/* u32 pid, u32 tid, char comm[] */
static void note_comm(struct perf_task *task, const struct perf_record *rec, uint64_t time,
		      bool big_endian)
{
	const char *comm = (const char *)rec->data + 16;

	if (task->tgid < 0)
		task->tgid = (int32_t)perf_record_u32(rec, 8, big_endian);
	if (rec->size <= 16 || (task->comm[0] && (time || task->from_start)))
		return;
	text_copy(task->comm, sizeof(task->comm), comm, strnlen(comm, rec->size - 16));
	task->from_start = !time;
}

/* u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time */
static void note_fork(struct perf_task *task, const struct perf_record *rec, bool big_endian)
{
	if (task->tgid < 0)
		task->tgid = (int32_t)perf_record_u32(rec, 8, big_endian);
	if (task->parent < 0)
		task->parent = (int32_t)perf_record_u32(rec, 20, big_endian);
}

int perf_tasks_note(struct perf_tasks *tasks, const struct perf_record *rec, uint64_t time,
		    bool big_endian)
{
	struct perf_task *task;
	uint32_t at = rec->type == PERF_COMM ? 12 : 16;
	bool full;

	if ((rec->type != PERF_COMM && rec->type != PERF_FORK) || rec->size < 24)
		return 0;
	task = get(tasks, (int32_t)perf_record_u32(rec, at, big_endian), &full);
	if (!task)
		return full ? 0 : -1;
	if (rec->type == PERF_COMM)
		note_comm(task, rec, time, big_endian);
	else
		note_fork(task, rec, big_endian);
	return 0;
}

const char *perf_tasks_comm(const struct perf_tasks *tasks, int32_t tid)
{
	for (int i = 0; i < MAX_FORKS; i++) {
		const struct perf_task *task = find(tasks, tid);

		if (!task)
			break;
		if (task->comm[0])
			return task->comm;
		tid = task->parent;
	}
	return "";
}

int32_t perf_tasks_tgid(const struct perf_tasks *tasks, int32_t tid)
{
	const struct perf_task *task = find(tasks, tid);

	return task ? task->tgid : -1;
}

void perf_tasks_free(struct perf_tasks *tasks)
{
	struct perf_task *task = tasks->table;

	HASH_CLEAR(hh, tasks->table);
	while (task) {
		struct perf_task *next = task->hh.next;

		free(task);
		task = next;
	}
	tasks->n = 0;
}
