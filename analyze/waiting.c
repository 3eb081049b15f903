/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waiting.c - flushes that wait for what their task does next. */
#include "analyze/waiting.h"

#include <stdlib.h>

#include "analyze/geometry.h"

#define ROOM_KEPT 16u /* flushes for which a task keeps the memory */

static void drop_items(struct waiting *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->item[i].f.times);
	w->n = 0;
}

void waiting_free(struct waiting *w)
{
	if (!w)
		return;
	drop_items(w);
	free(w->item);
	free(w);
}

bool waiting_add(struct waiting *w, const struct waiting_flush *item)
{
	if (w->n == w->room) {
		size_t room = w->room ? w->room * 2 : 4;
		struct waiting_flush *grown = reallocarray(w->item, room, sizeof(*grown));

		if (!grown)
			return false;
		w->item = grown;
		w->room = room;
	}
	w->item[w->n++] = *item;
	return true;
}

static bool whole_pid(const struct flush *f)
{
	return f->shape == SHAPE_PID || f->shape == SHAPE_ALL;
}

static bool is_huge(const struct flush *f)
{
	return f->shape == SHAPE_VA && f->shift == PMD_SHIFT;
}

static uint64_t end_of(const struct flush *f)
{
	return f->addr + (f->pages << f->shift);
}

/* Which pages of a run this call had flushed before: from the first such to the last. */
static void find_again(struct waiting_flush *item, const struct spans *seen)
{
	const struct flush *f = &item->f;

	for (uint64_t i = 0; i < f->pages; i++) {
		if (!spans_contain(seen, f->addr + (i << PMD_SHIFT)))
			continue;
		if (item->again == item->again_end)
			item->again = i;
		item->again_end = i + 1;
	}
}

static void mark_repeated(struct waiting *w, const struct flush *f)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct flush *old = &w->item[i].f;

		if (is_huge(old) && old->addr < end_of(f) && f->addr < end_of(old))
			w->item[i].repeated = true;
	}
}

static void note_huge(struct waiting *w, struct waiting_flush *item)
{
	const struct flush *f = &item->f;

	find_again(item, &w->huge);
	if (item->again != item->again_end)
		mark_repeated(w, f);
	spans_add(&w->huge, f->addr, end_of(f));
}

static void note_span(struct waiting *w, struct flush *f)
{
	if (f->shape != SHAPE_VA)
		return;
	if (w->to == 0 || f->addr < w->from)
		w->from = f->addr;
	if (end_of(f) > w->to)
		w->to = end_of(f);
	f->call_span = (w->to - w->from) >> f->shift;
}

bool waiting_note(struct waiting *w, struct waiting_flush *item)
{
	const struct flush *f = &item->f;

	note_span(w, &item->f);
	if (is_huge(f))
		note_huge(w, item);
	if (whole_pid(f)) {
		w->promoted++;
		w->promoted_mm = f->mm;
		return true;
	}
	if (!flush_may_hide_requests(f))
		return false;
	if (!is_huge(f) && f->pages > w->longest)
		w->longest = f->pages;
	return true;
}

void waiting_was_outside(struct waiting *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->item[i].f.context == CONTEXT_UNKNOWN)
			w->item[i].f.context = CONTEXT_OUTSIDE;
}

/* Whole-PID flushes that come later in the call. */
struct later {
	bool ric0;
	bool ric2;
};

static bool is_whole_call(const struct flush *f)
{
	return f->call_len && f->addr == f->call_start && end_of(f) == f->call_start + f->call_len;
}

/*
 * Pages of 2 MiB that the call flushes for the first time: transparent huge pages one by one
 * (flush_pmd_tlb_range), or hugetlb pages at once. A gather flushes the former a second time, or,
 * where another thread unmaps meanwhile, the whole PID. That is also what follows hugetlb pages in
 * mprotect (v6.1); what other calls of the mm showed decides then.
 */
static enum flush_parts parts_of_fresh(const struct waiting_flush *item, const struct later *later)
{
	const struct flush *f = &item->f;

	if (f->cause == CAUSE_MPROTECT && later->ric2)
		return f->mm && f->mm->thp_changed ? PARTS_LIKELY_SINGLES : PARTS_LIKELY_ONE;
	if (item->repeated)
		return PARTS_SINGLES;
	if (f->cause == CAUSE_MADVISE && later->ric2)
		return PARTS_LIKELY_SINGLES;
	if ((f->cause == CAUSE_MUNMAP || f->cause == CAUSE_MADVISE) && is_whole_call(f) &&
	    !later->ric0)
		return PARTS_LIKELY_ONE;
	return PARTS_LIKELY_SINGLES;
}

/* Pages [from, to) of the flush, as a flush of their own. */
static struct flush part_of(const struct flush *f, uint64_t from, uint64_t to)
{
	struct flush part = *f;

	part.addr += from << f->shift;
	part.pages = to - from;
	part.record += from;
	if (f->times) {
		part.times += from;
		part.start_ns = part.times[0];
	}
	if (to < f->pages)
		part.ended_by = RUN_END_RECORD;
	return part;
}

static bool release_part(const struct waiting_flush *item, uint64_t from, uint64_t to,
			 enum flush_parts parts, waiting_fn fn, void *arg)
{
	struct flush part;

	if (from == to)
		return true;
	part = part_of(&item->f, from, to);
	part.parts = parts;
	return fn(arg, &part);
}

static bool release_huge(const struct waiting_flush *item, waiting_fn fn, void *arg)
{
	return release_part(item, 0, item->again, item->fresh, fn, arg) &&
	       release_part(item, item->again, item->again_end, PARTS_ONE, fn, arg) &&
	       release_part(item, item->again_end, item->f.pages, item->fresh, fn, arg);
}

/* Decides what the flushes after each one tell about it. */
static void look_back(struct waiting *w)
{
	struct later later = { 0 };

	for (size_t i = w->n; i > 0; i--) {
		struct waiting_flush *item = &w->item[i - 1];

		if (item->repeated && item->f.cause == CAUSE_MPROTECT && item->f.mm)
			item->f.mm->thp_changed = true;
		item->fresh = parts_of_fresh(item, &later);
		later.ric0 |= item->f.shape == SHAPE_PID;
		later.ric2 |= item->f.shape == SHAPE_ALL;
	}
}

static bool release_one(const struct waiting *w, struct waiting_flush *item, waiting_fn fn,
			void *arg)
{
	struct flush *f = &item->f;

	if (f->context != CONTEXT_CALL)
		return fn(arg, f);
	f->call_done = true;
	if (f->shape == SHAPE_VA)
		f->call_span = (w->to - w->from) >> f->shift;
	if (is_huge(f) && flush_may_hide_requests(f) && !w->huge.full)
		return release_huge(item, fn, arg);
	f->call_longest = w->longest;
	return fn(arg, f);
}

bool waiting_release(struct waiting *w, waiting_fn fn, void *arg)
{
	bool ok = true;

	look_back(w);
	for (size_t i = 0; i < w->n && ok; i++)
		ok = release_one(w, &w->item[i], fn, arg);
	drop_items(w);
	return ok;
}

void waiting_reset(struct waiting *w)
{
	if (w->room > ROOM_KEPT) {
		free(w->item);
		w->item = NULL;
		w->room = 0;
	}
	w->since = 0;
	w->longest = 0;
	w->promoted = 0;
	w->promoted_mm = NULL;
	w->huge.n = 0;
	w->huge.full = false;
	w->from = 0;
	w->to = 0;
}
