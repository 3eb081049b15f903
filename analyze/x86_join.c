/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_join.c - x86's flush events of all CPUs become flushes. */
#include "analyze/x86_join.h"

#include <stdlib.h>

#include "analyze/cause.h"
#include "analyze/release.h"
#include "analyze/x86_state.h"

/* enum tlb_flush_reason of linux/mm_types.h */
enum {
	REASON_SWITCH = 0,
	REASON_REMOTE = 1,
	REASON_LOCAL = 2, /* of a batch */
	REASON_LOCAL_MM = 3,
	REASON_SEND = 4,
	REASON_WRONG_CPU = 5,
};

#define MAX_PAGES (INT64_C(1) << (57 - X86_BASE_SHIFT)) /* five-level page tables */

struct x86_join *x86_join_new(const struct x86_join_env *env)
{
	struct x86_join *x = calloc(1, sizeof(*x));
	unsigned release = release_number(env->kernel);
	size_t n = env->n_cpus ? env->n_cpus : 1;

	if (!x)
		return NULL;
	x->env = *env;
	x->send_first = !release || release >= 5013;
	x->skips_lazy = !release || release >= 4020;
	x->cpus = calloc(n, sizeof(*x->cpus));
	x->sending = calloc(n, sizeof(*x->sending));
	x->csds = x86_csds_new();
	if (!x->cpus || !x->sending || !x->csds) {
		x86_join_free(x);
		return NULL;
	}
	for (uint32_t c = 0; c < env->n_cpus; c++) {
		x->cpus[c].running = x->cpus[c].loaded = -1;
		x->cpus[c].caller = -1;
	}
	return x;
}

void x86_join_free(struct x86_join *x)
{
	if (!x)
		return;
	x86_tasks_free(x);
	x86_csds_free(x->csds);
	free(x->cpus);
	free(x->sending);
	free(x);
}

const struct x86_strays *x86_join_strays(const struct x86_join *x)
{
	return &x->strays;
}

/* The mm of the initiator; where that flushed another's (kswapd, ptrace), of its receivers. */
static bool attach_mm(struct x86_join *x, struct x86_request *req, const struct task *task)
{
	struct flush *f = &req->f;
	bool own = f->cause != CAUSE_KTHREAD && (req->own != X86_NONE || req->receiver_tgid < 0);
	int32_t tgid = own ? task->tgid : req->receiver_tgid;
	const struct task *leader;

	f->tgid = task->tgid_certain ? task->tgid : -1;
	if (f->x86.batch || tgid < 0)
		return true;
	leader = task_get(x->env.tasks, tgid, -1);
	if (!leader)
		return false;
	f->mm = mm_of_process(x->env.mms, tgid, *leader->comm ? leader->comm : task->comm);
	return f->mm;
}

static void stop_sending(struct x86_join *x, uint32_t cpu)
{
	for (uint32_t i = 0; i < x->n_sending; i++) {
		if (x->sending[i] == cpu) {
			x->sending[i] = x->sending[--x->n_sending];
			return;
		}
	}
}

bool x86_join_hand_out(struct x86_join *x, struct x86_request *req)
{
	x86_request_finish(req, x->ipi_events, x->csd_events);
	req->f.entry = x86_flush_entry(&req->f);
	return x86_join_emit(x, &req->f);
}

/* The CPU's request is complete: its task did something else now. */
static bool finish_request(struct x86_join *x, uint32_t cpu, uint64_t now_ns)
{
	struct x86_request *req = &x->cpus[cpu].req;
	struct x86_task *waiting;
	struct task *task;

	if (!req->open)
		return true;
	req->open = false;
	stop_sending(x, cpu);
	task = task_get(x->env.tasks, req->f.tid, -1);
	waiting = x86_task_get(x, req->f.tid);
	if (!task || !waiting)
		return false;
	cause_of_task(&req->f, task);
	if (!attach_mm(x, req, task))
		return false;
	if (req->sent != X86_NONE && req->f.context != CONTEXT_OUTSIDE)
		return x86_sent_keep(x, req, now_ns);
	/* The end of a call is perhaps not recorded: exit tells of its flush all the same. */
	if ((req->f.context == CONTEXT_CALL && !(req->f.asked && req->f.told.fullmm)) ||
	    req->f.cause == CAUSE_KTHREAD)
		return x86_join_hand_out(x, req);
	x86_request_finish(req, x->ipi_events, x->csd_events);
	req->f.entry = x86_flush_entry(&req->f);
	return x86_task_wait(x, waiting, &req->f);
}

/* The probed request of the task, if this is its first event. */
static void take_told(struct x86_request *req, struct x86_task *task)
{
	if (!task->told.fresh)
		return;
	req->f.told = task->told;
	req->f.is_told = !req->f.x86.batch && task->told.has_range;
	task->told.fresh = false;
}

struct x86_request *x86_join_begin(struct x86_join *x, const struct event *ev, bool batch)
{
	struct x86_request *req = &x->cpus[ev->cpu].req;
	struct x86_task *own;
	struct task *task;

	if (!finish_request(x, ev->cpu, ev->time_ns))
		return NULL;
	task = task_get(x->env.tasks, ev->tid, ev->tgid);
	own = x86_task_get(x, ev->tid);
	if (!task || !own)
		return NULL;
	*req = (struct x86_request){
		.open = true,
		.f = { .start_ns = ev->time_ns,
		       .stack = ev->stack,
		       .end_ns = ev->time_ns,
		       .cpu = ev->cpu,
		       .tid = ev->tid,
		       .shape = SHAPE_X86,
		       .x86.batch = batch },
		.tgid = task->tgid,
		.sent = X86_NONE,
		.own = X86_NONE,
		.receiver_tgid = -1,
		.call_first = !own->call_flushed,
	};
	own->call_flushed = true;
	take_told(req, own);
	req->freed_known = x->switch_events && x->skips_lazy && req->f.is_told &&
			   !req->f.told.tables;
	return req;
}

static void set_sent(struct x86_join *x, struct x86_request *req, const struct event *ev)
{
	req->sent = ev->x86.pages;
	req->f.end_ns = ev->time_ns;
	x86_loaded_count(x, req, 0);
	x->sending[x->n_sending++] = ev->cpu;
	x86_sent_take_early(x, req, ev->time_ns);
}

/* True where the open request of this CPU lacks just this event. */
static bool continues(const struct x86_request *req, const struct event *ev)
{
	if (!req->open || req->f.tid != ev->tid)
		return false;
	if (ev->x86.reason == REASON_SEND)
		return req->sent == X86_NONE && x86_sizes_agree(req->own, ev->x86.pages);
	if (ev->x86.reason == REASON_LOCAL && req->sent != -1)
		return false;
	return req->own == X86_NONE && x86_sizes_agree(ev->x86.pages, req->sent);
}

static bool take_send(struct x86_join *x, const struct event *ev)
{
	struct x86_request *req = &x->cpus[ev->cpu].req;

	if (x->send_first || !continues(req, ev))
		req = x86_join_begin(x, ev, false);
	if (!req)
		return false;
	set_sent(x, req, ev);
	return true;
}

static bool take_own(struct x86_join *x, const struct event *ev)
{
	bool batch = ev->x86.reason == REASON_LOCAL;
	struct x86_request *req = &x->cpus[ev->cpu].req;
	struct x86_task *task = x86_task_get(x, ev->tid);

	if (!task)
		return false;
	task->user |= !batch;
	if (!x->send_first || !continues(req, ev))
		req = x86_join_begin(x, ev, batch);
	if (!req)
		return false;
	req->f.x86.batch = batch;
	req->f.end_ns = ev->time_ns;
	x86_take_own(req, ev->x86.pages);
	if (req->saw_ipi)
		x->callsite = req->callsite;
	return true;
}

/* More pages than an address space has, and negative numbers but for -1, are damage. */
static bool is_sane(const struct x86_flush_record *rec)
{
	return rec->pages >= -1 && rec->pages <= MAX_PAGES;
}

static bool take_flush(struct x86_join *x, const struct event *ev)
{
	if (!is_sane(&ev->x86)) {
		x->strays.unknown++;
		return true;
	}
	switch (ev->x86.reason) {
	case REASON_SWITCH:
		x->strays.switch_flushes += ev->x86.pages == -1;
		return true;
	case REASON_REMOTE:
		return x86_receive(x, ev);
	case REASON_LOCAL:
	case REASON_LOCAL_MM:
		return take_own(x, ev);
	case REASON_SEND:
		return take_send(x, ev);
	case REASON_WRONG_CPU:
		x->strays.wrong_cpu++;
		return true;
	default:
		x->strays.unknown++;
		return true;
	}
}

/* True where the task goes on after its flush; probes inside the flush do not end it. */
static bool ends_request(const struct event *ev)
{
	if (!event_is_mark(ev))
		return false;
	return ev->kind != EVENT_REQUEST || ev->request.fn == REQUEST_X86_RANGE ||
	       ev->request.fn == REQUEST_X86_BATCH || ev->request.fn == REQUEST_X86_KERNEL;
}

static bool take_other(struct x86_join *x, const struct event *ev)
{
	struct x86_cpu *cpu = &x->cpus[ev->cpu];

	switch ((enum event_kind)ev->kind) {
	case EVENT_SWITCH:
		return x86_loaded_switch(x, ev);
	case EVENT_REQUEST:
		return x86_asked_request(x, ev);
	case EVENT_IPI_SEND:
		x86_ipis_sent(x, ev);
		return true;
	case EVENT_IPI_RECV:
		cpu->interrupted = true;
		return true;
	case EVENT_CSD_QUEUE:
		return x86_ipis_queued(x, ev);
	case EVENT_CSD_RUN:
		cpu->caller = x86_csds_sender(x->csds, ev->csd.csd);
		return true;
	case EVENT_NEWTASK:
		return x86_task_begin(x, ev);
	default:
		return true;
	}
}

bool x86_join_event(struct x86_join *x, const struct event *ev)
{
	if (!x86_sent_expire(x, ev->time_ns))
		return false;
	if (ev->cpu >= x->env.n_cpus)
		return true;
	if (ev->kind == EVENT_X86_FLUSH)
		return take_flush(x, ev);
	if (ends_request(ev)) {
		x->cpus[ev->cpu].interrupted = false;
		if (!finish_request(x, ev->cpu, ev->time_ns))
			return false;
	}
	if (cause_is_over(ev) && !x86_task_settle(x, ev))
		return false;
	return take_other(x, ev);
}

static void hold_mm(const struct flush *f)
{
	if (f->mm)
		f->mm->held = true;
}

void x86_join_hold(const struct x86_join *x)
{
	for (const struct x86_task *task = x->tasks; task; task = task->hh.next)
		for (unsigned i = 0; i < task->n; i++)
			hold_mm(&task->waiting[i]);
	for (unsigned i = 0; i < x->n_late; i++)
		hold_mm(&x->late[(x->first_late + i) % X86_LATE].req.f);
}

bool x86_join_finish(struct x86_join *x)
{
	for (uint32_t c = 0; c < x->env.n_cpus; c++)
		if (!finish_request(x, c, UINT64_MAX))
			return false;
	return x86_receivers_finish(x) && x86_tasks_finish(x);
}
