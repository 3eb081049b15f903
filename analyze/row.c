/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.c - flushes become rows, one request each. */
#include "analyze/row.h"

#include "analyze/split.h"

#define ROW_END_KEY(id, key) [id] = key,
const char *const row_end_keys[ROW_ENDS] = { ROW_ENDS_X(ROW_END_KEY) };

static enum row_end end_by_run(enum run_end by)
{
	switch (by) {
	case RUN_END_FIXUP:
		return ROW_END_FIXUP;
	case RUN_END_SYSCALL:
	case RUN_END_TASK:
		return ROW_END_SYSCALL;
	case RUN_END_SWITCH:
		return ROW_END_SWITCH;
	case RUN_END_REQUEST:
		return ROW_END_TOLD;
	default:
		return ROW_END_NONE;
	}
}

static uint64_t records_in(const struct tally *t)
{
	return t->n[COUNT_TLBIE] + t->n[COUNT_TLBIEL];
}

static void give_pages(struct row *row, uint64_t addr, uint64_t pages, unsigned shift)
{
	row->has_range = true;
	row->shift = shift;
	row->start = addr;
	row->pages = pages;
	row->end = addr + (pages << shift);
}

/* What a flush of the whole PID, or a hypervisor call, had been asked for. */
static void give_asked(struct row *row, const struct class_key *k, const struct row_context *ctx)
{
	const struct told *told = &row->flush->told;

	if (k->told && k->pages) {
		give_pages(row, told->start, k->pages, k->shift);
		row->end = told->end;
	}
	if (row->known != KNOWN_CENSORED)
		return;
	row->pages_min = k->shape == SHAPE_HCALL ? 1 : split_longest(k, ctx->recorded) + 1;
	row->pages_max = k->pages_max;
}

/* The flush as one row. */
static struct row whole_row(const struct flush *f, const struct class_key *k,
			    const struct row_context *ctx, enum flush_known known)
{
	struct row row = {
		.flush = f,
		.time_ns = f->start_ns,
		.end_ns = f->end_ns,
		.record = f->record,
		.known = known,
		.ended_by = end_by_run(f->ended_by),
		.recorded = flush_recorded(f),
	};

	row.records = records_in(&row.recorded);
	if (f->shape == SHAPE_VA)
		give_pages(&row, f->addr, f->pages, f->shift);
	else if (f->shape == SHAPE_PID || f->shape == SHAPE_ALL || f->shape == SHAPE_HCALL)
		give_asked(&row, k, ctx);
	return row;
}

/* Pages [from, from + n) of a flush that is several requests. */
static struct row part_row(const struct flush *f, uint64_t from, uint64_t n, enum flush_known known,
			   enum cut cut)
{
	struct flush part = *f;
	struct row row = {
		.flush = f,
		.time_ns = f->start_ns,
		.end_ns = f->end_ns,
		.known = known,
	};

	part.pages = n;
	part.pwc = f->pwc && from == 0;
	row.recorded = flush_recorded(&part);
	row.records = records_in(&row.recorded);
	row.record = f->record + from + (f->pwc && from > 0);
	if (f->times && from > 0)
		row.time_ns = f->times[from];
	if (f->times && from + n < f->pages)
		row.end_ns = f->times[from + n - 1];
	give_pages(&row, f->addr + (from << f->shift), n, f->shift);
	if (from + n == f->pages)
		row.ended_by = end_by_run(f->ended_by);
	else
		row.ended_by = cut == CUT_SINGLES ? ROW_END_NONE : ROW_END_PMD;
	return row;
}

/* What time says of pages [from, from + n) of f; it changes nothing but these words. */
static void note_gaps(struct row *row, const struct row_context *ctx, uint64_t from, uint64_t n)
{
	const struct flush *f = row->flush;
	uint64_t limit = ctx->gaps ? gap_limit(&ctx->gaps[f->cpu]) : UINT64_MAX;

	if (!f->times || limit == UINT64_MAX)
		return;
	for (uint64_t i = from + 1; i < from + n; i++)
		row->gaps += f->times[i] - f->times[i - 1] >= limit;
	if (from + n < f->pages && row->ended_by == ROW_END_NONE &&
	    f->times[from + n] - f->times[from + n - 1] >= limit)
		row->ended_by = ROW_END_GAP;
}

bool rows_of(const struct flush *f, const struct row_context *ctx, row_fn fn, void *arg)
{
	const struct call_evidence *calls;
	struct class_key k;
	struct split split;
	struct pieces pieces;
	struct row row;
	uint64_t from = 0;

	class_key_of(&k, f, ctx->base_shift);
	calls = class_calls(ctx->classes, k.mm, (enum flush_cause)k.cause);
	if (!k.may_hide) {
		row = whole_row(f, &k, ctx, split_known(&k, ctx->recorded, calls));
		return fn(arg, &row);
	}
	split = split_of(&k, ctx->recorded, calls);
	pieces = split_cut(&k, split.likely, split_longest(&k, ctx->recorded));
	for (unsigned i = 0; i < pieces.n; i++) {
		for (uint64_t time = 0; time < pieces.p[i].times; time++) {
			row = part_row(f, from, pieces.p[i].pages, split.known, split.likely);
			note_gaps(&row, ctx, from, pieces.p[i].pages);
			from += pieces.p[i].pages;
			if (!fn(arg, &row))
				return false;
		}
	}
	return true;
}
