/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_join.c - x86's flush events of all CPUs become flushes. */
#include "analyze/x86_join.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/cause.h"
#include "analyze/geometry.h"
#include "analyze/release.h"
#include "analyze/run.h"
#include "analyze/x86_csd.h"
#include "analyze/x86_request.h"

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

/* Flushes outside of calls that wait for what their task does next; older ones are given up. */
#define WAITING 8

/*
 * Clocks of CPUs may differ, so in the merge a receiver may come before its sender, or after what
 * that did next; with equal stamps that is common. Such a share is looked for among the last LATE
 * requests, or waits for its sender, if they are no further apart than this.
 */
#define SKEW_NS UINT64_C(10000000)
#define LATE 16

struct late {
	struct x86_request req;
	uint64_t closed_ns;
};

/* A receiver's event whose sender is not known yet. */
struct early {
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
	struct flush *waiting; /* [WAITING]; NULL until it is needed */
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
	struct early early;
};

struct x86_join {
	struct x86_join_env env;
	struct x86_cpu *cpus;
	uint32_t *sending; /* CPUs whose request was sent and is open */
	uint32_t n_sending;
	struct late late[LATE]; /* a ring */
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

static void forget_task(struct x86_join *x, struct x86_task *task)
{
	HASH_DEL(x->tasks, task);
	free(task->waiting);
	free(task);
}

void x86_join_free(struct x86_join *x)
{
	struct x86_task *task;

	if (!x)
		return;
	task = x->tasks;
	HASH_CLEAR(hh, x->tasks);
	while (task) {
		struct x86_task *next = task->hh.next;

		free(task->waiting);
		free(task);
		task = next;
	}
	x86_csds_free(x->csds);
	free(x->cpus);
	free(x->sending);
	free(x);
}

const struct x86_strays *x86_join_strays(const struct x86_join *x)
{
	return &x->strays;
}

static struct x86_task *find_task(const struct x86_join *x, int32_t tid)
{
	struct x86_task *task;

	HASH_FIND_INT(x->tasks, &tid, task);
	return task;
}

static struct x86_task *get_task(struct x86_join *x, int32_t tid)
{
	struct x86_task *task = find_task(x, tid);

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->tid = tid;
	HASH_ADD_INT(x->tasks, tid, task);
	return task;
}

static bool emit(struct x86_join *x, const struct flush *f)
{
	return x->env.flush(x->env.arg, f);
}

static bool release(struct x86_join *x, struct x86_task *task)
{
	bool ok = true;

	for (unsigned i = 0; i < task->n && ok; i++)
		ok = emit(x, &task->waiting[i]);
	task->n = 0;
	task->fresh = 0;
	task->all_told = false;
	return ok;
}

static bool wait_for_task(struct x86_join *x, struct x86_task *task, const struct flush *f)
{
	if (!task->waiting)
		task->waiting = calloc(WAITING, sizeof(*task->waiting));
	if (!task->waiting)
		return false;
	if (task->n == WAITING) {
		if (!emit(x, &task->waiting[0]))
			return false;
		memmove(&task->waiting[0], &task->waiting[1],
			(WAITING - 1) * sizeof(task->waiting[0]));
		task->n--;
		task->fresh -= task->fresh > 0;
	}
	task->waiting[task->n++] = *f;
	return true;
}

static enum flush_entry entry_of(const struct flush *f)
{
	if (f->x86.batch)
		return ENTRY_ALL;
	if (f->x86.whole || f->cause == CAUSE_FORK)
		return ENTRY_MM;
	return f->is_told ? ENTRY_RANGE : ENTRY_UNKNOWN;
}

/* The mm of the initiator; where that flushed another's (kswapd, ptrace), of its receivers. */
static bool attach_mm(struct x86_join *x, struct x86_request *req, const struct task *task)
{
	struct flush *f = &req->f;
	bool own = f->cause != CAUSE_KTHREAD && (req->own != X86_NONE || req->receiver_tgid < 0);
	int32_t tgid = own ? task->tgid : req->receiver_tgid;
	const struct task *leader;

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

static bool hand_out(struct x86_join *x, struct x86_request *req)
{
	x86_request_finish(req, x->ipi_events, x->csd_events);
	req->f.entry = entry_of(&req->f);
	return emit(x, &req->f);
}

/* Hands out the oldest of those that are late. */
static bool expire_late(struct x86_join *x)
{
	struct late *oldest = &x->late[x->first_late];

	x->first_late = (x->first_late + 1) % LATE;
	x->n_late--;
	return hand_out(x, &oldest->req);
}

static bool hold_late(struct x86_join *x, const struct x86_request *req, uint64_t now_ns)
{
	struct late *late;

	if (x->n_late == LATE && !expire_late(x))
		return false;
	late = &x->late[(x->first_late + x->n_late) % LATE];
	*late = (struct late){ *req, now_ns };
	late->req.open = true; /* to receivers */
	x->n_late++;
	return true;
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
	waiting = get_task(x, req->f.tid);
	if (!task || !waiting)
		return false;
	cause_of_task(&req->f, task);
	if (!attach_mm(x, req, task))
		return false;
	if (req->sent != X86_NONE && req->f.context != CONTEXT_OUTSIDE)
		return hold_late(x, req, now_ns);
	/* The end of a call is perhaps not recorded: exit tells of its flush all the same. */
	if ((req->f.context == CONTEXT_CALL && !(req->f.asked && req->f.told.fullmm)) ||
	    req->f.cause == CAUSE_KTHREAD)
		return hand_out(x, req);
	x86_request_finish(req, x->ipi_events, x->csd_events);
	req->f.entry = entry_of(&req->f);
	return wait_for_task(x, waiting, &req->f);
}

/*
 * The other CPUs that the mm's mask can name: all that are not known to have left it. since_ns: when
 * the mm's last request was made.
 */
static void count_mask(const struct x86_join *x, struct x86_request *req, uint64_t since_ns)
{
	uint32_t mask = 0;

	for (uint32_t c = 0; c < x->env.n_cpus; c++) {
		const struct x86_cpu *cpu = &x->cpus[c];

		if (c == req->f.cpu)
			continue;
		mask += !x->switch_events || cpu->loaded < 0 || cpu->loaded == req->tgid;
		req->running += cpu->running < 0 || cpu->running == req->tgid;
		req->certain += cpu->running == req->tgid;
		req->steady += cpu->running == req->tgid && cpu->switched_ns < since_ns;
	}
	req->f.x86.mask_max = mask;
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

static struct x86_request *begin_request(struct x86_join *x, const struct event *ev, bool batch)
{
	struct x86_request *req = &x->cpus[ev->cpu].req;
	struct x86_task *own;
	struct task *task;

	if (!finish_request(x, ev->cpu, ev->time_ns))
		return NULL;
	task = task_get(x->env.tasks, ev->tid, ev->tgid);
	own = get_task(x, ev->tid);
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

static void take_share(struct x86_request *req, const struct event *ev, int32_t tgid,
		       bool interrupted)
{
	x86_take_share(req, ev->cpu, ev->x86.pages, tgid);
	req->interrupted += interrupted;
	if (req->f.end_ns < ev->time_ns)
		req->f.end_ns = ev->time_ns;
}

/* Shares that came before their request. */
static void take_early(struct x86_join *x, struct x86_request *req, uint64_t now_ns)
{
	for (uint32_t c = 0; c < x->env.n_cpus; c++) {
		struct early *early = &x->cpus[c].early;

		if (!early->held || early->ev.time_ns + SKEW_NS < now_ns ||
		    !x86_share_fits(req, c, early->ev.x86.pages, early->tgid))
			continue;
		take_share(req, &early->ev, early->tgid, early->interrupted);
		early->held = false;
	}
}

static void set_sent(struct x86_join *x, struct x86_request *req, const struct event *ev)
{
	req->sent = ev->x86.pages;
	req->f.end_ns = ev->time_ns;
	count_mask(x, req, 0);
	x->sending[x->n_sending++] = ev->cpu;
	take_early(x, req, ev->time_ns);
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
		req = begin_request(x, ev, false);
	if (!req)
		return false;
	set_sent(x, req, ev);
	return true;
}

static bool take_own(struct x86_join *x, const struct event *ev)
{
	bool batch = ev->x86.reason == REASON_LOCAL;
	struct x86_request *req = &x->cpus[ev->cpu].req;
	struct x86_task *task = get_task(x, ev->tid);

	if (!task)
		return false;
	task->user |= !batch;
	if (!x->send_first || !continues(req, ev))
		req = begin_request(x, ev, batch);
	if (!req)
		return false;
	req->f.x86.batch = batch;
	req->f.end_ns = ev->time_ns;
	x86_take_own(req, ev->x86.pages);
	if (req->saw_ipi)
		x->callsite = req->callsite;
	return true;
}

/* A receiver's share whose request is missing. */
static bool emit_orphan(struct x86_join *x, struct early *early)
{
	const struct event *ev = &early->ev;
	const struct task *task = task_get(x->env.tasks, ev->tid, -1);
	struct x86_request req = {
		.f = { .start_ns = ev->time_ns,
		       .stack = ev->stack,
		       .end_ns = ev->time_ns,
		       .cpu = ev->cpu,
		       .tid = ev->tid,
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
	return req.f.mm && emit(x, &req.f);
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
		struct late *late = &x->late[(x->first_late + i) % LATE];
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

static bool take_remote(struct x86_join *x, const struct event *ev)
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
	cpu->early = (struct early){ true, interrupted, *ev, task->tgid };
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
		return take_remote(x, ev);
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

/* Whether the task is between the announcement of its request and its own share of it. */
static bool is_sending(const struct x86_request *req, const struct event *ev)
{
	return req->open && req->sent != X86_NONE && req->own == X86_NONE &&
	       req->f.tid == ev->tid && !(ev->flags & EVENT_HARDIRQ);
}

static bool take_queued(struct x86_join *x, const struct event *ev)
{
	struct x86_request *req = &x->cpus[ev->cpu].req;

	x->csd_events = true;
	if (!is_sending(req, ev) || req->saw_ipi)
		return true;
	req->queued++;
	return x86_csds_queued(x->csds, ev->csd.csd, ev->cpu);
}

/* The IPIs of the request that the CPU has just announced. */
static void take_ipi(struct x86_join *x, const struct event *ev)
{
	struct x86_request *req = &x->cpus[ev->cpu].req;

	/* Without flush events nothing tells an IPI for a flush from any other. */
	if (x->env.asked)
		return;
	x->ipi_events = true;
	if (!is_sending(req, ev) || req->saw_ipi)
		return;
	if (x->callsite && x->callsite != ev->ipi.callsite)
		return;
	req->saw_ipi = true;
	req->ipis = ev->ipi.targets;
	req->callsite = ev->ipi.callsite;
}

static bool is_user(const struct x86_join *x, const struct task *task)
{
	const struct x86_task *own = find_task(x, task->tid);

	return task->call.known || task->tid != task->tgid || (own && own->user);
}

/* A user task's mm stays loaded, lazily, under the kernel threads that follow it. */
static bool note_loaded(const struct x86_join *x, struct x86_cpu *cpu, int32_t tid)
{
	const struct task *task = task_get(x->env.tasks, tid, -1);

	if (!task)
		return false;
	cpu->running = task->tgid;
	if (is_user(x, task))
		cpu->loaded = task->tgid;
	return true;
}

static bool take_switch(struct x86_join *x, const struct event *ev)
{
	struct x86_cpu *cpu = &x->cpus[ev->cpu];

	x->switch_events = true;
	cpu->switched_ns = ev->time_ns;
	return note_loaded(x, cpu, ev->sw.prev_tid) && note_loaded(x, cpu, ev->sw.next_tid);
}

static uint8_t shift_of(const struct request_record *rec)
{
	uint32_t size = rec->has & REQUEST_HAS_PAGE_SIZE ? rec->page_size : 0;

	if (size < 4096 || (size & (size - 1)))
		return X86_BASE_SHIFT;
	return (uint8_t)__builtin_ctz(size);
}

/* Requests of the mm that may not be over yet: all of them meet. */
static void find_crowd(struct x86_join *x, struct x86_request *req)
{
	for (uint32_t c = 0; c < x->env.n_cpus; c++) {
		struct x86_request *other = &x->cpus[c].req;

		if (other == req || !other->open || other->tgid != req->tgid)
			continue;
		other->f.x86.asked = req->f.x86.asked = X86_ASKED_CROWDED;
	}
}

/* Of the mm of the task that asks. */
static bool take_crew(struct x86_join *x, struct x86_request *req, uint64_t now_ns)
{
	struct x86_task *leader = get_task(x, req->tgid);

	if (!leader)
		return false;
	find_task(x, req->f.tid)->user = true;
	count_mask(x, req, leader->asked_ns);
	leader->asked_ns = now_ns;
	find_crowd(x, req);
	req->f.x86.partial_cpus = 1 + req->steady;
	req->f.x86.full_cpus = req->running - req->steady;
	return true;
}

/* No events will tell what was done: the request stands for it. */
static bool begin_asked(struct x86_join *x, const struct event *ev, bool batch)
{
	struct x86_request *req = begin_request(x, ev, batch);
	const struct task *task = task_get(x->env.tasks, ev->tid, ev->tgid);

	if (!req || !task)
		return false;
	req->f.asked = true;
	req->f.x86.asked = X86_ASKED;
	if (!batch && !cause_is_kthread(task->comm))
		return take_crew(x, req, ev->time_ns);
	/* Whose mms they are is not known. */
	req->f.x86.mask_max = req->running = x->env.n_cpus - 1;
	req->f.x86.full_cpus = x->env.n_cpus;
	return true;
}

/* A probe on one of the functions that flush. */
static bool take_request(struct x86_join *x, const struct event *ev)
{
	const struct request_record *rec = &ev->request;
	struct x86_task *task;

	if (rec->fn == REQUEST_X86_KERNEL)
		x->strays.kernel_requests++;
	if (rec->fn == REQUEST_X86_BATCH && x->env.asked)
		return begin_asked(x, ev, true);
	if (rec->fn != REQUEST_X86_RANGE)
		return true;
	task = get_task(x, ev->tid);
	if (!task)
		return false;
	task->told = (struct told){
		.fresh = true,
		.has_range = rec->has & REQUEST_HAS_RANGE,
		.tables = !(rec->has & REQUEST_HAS_PWC) || rec->pwc,
		.fullmm = (rec->has & REQUEST_HAS_RANGE) && rec->end == ADDRESS_ALL,
		.shift = shift_of(rec),
		.outer = rec->fn,
		.inner = rec->fn,
		.start = rec->start,
		.end = rec->end,
		.time_ns = ev->time_ns,
	};
	if (task->told.fullmm) {
		task->all_told = true;
		task->fresh = task->n;
	}
	return !x->env.asked || begin_asked(x, ev, false);
}

/*
 * exec replaces the mm, then moves the new stack (some pages, then freed tables: everything), then
 * says so. Where probes saw the old mm's end, all that follows is the new one's.
 */
static bool blame_exec(struct x86_join *x, struct x86_task *task, int32_t tgid)
{
	unsigned first = task->all_told ? task->fresh : task->n;
	struct mm *mm;

	mm_process_left(x->env.mms, tgid);
	if (!task->all_told && task->n >= 2 && task->waiting[task->n - 1].x86.full_cpus &&
	    task->waiting[task->n - 2].x86.partial_cpus)
		first = task->n - 2;
	if (first == task->n)
		return true;
	mm = mm_of_process(x->env.mms, tgid, task->waiting[first].comm);
	for (unsigned i = first; i < task->n; i++) {
		task->waiting[i].cause = CAUSE_EXEC;
		task->waiting[i].mm = mm;
	}
	return mm;
}

/* dup_mmap() flushes the parent's whole mm before the child is announced. */
static void blame_fork(struct x86_task *task)
{
	for (unsigned i = task->n; i > 0; i--) {
		struct flush *f = &task->waiting[i - 1];

		bool all = f->x86.full_cpus || f->x86.whole;

		if (all && !f->x86.batch && !f->x86.pages) {
			f->cause = CAUSE_FORK;
			f->entry = entry_of(f);
			return;
		}
	}
}

/*
 * The last user of an mm has left it before it flushes it all: it is lazy on it, or has another.
 * Which of its requests that was, exec or exit tell afterwards.
 */
static void blame_teardown(struct x86_task *task)
{
	for (unsigned i = 0; i < task->n; i++) {
		struct flush *f = &task->waiting[i];

		if (f->x86.asked && f->x86.whole && !f->x86.batch) {
			f->x86.full_cpus += f->x86.partial_cpus - 1;
			f->x86.partial_cpus = 0;
		}
	}
}

static void blame_faults(struct x86_task *task)
{
	for (unsigned i = 0; i < task->n; i++) {
		struct flush *f = &task->waiting[i];

		if (f->cause == CAUSE_UNKNOWN && f->context == CONTEXT_OUTSIDE && f->x86.partial_cpus)
			f->cause = CAUSE_FAULT;
	}
}

/* What the task does next tells what its last flushes outside of calls were for. */
static bool settle_task(struct x86_join *x, const struct event *ev)
{
	struct x86_task *task = get_task(x, ev->tid);
	const struct task *known = task_get(x->env.tasks, ev->tid, ev->tgid);
	bool ok = true;

	if (!task || !known)
		return false;
	if (ev->kind == EVENT_EXEC)
		ok = blame_exec(x, task, known->tgid);
	else if (ev->kind == EVENT_NEWTASK && !(ev->task.flags & CLONE_VM))
		blame_fork(task);
	if (ev->kind == EVENT_EXEC || ev->kind == EVENT_EXIT)
		blame_teardown(task);
	blame_faults(task);
	task->told.fresh = false;
	if (ev->kind == EVENT_SYS_ENTER)
		task->call_flushed = false;
	task->user |= ev->kind != EVENT_NEWTASK && ev->kind != EVENT_EXIT;
	ok = ok && release(x, task);
	if (ev->kind == EVENT_EXIT)
		forget_task(x, task);
	return ok;
}

static bool begin_task(struct x86_join *x, const struct event *ev)
{
	const struct x86_task *parent = find_task(x, ev->tid);
	bool user = parent && parent->user;
	struct x86_task *child = get_task(x, ev->task.tid);

	if (!child || !release(x, child))
		return false;
	child->user = user;
	if (!(ev->task.flags & CLONE_THREAD))
		mm_process_left(x->env.mms, ev->task.tid);
	return true;
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
		return take_switch(x, ev);
	case EVENT_REQUEST:
		return take_request(x, ev);
	case EVENT_IPI_SEND:
		take_ipi(x, ev);
		return true;
	case EVENT_IPI_RECV:
		cpu->interrupted = true;
		return true;
	case EVENT_CSD_QUEUE:
		return take_queued(x, ev);
	case EVENT_CSD_RUN:
		cpu->caller = x86_csds_sender(x->csds, ev->csd.csd);
		return true;
	case EVENT_NEWTASK:
		return begin_task(x, ev);
	default:
		return true;
	}
}

bool x86_join_event(struct x86_join *x, const struct event *ev)
{
	while (x->n_late && x->late[x->first_late].closed_ns + SKEW_NS < ev->time_ns)
		if (!expire_late(x))
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
	if (cause_is_over(ev) && !settle_task(x, ev))
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
		hold_mm(&x->late[(x->first_late + i) % LATE].req.f);
}

bool x86_join_finish(struct x86_join *x)
{
	for (uint32_t c = 0; c < x->env.n_cpus; c++)
		if (!finish_request(x, c, UINT64_MAX))
			return false;
	while (x->n_late)
		if (!expire_late(x))
			return false;
	for (uint32_t c = 0; c < x->env.n_cpus; c++)
		if (x->cpus[c].early.held && !emit_orphan(x, &x->cpus[c].early))
			return false;
	for (struct x86_task *task = x->tasks; task; task = task->hh.next) {
		blame_faults(task);
		if (!release(x, task))
			return false;
	}
	return true;
}
