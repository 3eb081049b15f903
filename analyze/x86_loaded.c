/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_loaded.c - the CPUs that an mm's mask can name. */
#include "analyze/x86_state.h"

void x86_loaded_count(const struct x86_join *x, struct x86_request *req, uint64_t since_ns)
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

static bool is_user(const struct x86_join *x, const struct task *task)
{
	const struct x86_task *own = x86_task_find(x, task->tid);

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

bool x86_loaded_switch(struct x86_join *x, const struct event *ev)
{
	struct x86_cpu *cpu = &x->cpus[ev->cpu];

	x->switch_events = true;
	cpu->switched_ns = ev->time_ns;
	return note_loaded(x, cpu, ev->sw.prev_tid) && note_loaded(x, cpu, ev->sw.next_tid);
}
