/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_request.c - the request that one CPU of an x86 machine is making. */
#include "analyze/x86_request.h"

#include "analyze/geometry.h"

/* log2 of 4K pages in a page of the stride: 4K, 2M, 1G. */
static const unsigned strides[] = { 0, 9, 18 };
#define N_STRIDES (sizeof(strides) / sizeof(*strides))

/* The stride at which `own` pages are `sent` 4K pages, or -1. */
static int find_stride(int64_t own, int64_t sent)
{
	for (unsigned i = 0; i < N_STRIDES; i++)
		if (own > 0 && sent > 0 && sent >> strides[i] == own)
			return (int)strides[i];
	return -1;
}

bool x86_sizes_agree(int64_t own, int64_t sent)
{
	/* A CPU that is a generation behind flushes everything; one that is ahead nothing. */
	if (own <= 0)
		return true;
	return find_stride(own, sent) >= 0;
}

static bool was_seen(const struct x86_request *req, uint32_t cpu)
{
	return cpu < X86_CPUS && (req->seen[cpu / 64] >> (cpu % 64) & 1);
}

/* The pages that a CPU flushes if it goes page by page, as far as the request's events tell. */
static int64_t size_of(const struct x86_request *req)
{
	if (req->own > 0)
		return req->own;
	return req->received > 0 ? req->received : 0;
}

static bool pages_fit(const struct x86_request *req, int64_t pages)
{
	int64_t size = size_of(req);

	if (pages <= 0)
		return true;
	return size ? size == pages : find_stride(pages, req->sent) >= 0;
}

unsigned x86_share_fits(const struct x86_request *req, uint32_t cpu, int64_t pages, int32_t tgid)
{
	unsigned fits = 1;

	if (!req->open || req->sent == X86_NONE || cpu == req->f.cpu || was_seen(req, cpu) ||
	    !pages_fit(req, pages))
		return 0;
	/* Everything is what a receiver flushes if asked to, or, seldom, if it was behind. */
	if (pages > 0 || (pages == -1 && req->sent == -1))
		fits += 4;
	if (req->f.x86.batch || tgid == req->tgid || tgid == req->receiver_tgid)
		fits += 2;
	return fits;
}

static void execute(struct x86_share *x86, int64_t pages)
{
	x86->partial_cpus += pages > 0;
	x86->full_cpus += pages == -1;
}

void x86_take_own(struct x86_request *req, int64_t pages)
{
	req->own = pages;
	execute(&req->f.x86, pages);
}

void x86_take_share(struct x86_request *req, uint32_t cpu, int64_t pages, int32_t tgid)
{
	if (cpu < X86_CPUS)
		req->seen[cpu / 64] |= UINT64_C(1) << (cpu % 64);
	req->receivers++;
	req->receiver_tgid = tgid;
	if (pages > 0)
		req->received = pages;
	execute(&req->f.x86, pages);
}

bool x86_take_again(struct x86_request *req, int64_t pages)
{
	if (req->sent == X86_NONE || req->own == X86_NONE || (pages > 0 && pages != size_of(req)))
		return false;
	execute(&req->f.x86, pages);
	return true;
}

/* A probe's range is believed where the events do not deny it. */
static bool told_agrees(const struct x86_request *req)
{
	const struct told *told = &req->f.told;
	uint64_t pages = range_nr(told->start, told->end, told->shift);
	int64_t size = size_of(req);

	if (!req->f.is_told)
		return false;
	if (req->sent > 0 && (uint64_t)req->sent != range_nr(told->start, told->end, X86_BASE_SHIFT))
		return false;
	return size == 0 || (uint64_t)size == pages;
}

/* A call's range bounds what it clears; munmap and mremap also free tables, which widens it. */
static uint64_t bound_of_call(const struct x86_request *req)
{
	const struct flush *f = &req->f;

	if (f->context != CONTEXT_CALL || !req->call_first || !f->call_len ||
	    (f->cause != CAUSE_MPROTECT && f->cause != CAUSE_MADVISE))
		return UINT64_MAX;
	return ((f->call_len - 1) >> X86_BASE_SHIFT) + 1;
}

static void finish_pages(struct x86_request *req)
{
	struct x86_share *x86 = &req->f.x86;
	int64_t size = size_of(req);
	int stride = find_stride(size, req->sent);

	x86->shift = (uint8_t)(X86_BASE_SHIFT + (stride > 0 ? stride : 0));
	req->f.is_told = told_agrees(req);
	if (req->f.is_told) {
		x86->whole = req->f.told.fullmm;
		x86->shift = req->f.told.shift;
		x86->pages = x86->whole ? 0
					: range_nr(req->f.told.start, req->f.told.end, x86->shift);
	} else if (size > 0) {
		x86->pages = (uint64_t)size;
	} else if (req->sent > 0) {
		x86->pages = (uint64_t)req->sent;
	}
	x86->pages_max = x86->pages || x86->whole ? 0 : bound_of_call(req);
}

static void finish_ipis(struct x86_request *req, bool ipi_events, bool csd_events)
{
	struct x86_share *x86 = &req->f.x86;

	if (x86->mask_max < req->receivers)
		x86->mask_max = req->receivers;
	if (ipi_events) {
		/* A target whose queue was not empty got no IPI of its own. */
		x86->ipis_known = true;
		x86->ipis_min = x86->ipis_usual = x86->ipis_max = req->ipis;
		if (x86->mask_max < req->ipis)
			x86->mask_max = req->ipis;
		return;
	}
	x86->ipis_min = req->interrupted;
	x86->ipis_usual = req->receivers;
	x86->ipis_max = req->freed_known ? req->running : x86->mask_max;
	/* A call that is queued interrupts its CPU unless it was about to look at its queue. */
	if (csd_events)
		x86->ipis_max = req->queued;
	if (x86->ipis_max < req->receivers)
		x86->ipis_max = req->receivers;
}

/* Nothing tells which CPUs flushed, but which ran the mm: those are sure to get an IPI. */
static void finish_asked(struct x86_request *req)
{
	struct x86_share *x86 = &req->f.x86;

	x86->ipis_min = x86->ipis_usual = req->certain;
	x86->ipis_max = req->freed_known ? req->running : x86->mask_max;
}

void x86_request_finish(struct x86_request *req, bool ipi_events, bool csd_events)
{
	struct x86_share *x86 = &req->f.x86;

	x86->sent = req->sent != X86_NONE;
	x86->promoted = req->sent == -1 && !x86->batch;
	x86->whole = x86->batch;
	finish_pages(req);
	x86->whole |= x86->batch;
	if (x86->asked)
		finish_asked(req);
	else if (x86->sent)
		finish_ipis(req, ipi_events, csd_events);
	else
		x86->mask_max = 0;
	req->f.is_told &= !x86->batch;
	req->f.ended_by = req->f.is_told ? RUN_END_REQUEST : RUN_END_RECORD;
}

enum flush_entry x86_flush_entry(const struct flush *f)
{
	if (f->x86.batch)
		return ENTRY_ALL;
	if (f->x86.whole || f->cause == CAUSE_FORK)
		return ENTRY_MM;
	return f->is_told ? ENTRY_RANGE : ENTRY_UNKNOWN;
}
