/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_tasks.c - names and thread groups of tasks as perf's COMM and FORK records tell them. */
#include "analyze/perf_tasks.h"

#include <stdlib.h>

#include "analyze/event.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define MAX_ENTRIES                                                                                \
	(UINT64_C(1) << 20) /* 64 to 120 bytes each; tasks and names beyond are not kept */
#define MAX_NAMES 64	    /* of one task */
#define MAX_FORKS 16	    /* generations that are searched for a name */

/* A name and since when; lists of them are sorted by time. */
struct perf_name {
	uint64_t since_ns; /* 0: before the recording */
	struct perf_name *next;
	char comm[COMM_LEN];
};

struct perf_task {
	int32_t tid;
	int32_t tgid;	/* -1 unknown */
	int32_t parent; /* the task that forked it; -1 unknown */
	uint64_t forked_ns;
	uint64_t known_ns; /* the first record that tells of it */
	struct perf_name *names;
	uint32_t n_names;
	UT_hash_handle hh;
};

static struct perf_task *find(const struct perf_tasks *tasks, int32_t tid)
{
	struct perf_task *task;

	HASH_FIND_INT(tasks->table, &tid, task);
	return task;
}

/* Returns -1 if there is no memory; *to stays NULL, too, where no more is kept. */
static int get(struct perf_tasks *tasks, int32_t tid, struct perf_task **to)
{
	struct perf_task *task = find(tasks, tid);

	*to = task;
	if (task || tasks->n >= MAX_ENTRIES)
		return 0;
	task = calloc(1, sizeof(*task));
	if (!task)
		return -1;
	task->tid = tid;
	task->tgid = task->parent = -1;
	task->known_ns = UINT64_MAX;
	HASH_ADD_INT(tasks->table, tid, task);
	if (!task->hh.tbl) {
		free(task);
		return -1;
	}
	tasks->n++;
	*to = task;
	return 0;
}

/* u32 pid, u32 tid, char comm[] */
static int note_comm(struct perf_tasks *tasks, struct perf_task *task,
		     const struct perf_record *rec, uint64_t time, bool big_endian)
{
	const char *comm = (const char *)rec->data + 16;
	struct perf_name **at = &task->names, *name;

	if (task->tgid < 0)
		task->tgid = (int32_t)perf_record_u32(rec, 8, big_endian);
	/* Made up when recording ended, it is the last name of all, which is known. */
	if ((!time && task->names) || task->n_names == MAX_NAMES || tasks->n >= MAX_ENTRIES)
		return 0;
	while (*at && (*at)->since_ns <= time)
		at = &(*at)->next;
	name = malloc(sizeof(*name));
	if (!name)
		return -1;
	name->since_ns = time;
	name->next = *at;
	text_copy(name->comm, sizeof(name->comm), comm, strnlen(comm, rec->size - 16));
	*at = name;
	task->n_names++;
	tasks->n++;
	return 0;
}

/* u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time */
static void note_fork(struct perf_task *task, const struct perf_record *rec, uint64_t time,
		      bool big_endian)
{
	if (task->tgid < 0)
		task->tgid = (int32_t)perf_record_u32(rec, 8, big_endian);
	if (task->parent >= 0)
		return;
	task->parent = (int32_t)perf_record_u32(rec, 20, big_endian);
	task->forked_ns = time;
}

int perf_tasks_note(struct perf_tasks *tasks, const struct perf_record *rec, uint64_t time,
		    bool big_endian)
{
	struct perf_task *task;
	uint32_t at = rec->type == PERF_COMM ? 12 : 16;

	if ((rec->type != PERF_COMM && rec->type != PERF_FORK) || rec->size < 24)
		return 0;
	if (get(tasks, (int32_t)perf_record_u32(rec, at, big_endian), &task))
		return -1;
	if (!task)
		return 0;
	if (time < task->known_ns)
		task->known_ns = time;
	if (rec->type == PERF_COMM)
		return note_comm(tasks, task, rec, time, big_endian);
	note_fork(task, rec, time, big_endian);
	return 0;
}

/* The name at that time, the first one for an earlier time; NULL: none. */
static const struct perf_name *name_at(const struct perf_task *task, uint64_t time)
{
	const struct perf_name *name = task->names;

	while (name && name->next && name->next->since_ns <= time)
		name = name->next;
	return name;
}

const char *perf_tasks_comm(const struct perf_tasks *tasks, int32_t tid, uint64_t until_ns)
{
	const struct perf_task *task = find(tasks, tid);
	const struct perf_name *later = NULL;
	uint64_t time = 0;

	for (int i = 0; i < MAX_FORKS && task; i++) {
		const struct perf_name *name = name_at(task, time);

		if (name && name->since_ns <= time)
			return name->comm;
		if (!later && name && name->since_ns <= until_ns)
			later = name;
		time = task->forked_ns;
		/* What forked before the recording may have had any name since. */
		task = time && time <= until_ns ? find(tasks, task->parent) : NULL;
	}
	return later ? later->comm : "";
}

int32_t perf_tasks_tgid(const struct perf_tasks *tasks, int32_t tid, uint64_t until_ns)
{
	const struct perf_task *task = find(tasks, tid);

	return task && task->known_ns <= until_ns ? task->tgid : -1;
}

static void free_names(struct perf_name *name)
{
	while (name) {
		struct perf_name *next = name->next;

		free(name);
		name = next;
	}
}

void perf_tasks_free(struct perf_tasks *tasks)
{
	struct perf_task *task = tasks->table;

	HASH_CLEAR(hh, tasks->table);
	while (task) {
		struct perf_task *next = task->hh.next;

		free_names(task->names);
		free(task);
		task = next;
	}
	tasks->n = 0;
}
