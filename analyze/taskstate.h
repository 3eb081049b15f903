/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskstate.h - who runs where with which address space: current task and mm of each CPU, its
 * active mm, the mm of each task and the users of each mm (policies 3.2, 14).
 *
 * A space is an address space as its tasks show it: it begins with a fork or an exec, and its
 * hardware PID is learned from its first flush. mm.h has the flushes' view (a hardware PID and its
 * epoch), which needs no task events; masks need the tasks' view.
 */
#ifndef TLBTRACE_TASKSTATE_H
#define TLBTRACE_TASKSTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/flush.h"
#include "analyze/run.h"
#include "analyze/source.h"
#include "analyze/told.h"

struct space {
	uint32_t hw_pid;    /* 0: no flush of it was seen yet */
	uint32_t users;	    /* tasks that have it, as far as seen */
	uint32_t unmappers; /* taskstate.c: tasks that have it and unmap, or may: no call was seen */
	int32_t tgid;
	char name[COMM_LEN];	   /* of the last task that had it */
	bool born;		   /* its fork or exec was seen: its mask was empty then */
	bool left;		   /* its last user has left it */
	uint32_t left_cpu;	   /* where the last user left it */
	uint32_t refs;		   /* taskstate.c: tasks, CPUs and the table of hardware PIDs */
	struct space *next_unused; /* taskstate.c: nobody refers to it any more */
	void *ext;		   /* ext_bytes of the observer's, zeroed at the start */
};

/* Whether a task is one of the kernel's own. */
enum ts_kind {
	TS_USER,
	TS_KERNEL,
	TS_LIKELY_USER, /* nothing but its name was seen, which is no kernel thread's */
};

struct ts_task {
	int32_t tid;
	int32_t tgid;
	enum ts_kind kind;
	struct space *space; /* NULL: a kernel thread, or past exit_mm */
	struct space *old;   /* torn down, and neither exec nor exit was seen yet: which it was */
	bool execs;	     /* has its new space, but the exec event is to come */
	bool exiting;	     /* in exit_group or exit: joins no mask any more */
	bool exited;	     /* sched_process_exit was seen */
	bool call_known;     /* a system call event of it was seen */
	bool in_call;	     /* in a call that unmaps or protects */
	bool in_mprotect;
	struct told told; /* what probes said it asked for; fresh until its next flush */
	char comm[COMM_LEN];
	int64_t owed; /* lazy.c: atomics more if this TS_LIKELY_USER is a kernel thread */
};

struct ts_cpu {
	bool known; /* tid is the task that runs here */
	bool unsure; /* active is of a task that may be a kernel thread, and have left another there */
	int32_t tid;
	struct space *cur;    /* current->mm; NULL: kernel thread, idle, or unknown */
	struct space *active; /* current->active_mm; NULL: init_mm or unknown */
};

/* Who wants to know of what happens. Members may be NULL. */
struct ts_hooks {
	void *arg;
	/* switch_mm: cpu has loaded space, which joins its mask. */
	void (*ran)(void *arg, struct space *space, uint32_t cpu);
	/* A recorded switch on cpu; prev and next are in the state of before. */
	void (*switched)(void *arg, uint64_t time_ns, uint32_t cpu, struct ts_task *prev,
			 struct ts_task *next);
	/* exit_mm: task, on cpu, gives up space. */
	void (*exited)(void *arg, uint64_t time_ns, uint32_t cpu, struct ts_task *task,
		       struct space *space);
	/* cpu has been taken down; once or more for every space that a task or a hardware PID has. */
	void (*offline)(void *arg, struct space *space, uint32_t cpu);
	/* The last user has left space, now known for certain. Its final flush was on space->left_cpu,
	 * and its last mmdrop there or on the CPUs that its task has been on since, up to now_cpu. */
	void (*died)(void *arg, struct space *space, uint32_t now_cpu);
	/* space is about to be forgotten. */
	void (*forgotten)(void *arg, struct space *space);
};

struct taskstate;

/* NULL where memory is short. src must outlive it. */
struct taskstate *ts_new(const struct source *src, uint32_t cpus, size_t ext_bytes,
			 const struct ts_hooks *hooks);
void ts_free(struct taskstate *ts);

/* Takes the next item by time. False where memory is short. */
bool ts_item(struct taskstate *ts, const struct run_item *item);

/*
 * Whether a flush of the whole mm inside a call is that of a gather that was made full-mm because
 * another gather was under way (mm_tlb_flush_nested()), or a range above the ceiling. The other may
 * be another thread's, or the call's own: mprotect of hugetlb memory has one inside its own (6.1 and
 * 6.12, since stable kernels flush unshared page tables by a gather).
 */
enum ts_nested {
	TS_NESTED_NO,
	TS_NESTED_MAYBE, /* another thread of the mm unmaps at the time, or it is mprotect, and no
			  * probe tells */
	TS_NESTED_YES,
};

/* What a flush is, as far as the tasks tell at its beginning. */
struct ts_flush {
	struct ts_task *task;
	struct space *space; /* whose flush it is; NULL: none that tasks have shown */
	bool mine;	     /* current->mm == mm */
	bool fullmm;	     /* the teardown at exit or exec: its last user has left */
	enum ts_nested nested;
};

/*
 * The mm of a task's flush that begins now. Learns hardware PIDs and finds execs and exits, which
 * show here before their events. False where memory is short.
 */
bool ts_flush_begins(struct taskstate *ts, const struct flush *f, struct ts_flush *out);

const struct ts_cpu *ts_cpu(const struct taskstate *ts, uint32_t cpu);

/* The space that hw_pid belongs to, or NULL. */
struct space *ts_space(const struct taskstate *ts, uint32_t hw_pid);

/* All tasks, one by one: pass NULL first, then the last one; NULL at the end. */
struct ts_task *ts_task_next(const struct taskstate *ts, const struct ts_task *after);

#endif
