/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_request.h - the request that one CPU of an x86 machine is making: what its events say of it,
 * and which events can belong to it.
 */
#ifndef TLBTRACE_X86_REQUEST_H
#define TLBTRACE_X86_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/flush.h"

#define X86_BASE_SHIFT 12
#define X86_CPUS 4096	   /* receivers with a higher number are not told apart */
#define X86_NONE INT64_MIN /* no such event yet */

struct x86_request {
	bool open;
	struct flush f;	  /* its .x86 is complete after x86_request_finish only */
	int32_t tgid;	  /* of the task that makes it */
	int64_t sent;	  /* reason 4: 4K pages, -1 everything */
	int64_t own;	  /* reason 2 or 3: pages of the stride, -1 everything, 0 nothing to do */
	int64_t received; /* reason 1: the pages that receivers flushed one by one */
	uint32_t receivers;
	uint32_t interrupted;  /* of them: certainly by an IPI of this request */
	int32_t receiver_tgid; /* of one of them; -1 none */
	bool call_first;       /* the first flush since its task entered a call */
	bool freed_known; /* a probe told whether page tables are freed with it, and they are not */
	uint32_t running; /* other CPUs that may have run a task of the mm when it was sent */
	uint32_t certain; /* of them: those that a switch showed */
	uint32_t steady;  /* of those: not switched since the mm's last request */
	uint32_t queued;  /* calls put into other CPUs' queues, where csd:* events tell */
	bool saw_ipi;
	uint32_t ipis; /* targets of the ipi:* event */
	uint64_t callsite;
	uint64_t seen[X86_CPUS / 64]; /* receivers, by CPU */
};

/* True where the initiator's own flush of `own` pages can be the one sent for `sent` 4K pages. */
bool x86_sizes_agree(int64_t own, int64_t sent);

/*
 * How well a receiver's event fits: 0 not at all, more is better. tgid: of the task that the
 * receiver was running.
 */
unsigned x86_share_fits(const struct x86_request *req, uint32_t cpu, int64_t pages, int32_t tgid);

/* The initiator's, or a receiver's, event becomes part of the request. */
void x86_take_own(struct x86_request *req, int64_t pages);
void x86_take_share(struct x86_request *req, uint32_t cpu, int64_t pages, int32_t tgid);

/*
 * The initiator ran the receivers' function as well, behind its own flush: v4.20 to v5.12 send by
 * on_each_cpu_cond_mask(). Mostly nothing is left to do (pages 0). False where it is no such event.
 */
bool x86_take_again(struct x86_request *req, int64_t pages);

/* No more events will come: fills .f.x86. *_events: the trace has ipi:*, csd:* events. */
void x86_request_finish(struct x86_request *req, bool ipi_events, bool csd_events);

/* Which function was entered for it, as far as its events and cause tell. */
enum flush_entry x86_flush_entry(const struct flush *f);

#endif
