/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_receivers.c - what other CPUs flushed finds the request that asked for it. */
#include <string.h>

#include "analyze/x86_state.h"

/*
 * Clocks of CPUs may differ, so in the merge a receiver may come before its sender, or after what
 * that did next; with equal stamps that is common. Such a share is looked for among the last X86_LATE
 * requests, or waits for its sender, if they are no further apart than this.
 */
#define SKEW_NS UINT64_C(10000000)

/* Hands out the oldest of those that are late. */
static bool expire_late(struct x86_join *x)
{
	struct x86_late *oldest = &x->late[x->first_late];

	x->first_late = (x->first_late + 1) % X86_LATE;
	x->n_late--;
	return x86_join_hand_out(x, &oldest->req);
}

bool x86_sent_expire(struct x86_join *x, uint64_t now_ns)
{
	while (x->n_late && x->late[x->first_late].closed_ns + SKEW_NS < now_ns)
		if (!expire_late(x))
			return false;
	return true;
}

bool x86_sent_keep(struct x86_join *x, const struct x86_request *req, uint64_t now_ns)
{
	struct x86_late *late;

	if (x->n_late == X86_LATE && !expire_late(x))
		return false;
	late = &x->late[(x->first_late + x->n_late) % X86_LATE];
	*late = (struct x86_late){ *req, now_ns };
	late->req.open = true; /* to receivers */
	x->n_late++;
	return true;
}

static void take_share(struct x86_request *req, const struct event *ev, int32_t tgid,
		       bool interrupted)
{
	x86_take_share(req, ev->cpu, ev->x86.pages, tgid);
	req->interrupted += interrupted;
	if (req->f.end_ns < ev->time_ns)
		req->f.end_ns = ev->time_ns;
}

void x86_sent_take_early(struct x86_join *x, struct x86_request *req, uint64_t now_ns)
{
	for (uint32_t c = 0; c < x->env.n_cpus; c++) {
		struct x86_early *early = &x->cpus[c].early;

		if (!early->held || early->ev.time_ns + SKEW_NS < now_ns ||
		    !x86_share_fits(req, c, early->ev.x86.pages, early->tgid))
			continue;
		take_share(req, &early->ev, early->tgid, early->interrupted);
		early->held = false;
	}
}

/* A receiver's share whose request is missing. */
static bool emit_orphan(struct x86_join *x, struct x86_early *early)
{
	const struct event *ev = &early->ev;
	const struct task *task = task_get(x->env.tasks, ev->tid, -1);
	struct x86_request req = {
		.f = { .start_ns = ev->time_ns,
		       .stack = ev->stack,
		       .end_ns = ev->time_ns,
		       .cpu = ev->cpu,
		       .tid = ev->tid,
		       .tgid = task && task->tgid_certain ? task->tgid : -1,
		       .shape = SHAPE_X86,
		       .irq = true,
		       .x86.orphan = true },
		.sent = X86_NONE,
		.receiver_tgid = -1,
	};

	early->held = false;
	x->strays.orphans++;
	if (!task)
		return false;
	memcpy(req.f.comm, task->comm, sizeof(req.f.comm));
	x86_take_own(&req, ev->x86.pages);
	x86_request_finish(&req, false, false);
	req.f.mm = mm_of_process(x->env.mms, early->tgid, task->comm);
	return req.f.mm && x86_join_emit(x, &req.f);
}

/* The best fit so far; of equals the oldest. */
struct search {
	struct x86_request *req;
	unsigned fits;
};

static void consider(struct search *best, struct x86_request *req, const struct event *ev,
		     int32_t tgid)
{
	unsigned fits = x86_share_fits(req, ev->cpu, ev->x86.pages, tgid);

	if (fits > best->fits ||
	    (fits && fits == best->fits && req->f.start_ns < best->req->f.start_ns))
		*best = (struct search){ req, fits };
}

/* Among those that wait for it; among equal stamps; else among those that went on just before. */
static struct x86_request *find_sender(struct x86_join *x, const struct event *ev, int32_t tgid)
{
	struct search best = { .fits = 0 };
	struct search past = { .fits = 0 };

	for (unsigned i = 0; i < x->n_late; i++) {
		struct x86_late *late = &x->late[(x->first_late + i) % X86_LATE];
		bool tie = late->closed_ns == ev->time_ns;

		consider(tie ? &best : &past, &late->req, ev, tgid);
	}
	for (uint32_t i = 0; i < x->n_sending; i++)
		consider(&best, &x->cpus[x->sending[i]].req, ev, tgid);
	return best.req ? best.req : past.req;
}

/* The request of the CPU that queued the call which the receiver runs, if its events fit. */
static struct x86_request *find_caller(struct x86_join *x, const struct event *ev, int32_t tgid)
{
	int64_t caller = x->cpus[ev->cpu].caller;
	struct x86_request *req = caller < 0 ? NULL : &x->cpus[caller].req;

	return req && x86_share_fits(req, ev->cpu, ev->x86.pages, tgid) ? req : NULL;
}

/* The task itself, not an interrupt, was at the receivers' part of its own request. */
static bool is_senders_own(const struct x86_request *req, const struct event *ev)
{
	return req->open && req->f.tid == ev->tid && !(ev->flags & EVENT_HARDIRQ);
}

bool x86_receive(struct x86_join *x, const struct event *ev)
{
	struct x86_cpu *cpu = &x->cpus[ev->cpu];
	const struct task *task = task_get(x->env.tasks, ev->tid, ev->tgid);
	struct x86_request *req;
	bool interrupted = cpu->interrupted;

	if (!task)
		return false;
	if (is_senders_own(&cpu->req, ev) && x86_take_again(&cpu->req, ev->x86.pages)) {
		if (cpu->req.f.end_ns < ev->time_ns)
			cpu->req.f.end_ns = ev->time_ns;
		return true;
	}
	cpu->interrupted = false;
	req = find_caller(x, ev, task->tgid);
	cpu->caller = -1; /* of this flush: the call has but one */
	if (!req)
		req = find_sender(x, ev, task->tgid);
	if (req) {
		take_share(req, ev, task->tgid, interrupted);
		return true;
	}
	if (cpu->early.held && !emit_orphan(x, &cpu->early))
		return false;
	cpu->early = (struct x86_early){ true, interrupted, *ev, task->tgid };
	return true;
}

bool x86_receivers_finish(struct x86_join *x)
{
	while (x->n_late)
		if (!expire_late(x))
			return false;
	for (uint32_t c = 0; c < x->env.n_cpus; c++)
		if (x->cpus[c].early.held && !emit_orphan(x, &x->cpus[c].early))
			return false;
	return true;
}
