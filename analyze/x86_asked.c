/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_asked.c - requests that probes saw: what a flush was asked for, or all that is known of it. */
#include "analyze/cause.h"
#include "analyze/geometry.h"
#include "analyze/x86_state.h"

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
	struct x86_task *leader = x86_task_get(x, req->tgid);

	if (!leader)
		return false;
	x86_task_find(x, req->f.tid)->user = true;
	x86_loaded_count(x, req, leader->asked_ns);
	leader->asked_ns = now_ns;
	find_crowd(x, req);
	req->f.x86.partial_cpus = 1 + req->steady;
	req->f.x86.full_cpus = req->running - req->steady;
	return true;
}

/* No events will tell what was done: the request stands for it. */
static bool begin_asked(struct x86_join *x, const struct event *ev, bool batch)
{
	struct x86_request *req = x86_join_begin(x, ev, batch);
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

bool x86_asked_request(struct x86_join *x, const struct event *ev)
{
	const struct request_record *rec = &ev->request;
	struct x86_task *task;

	if (rec->fn == REQUEST_X86_KERNEL)
		x->strays.kernel_requests++;
	if (rec->fn == REQUEST_X86_BATCH && x->env.asked)
		return begin_asked(x, ev, true);
	if (rec->fn != REQUEST_X86_RANGE)
		return true;
	task = x86_task_get(x, ev->tid);
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
