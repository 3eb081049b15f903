/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_tasks.h - names and thread groups of tasks as perf's COMM and FORK records tell them.
 *
 * For the tasks that ran before the recording perf makes such records up, without a time; with
 * --tail-synthesize they are the last of the file, and have the names of that moment. A task's name
 * here is its first one in the recording: how it changes later is told by events.
 */
#ifndef TLBTRACE_PERF_TASKS_H
#define TLBTRACE_PERF_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/perf_record.h"

struct perf_task;

struct perf_tasks {
	struct perf_task *table;
	uint64_t n; /* tasks and names */
};

/* Takes in a COMM or FORK record that happened at time (0: before the recording); others are
 * ignored. -1: no memory. */
int perf_tasks_note(struct perf_tasks *tasks, const struct perf_record *rec, uint64_t time,
		    bool big_endian);

/* As far as records of no later time than until_ns tell. */

/* The task's first name: where it was forked in the recording, its parent's at that time. "" unknown.
 * Stays valid until perf_tasks_free(). */
const char *perf_tasks_comm(const struct perf_tasks *tasks, int32_t tid, uint64_t until_ns);

/* -1 unknown. */
int32_t perf_tasks_tgid(const struct perf_tasks *tasks, int32_t tid, uint64_t until_ns);

void perf_tasks_free(struct perf_tasks *tasks);

#endif
