/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_state.h - what an x86 join knows, for its own parts only.
 *
 *   x86_join.c	       a CPU's events become its request
 *   x86_receivers.c   what other CPUs flushed finds the request that asked for it
 *   x86_tasks.c       what a task does next tells what its flushes were for
 *   x86_loaded.c      the CPUs that an mm's mask can name
 *   x86_ipis.c	       the IPIs of a request, where events tell them
 *   x86_asked.c       requests that probes saw
 *
 * Functions that return bool return false where memory is short or env->flush said so.
 */
#ifndef TLBTRACE_X86_STATE_H
#define TLBTRACE_X86_STATE_H

#include <uthash.h>

#include "analyze/event.h"
#include "analyze/x86_csd.h"
#include "analyze/x86_join.h"
#include "analyze/x86_request.h"

#define X86_LATE 16 /* requests whose receivers may still come */

/* A request that is complete, but for receivers whose clocks are behind. */
struct x86_late {
	struct x86_request req;
	uint64_t closed_ns;
};

/* A receiver's event whose sender is not known yet. */
struct x86_early {
	bool held;
	bool interrupted;
	struct event ev;
	int32_t tgid;
};

/* What is known of one task. */
struct x86_task {
	int32_t tid;
	bool user;	   /* it has an mm of its own */
	bool call_flushed; /* since it entered a call */
	uint64_t asked_ns; /* leader: when a task of it made the last request, 0 none */
	bool all_told;	   /* a probe saw a request for a whole mm since the last settling */
	unsigned fresh;	   /* if so: how many were waiting then */
	struct told told;  /* the request that it is making */
	unsigned n;
	struct flush *waiting; /* NULL until it is needed */
	UT_hash_handle hh;
};

/* What is known of one CPU beside the request it makes. */
struct x86_cpu {
	struct x86_request req;
	int32_t running; /* tgid of its task */
	int32_t loaded;	 /* tgid of the last user task: mm_cpumask may name the CPU; -1 unknown */
	uint64_t switched_ns; /* the last switch here */
	bool interrupted; /* an IPI for several CPUs came in and nothing was flushed in it so far */
	int64_t caller;	  /* who queued the call that it runs; -1 unknown */
	struct x86_early early;
};

struct x86_join {
	struct x86_join_env env;
	struct x86_cpu *cpus;
	uint32_t *sending; /* CPUs whose request was sent and is open */
	uint32_t n_sending;
	struct x86_late late[X86_LATE]; /* a ring */
	unsigned first_late;
	unsigned n_late;
	struct x86_task *tasks;
	struct x86_csds *csds;
	struct x86_strays strays;
	uint64_t callsite;  /* of smp_call_function for flushes, 0 not seen yet */
	bool send_first;    /* v5.13 and later */
	bool skips_lazy;    /* v4.20 and later: no IPI to lazy CPUs unless page tables are freed */
	bool ipi_events;    /* were seen */
	bool csd_events;    /* were seen */
	bool switch_events; /* were seen */
};

static inline bool x86_join_emit(struct x86_join *x, const struct flush *f)
{
	return x->env.flush(x->env.arg, f);
}

/* Begins the request that the event tells of, in the place of its CPU's last. NULL: false. */
struct x86_request *x86_join_begin(struct x86_join *x, const struct event *ev, bool batch);

/* Completes the request and hands out its flush. */
bool x86_join_hand_out(struct x86_join *x, struct x86_request *req);

/* ---- x86_receivers.c ---- */

/* A receiver's part (reason 1). */
bool x86_receive(struct x86_join *x, const struct event *ev);

/* The request was just sent: takes the parts that came before it. */
void x86_sent_take_early(struct x86_join *x, struct x86_request *req, uint64_t now_ns);

/* Its task went on: keeps it for parts that come later, until they cannot any more. */
bool x86_sent_keep(struct x86_join *x, const struct x86_request *req, uint64_t now_ns);
bool x86_sent_expire(struct x86_join *x, uint64_t now_ns);
bool x86_receivers_finish(struct x86_join *x);

/* ---- x86_tasks.c ---- */

struct x86_task *x86_task_find(const struct x86_join *x, int32_t tid); /* NULL: not known */
struct x86_task *x86_task_get(struct x86_join *x, int32_t tid);	       /* NULL: no memory */

/* Keeps a flush until the task tells what it was for. */
bool x86_task_wait(struct x86_join *x, struct x86_task *task, const struct flush *f);

/* What the task does next tells what its last flushes outside of calls were for. */
bool x86_task_settle(struct x86_join *x, const struct event *ev);

bool x86_task_begin(struct x86_join *x, const struct event *ev); /* a new one */
bool x86_tasks_finish(struct x86_join *x);
void x86_tasks_free(struct x86_join *x);

/* ---- x86_loaded.c ---- */

/*
 * Counts the other CPUs that the mask of the request's mm can name: all that are not known to have
 * left it. since_ns: when the mm's last request was made.
 */
void x86_loaded_count(const struct x86_join *x, struct x86_request *req, uint64_t since_ns);
bool x86_loaded_switch(struct x86_join *x, const struct event *ev);

/* ---- x86_ipis.c ---- */

bool x86_ipis_queued(struct x86_join *x, const struct event *ev);
void x86_ipis_sent(struct x86_join *x, const struct event *ev);

/* ---- x86_asked.c ---- */

/* A probe on one of the functions that flush. */
bool x86_asked_request(struct x86_join *x, const struct event *ev);

#endif
