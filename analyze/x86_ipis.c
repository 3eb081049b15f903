/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_ipis.c - the IPIs of a request, where ipi:* or csd:* events tell them. */
#include "analyze/x86_state.h"

/* Whether the task is between the announcement of its request and its own share of it. */
static bool is_sending(const struct x86_request *req, const struct event *ev)
{
	return req->open && req->sent != X86_NONE && req->own == X86_NONE &&
	       req->f.tid == ev->tid && !(ev->flags & EVENT_HARDIRQ);
}

bool x86_ipis_queued(struct x86_join *x, const struct event *ev)
{
	struct x86_request *req = &x->cpus[ev->cpu].req;

	x->csd_events = true;
	if (!is_sending(req, ev) || req->saw_ipi)
		return true;
	req->queued++;
	return x86_csds_queued(x->csds, ev->csd.csd, ev->cpu);
}

/* The IPIs of the request that the CPU has just announced. */
void x86_ipis_sent(struct x86_join *x, const struct event *ev)
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
