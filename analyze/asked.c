/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked.c - probes become the runs that would have been recorded. */
#include "analyze/asked.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/cause.h"
#include "analyze/event_names.h"
#include "analyze/geometry.h"
#include "analyze/tlbie.h"
#include "analyze/told.h"

/* What flush_type_needed() returns (enum tlb_flush_type, v5.12). */
enum {
	FLUSH_NONE,
	FLUSH_LOCAL,
	FLUSH_GLOBAL,
};

/* A task that is making a request. */
#define TASK_REPORT 0x7f /* states of a task that waits or has ended; preemption has others */

struct asker {
	int32_t tid;
	struct told told;
	struct event last; /* its last probe */
	UT_hash_handle hh;
};

/* The number that an mm's kernel address stands for. */
struct mm_pid {
	uint64_t mm;
	uint32_t hw_pid;
	UT_hash_handle hh;
};

struct asked {
	unsigned base_shift;
	uint32_t n_pids;
	struct asker *askers;
	struct mm_pid *pids;
	struct event trim; /* the last handler's probe; kind EVENT_LOST: none */
};

static bool is_instruction(const char *name)
{
	return strcmp(name, "powerpc:tlbie") == 0 || strcmp(name, "tlb:tlb_flush") == 0;
}

static bool is_probe(const char *name)
{
	const char *event = strchr(name, ':');

	return event && request_by_name(event + 1, false) != REQUEST_OTHER;
}

bool asked_applies(const struct source_info *info)
{
	bool probes = false;

	for (size_t i = 0; i < info->n_counts; i++) {
		if (is_instruction(info->counts[i].name))
			return false;
		probes |= is_probe(info->counts[i].name);
	}
	return probes;
}

struct asked *asked_new(unsigned base_shift)
{
	struct asked *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->base_shift = base_shift;
	a->trim.kind = EVENT_LOST;
	return a;
}

static void free_askers(struct asked *a)
{
	struct asker *k = a->askers;

	HASH_CLEAR(hh, a->askers);
	while (k) {
		struct asker *next = k->hh.next;

		free(k);
		k = next;
	}
}

void asked_free(struct asked *a)
{
	struct mm_pid *pid;

	if (!a)
		return;
	free_askers(a);
	pid = a->pids;
	HASH_CLEAR(hh, a->pids);
	while (pid) {
		struct mm_pid *next = pid->hh.next;

		free(pid);
		pid = next;
	}
	free(a);
}

/* Fills the hardware PID of a probe that has only the mm, and remembers that of one that has both. */
static bool identify(struct asked *a, struct request_record *rec)
{
	struct mm_pid *pid;

	if (!(rec->has & REQUEST_HAS_MM) || !rec->mm)
		return true;
	HASH_FIND(hh, a->pids, &rec->mm, sizeof(rec->mm), pid);
	if (!pid) {
		pid = calloc(1, sizeof(*pid));
		if (!pid)
			return false;
		pid->mm = rec->mm;
		pid->hw_pid = ASKED_PID | ++a->n_pids;
		HASH_ADD(hh, a->pids, mm, sizeof(pid->mm), pid);
	}
	if (rec->has & REQUEST_HAS_HW_PID)
		pid->hw_pid = rec->hw_pid;
	rec->hw_pid = pid->hw_pid;
	rec->has |= REQUEST_HAS_HW_PID;
	return true;
}

static struct asker *find_asker(const struct asked *a, int32_t tid)
{
	struct asker *k;

	HASH_FIND_INT(a->askers, &tid, k);
	return k;
}

static void forget(struct asked *a, struct asker *k)
{
	HASH_DEL(a->askers, k);
	free(k);
}

/* The kind of the whole flush that the request is whatever the ceilings; TLBIE_VA: it has a range. */
static enum tlbie_kind kind_of(const struct told *t, unsigned base_shift)
{
	bool collapsed = t->outer == REQUEST_COLLAPSED && base_shift < 16;

	if (t->outer == REQUEST_KERNEL)
		return TLBIE_KERNEL;
	/* With 4K pages, flush_tlb_collapsed_pmd is flush_all_mm. */
	if (t->fullmm || collapsed || t->inner == REQUEST_ALL_MM)
		return TLBIE_ALL;
	if (t->has_range && t->end != ADDRESS_ALL && !t->unsized)
		return TLBIE_VA;
	return t->tables ? TLBIE_ALL : TLBIE_PID;
}

/* False where the request asks for nothing. */
static bool make_run(const struct asked *a, const struct told *t, const struct event *at,
		     struct run *run)
{
	*run = (struct run){
		.start_ns = at->time_ns,
		.end_ns = at->time_ns,
		.cpu = at->cpu,
		.tid = at->tid,
		.tgid = at->tgid,
		.hw_pid = t->hw_pid,
		.kind = (uint8_t)kind_of(t, a->base_shift),
		.n = 1,
		.ended_by = RUN_END_REQUEST,
		.asked = true,
	};
	if (run->kind == TLBIE_KERNEL)
		run->hw_pid = 0;
	if (run->kind != TLBIE_VA)
		return true;
	run->addr = t->start;
	run->shift = t->shift;
	run->n = range_nva(t->start, t->end, t->shift);
	return run->n > 0;
}

static bool hand_out(const struct run *run, asked_fn fn, void *arg)
{
	struct run_item item = { .time_ns = run->start_ns, .is_run = true, .run = *run };

	return fn(arg, &item);
}

/* The task's request is complete; at: the event that says so, with its scope or without. */
static bool complete(struct asked *a, struct asker *k, const struct event *at, bool has_scope,
		     asked_fn fn, void *arg)
{
	struct run run;
	bool ok = true;

	if (make_run(a, &k->told, at, &run)) {
		run.local = has_scope && at->request.type == FLUSH_LOCAL;
		run.scope_open = !has_scope && run.kind != TLBIE_KERNEL;
		ok = hand_out(&run, fn, arg);
	}
	forget(a, k);
	return ok;
}

/* Handlers of IPIs: the idle loop runs queued calls as well (policies 14, 1). */
static bool is_handler(const struct event *ev)
{
	return (ev->flags & EVENT_HARDIRQ) || ev->tid == 0;
}

/* do_exit_flush_lazy_tlb calls exit_lazy_flush_tlb: probes on both speak of one trim. */
static bool is_same_trim(const struct event *before, const struct event *ev)
{
	return before->kind == EVENT_REQUEST && before->cpu == ev->cpu && before->tid == ev->tid &&
	       before->request.mm == ev->request.mm;
}

/*
 * A CPU leaves an mm's mask and flushes its PID. A handler of serialize_against_pte_lookup flushes
 * only if the CPU was in the mask, which the probe does not say: left out.
 */
static bool take_trim(struct asked *a, const struct event *ev, asked_fn fn, void *arg)
{
	const struct request_record *rec = &ev->request;
	bool same = is_same_trim(&a->trim, ev);
	struct run run = {
		.start_ns = ev->time_ns,
		.end_ns = ev->time_ns,
		.cpu = ev->cpu,
		.tid = ev->tid,
		.tgid = ev->tgid,
		.hw_pid = rec->hw_pid,
		.kind = TLBIE_ALL,
		.n = 1,
		.ended_by = RUN_END_REQUEST,
		.local = true,
		.irq = true,
		.asked = true,
	};

	a->trim = *ev;
	if (same) {
		a->trim.kind = EVENT_LOST;
		return true;
	}
	if (!rec->hw_pid || ((rec->has & REQUEST_HAS_FULLMM) && !rec->fullmm))
		return true;
	return hand_out(&run, fn, arg);
}

/* A probe of the task: begins a request, deepens it, or says its scope. */
static bool take_probe(struct asked *a, const struct event *ev)
{
	struct asker *k = find_asker(a, ev->tid);

	if (!k) {
		if (!told_is_request(ev->request.fn))
			return true;
		k = calloc(1, sizeof(*k));
		if (!k)
			return false;
		k->tid = ev->tid;
		HASH_ADD_INT(a->askers, tid, k);
	}
	told_apply(&k->told, &ev->request, ev->time_ns, a->base_shift);
	k->last = *ev;
	return true;
}

/* Whether the task's request is over before ev: it begins another, or has left the flush. */
static bool is_over(const struct asker *k, const struct event *ev)
{
	if (ev->kind == EVENT_REQUEST)
		return told_is_request(ev->request.fn) && !told_continues(&k->told, ev->request.fn);
	return cause_is_over(ev);
}

/* Of the task that is running, not of what interrupted it. */
static bool is_of_task(const struct event *ev)
{
	return ev->kind != EVENT_SWITCH && ev->kind != EVENT_LOST && !is_handler(ev) &&
	       !(ev->flags & EVENT_SOFTIRQ);
}

/* No function that flushes sleeps; preemption can come between a probe and the flush. */
static bool falls_asleep(const struct event *ev)
{
	return ev->kind == EVENT_SWITCH && (ev->sw.prev_state & TASK_REPORT);
}

static bool take_event(struct asked *a, const struct event *ev, asked_fn fn, void *arg)
{
	const struct run_item item = { .time_ns = ev->time_ns, .event = *ev };
	struct asker *k = is_of_task(ev) ? find_asker(a, ev->tid) : NULL;
	bool is_scope = ev->kind == EVENT_REQUEST && ev->request.fn == REQUEST_SCOPE;

	if (falls_asleep(ev))
		k = find_asker(a, ev->sw.prev_tid);
	if (k && (falls_asleep(ev) || is_over(k, ev)) && !complete(a, k, &k->last, false, fn, arg))
		return false;
	if (!fn(arg, &item))
		return false;
	if (ev->kind != EVENT_REQUEST)
		return true;
	if (ev->request.fn == REQUEST_EXIT_LAZY)
		return take_trim(a, ev, fn, arg);
	if (!is_of_task(ev))
		return true;
	if (!is_scope)
		return take_probe(a, ev);
	if (!k)
		return true;
	if (ev->request.type != FLUSH_NONE)
		return complete(a, k, ev, true, fn, arg);
	forget(a, k);
	return true;
}

bool asked_item(struct asked *a, const struct run_item *item, asked_fn fn, void *arg)
{
	struct event ev;

	if (item->is_run)
		return fn(arg, item);
	ev = item->event;
	if (ev.kind == EVENT_REQUEST && !identify(a, &ev.request))
		return false;
	return take_event(a, &ev, fn, arg);
}

bool asked_finish(struct asked *a, asked_fn fn, void *arg)
{
	while (a->askers) /* complete() takes the first one out */
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
		if (!complete(a, a->askers, &a->askers->last, false, fn, arg))
			return false;
	return true;
}
