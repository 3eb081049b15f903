/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep.c - predictions over a range of ceilings. */
#include "replay/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "replay/kinds.h"
#include "replay/stateful.h"

int sweep_parse(struct sweep_range *range, const char *text, struct error *err)
{
	const char *value = strchr(text, '=');
	char *end;

	if (value && strncmp(text, "ceiling=", 8) == 0)
		range->which = PARAM_CEILING;
	else if (value && strncmp(text, "local-ceiling=", 14) == 0)
		range->which = PARAM_LOCAL_CEILING;
	else
		return error_set(err, ERROR_USAGE,
				 "--sweep=%s: must be ceiling=FROM:TO[:STEP] or "
				 "local-ceiling=FROM:TO[:STEP]",
				 text);
	range->step = 1;
	range->from = strtoull(value + 1, &end, 10);
	if (end == value + 1 || *end != ':')
		goto bad;
	value = end;
	range->to = strtoull(value + 1, &end, 10);
	if (end == value + 1 || (*end && *end != ':'))
		goto bad;
	value = end;
	if (*end == ':') {
		range->step = strtoull(value + 1, &end, 10);
		if (end == value + 1 || *end)
			goto bad;
	}
	if (strchr(text, '-') && strchr(text, '-') > strchr(text, '='))
		goto bad;
	if (range->step == 0 || range->from > range->to)
		goto bad;
	if ((range->to - range->from) / range->step >= SWEEP_MAX_ROWS)
		return error_set(err, ERROR_USAGE, "--sweep=%s: more than %u values", text,
				 SWEEP_MAX_ROWS);
	return 0;
bad:
	return error_set(err, ERROR_USAGE,
			 "--sweep=%s: FROM:TO[:STEP] must be numbers with FROM <= TO and STEP > 0",
			 text);
}

uint64_t sweep_value(const struct sweep *s, size_t row)
{
	return s->range.from + row * s->range.step;
}

static struct counts price(const struct sweep *s, size_t row, const struct kind *kind,
			   const struct model *recorded, const struct params *base)
{
	struct params alt = *base;

	alt.v[s->range.which] = sweep_value(s, row);
	params_name(&alt, s->range.which);
	return predict_class(&kind->like, &alt, recorded, kind->calls);
}

static bool same_counts(const struct counts *a, const struct counts *b)
{
	return memcmp(&a->lo, &b->lo, sizeof(a->lo)) == 0 &&
	       memcmp(&a->likely, &b->likely, sizeof(a->likely)) == 0 &&
	       memcmp(&a->hi, &b->hi, sizeof(a->hi)) == 0 && a->open == b->open;
}

/* What a row has more than the row before, in wrapping arithmetic: sums come out right. */
static void add_step(struct counts *row, const struct counts *now, const struct counts *before,
		     uint64_t times)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		row->lo.n[i] += times * (now->lo.n[i] - before->lo.n[i]);
		row->likely.n[i] += times * (now->likely.n[i] - before->likely.n[i]);
		row->hi.n[i] += times * (now->hi.n[i] - before->hi.n[i]);
	}
}

/*
 * Prices one kind of flush along the rows, halving every stretch whose ends differ: a cost that
 * does not change over a stretch is the same at its ends and in the middle, because as a ceiling
 * rises a flush turns from one cost into another and never back.
 */
struct stretch {
	size_t from;
	size_t to;
	struct counts at_from;
	struct counts at_to;
};

/* No reading is to be preferred in rows (from, to]. */
static void open_rows(struct sweep *s, size_t from, size_t to)
{
	for (size_t row = from + 1; row <= to; row++)
		s->rows[row].open = true;
}

static void price_stretch(struct sweep *s, const struct kind *kind, const struct model *recorded,
			  const struct params *base, const struct stretch *whole)
{
	struct stretch stack[32];
	size_t depth = 0;

	stack[depth++] = *whole;
	while (depth) {
		struct stretch now = stack[--depth];
		struct stretch half = now;
		size_t middle = now.from + (now.to - now.from) / 2;

		if (same_counts(&now.at_from, &now.at_to)) {
			if (now.at_to.open)
				open_rows(s, now.from, now.to);
			continue;
		}
		if (now.to - now.from == 1) {
			s->rows[now.to].open |= now.at_to.open;
			add_step(&s->rows[now.to], &now.at_to, &now.at_from, kind->like.count);
			continue;
		}
		half.to = middle;
		half.at_to = price(s, middle, kind, recorded, base);
		now.from = middle;
		now.at_from = half.at_to;
		stack[depth++] = now;
		stack[depth++] = half;
	}
}

/*
 * The last row at which the cost of such a flush can change: a promoted request of at most so many
 * pages costs the same under every ceiling above, and the recorded ceiling is a case of its own.
 */
static size_t last_change(const struct sweep *s, const struct kind *kind,
			  const struct model *recorded)
{
	uint64_t most = kind->like.key.pages_max;
	uint64_t used = recorded->used.v[s->range.which];
	uint64_t row;

	if (kind->like.key.shape == SHAPE_VA || most >= s->range.to)
		return s->n_rows - 1;
	if (most < used)
		most = used;
	most += 2; /* with ">=" a ceiling is one less, and the row behind it is the first of the rest */
	row = most > s->range.from ? (most - s->range.from) / s->range.step + 1 : 1;
	return row < s->n_rows ? (size_t)row : s->n_rows - 1;
}

/*
 * Where any cut is possible, or a promoted request may have had any length, the bounds go up and
 * down with the ceiling: priced row by row.
 */
static bool is_priced_by_row(const struct kind *kind)
{
	switch ((enum flush_shape)kind->like.key.shape) {
	case SHAPE_VA:
		return kind->split.other == CUT_ANY;
	case SHAPE_PID:
	case SHAPE_ALL:
		return !split_is_fixed(&kind->like.key) &&
		       !(kind->like.key.told && kind->like.key.pages);
	case SHAPE_HCALL:
		return !kind->like.key.told;
	default:
		return false;
	}
}

static void price_each(struct sweep *s, const struct kind *kind, const struct model *recorded,
		       const struct params *base, const struct counts *first)
{
	size_t end = last_change(s, kind, recorded);
	struct counts before = *first;

	for (size_t row = 1; row <= end; row++) {
		struct counts now = price(s, row, kind, recorded, base);

		add_step(&s->rows[row], &now, &before, kind->like.count);
		s->rows[row].open |= now.open;
		before = now;
	}
	for (size_t row = end + 1; row < s->n_rows; row++)
		s->rows[row].open |= before.open;
}

static void price_kind(struct sweep *s, const struct kind *kind, const struct model *recorded,
		       const struct params *base)
{
	size_t last = s->n_rows - 1;
	struct stretch whole = { .from = 0, .to = last };
	static const struct counts nothing;

	whole.at_from = price(s, 0, kind, recorded, base);
	add_step(&s->rows[0], &whole.at_from, &nothing, kind->like.count);
	s->rows[0].open |= whole.at_from.open;
	if (last == 0)
		return;
	if (is_priced_by_row(kind)) {
		price_each(s, kind, recorded, base, &whole.at_from);
		return;
	}
	whole.at_to = price(s, last, kind, recorded, base);
	price_stretch(s, kind, recorded, base, &whole);
}

/* Turns what each row has more than the one before into the row's own counts. */
static void sum_rows(struct sweep *s)
{
	static const struct counts nothing;

	for (size_t row = 1; row < s->n_rows; row++)
		add_step(&s->rows[row], &s->rows[row - 1], &nothing, 1);
}

/* Where the mask changes, kinds of flush that cost the same no longer do: row by row. */
static int predict_rows(struct sweep *s, const struct trace *t, const struct model *recorded,
			const struct params *base, predict_filter filter, void *arg)
{
	struct params alt = *base;
	struct prediction p;

	for (size_t row = 0; row < s->n_rows; row++) {
		alt.v[s->range.which] = sweep_value(s, row);
		params_name(&alt, s->range.which);
		if (predict(&p, t, recorded, &alt, filter, arg))
			return -1;
		s->rows[row] = p.total;
		prediction_free(&p);
	}
	return 0;
}

static int make_rows(struct sweep *out, const struct sweep_range *range)
{
	*out = (struct sweep){ .range = *range };
	out->n_rows = (size_t)((range->to - range->from) / range->step) + 1;
	out->rows = calloc(out->n_rows, sizeof(*out->rows));
	return out->rows ? 0 : -1;
}

int sweep_kinds(struct sweep *out, const struct kinds *kinds, const struct model *recorded,
		const struct params *base, const struct sweep_range *range)
{
	if (make_rows(out, range))
		return -1;
	for (size_t i = 0; i < kinds->n; i++)
		price_kind(out, &kinds->kind[i], recorded, base);
	sum_rows(out);
	return 0;
}

int sweep_run(struct sweep *out, const struct trace *t, const struct model *recorded,
	      const struct params *base, const struct sweep_range *range, predict_filter filter,
	      void *arg)
{
	struct kinds kinds;
	int status;

	if (stateful_decides(base, recorded)) {
		if (make_rows(out, range))
			return -1;
		status = predict_rows(out, t, recorded, base, filter, arg);
		if (status)
			sweep_free(out);
		return status;
	}
	*out = (struct sweep){ .range = *range };
	if (kinds_find(&kinds, t, recorded, filter, arg))
		return -1;
	status = sweep_kinds(out, &kinds, recorded, base, range);
	kinds_free(&kinds);
	return status;
}

void sweep_free(struct sweep *s)
{
	free(s->rows);
	*s = (struct sweep){ .n_rows = 0 };
}

void sweep_best(const struct sweep *s, enum counter counter, size_t *first, size_t *last)
{
	*first = 0;
	for (size_t row = 1; row < s->n_rows; row++)
		if (s->rows[row].hi.n[counter] < s->rows[*first].hi.n[counter])
			*first = row;
	*last = *first;
	while (*last + 1 < s->n_rows &&
	       s->rows[*last + 1].hi.n[counter] == s->rows[*first].hi.n[counter])
		++*last;
}

static uint64_t jump(const struct sweep *s, enum counter counter, size_t row)
{
	uint64_t a = s->rows[row - 1].likely.n[counter];
	uint64_t b = s->rows[row].likely.n[counter];

	return a > b ? a - b : b - a;
}

size_t sweep_knees(const struct sweep *s, enum counter counter, size_t *rows, size_t max)
{
	uint64_t least = UINT64_MAX;
	uint64_t most = 0;
	size_t n = 0;

	for (size_t row = 0; row < s->n_rows; row++) {
		uint64_t value = s->rows[row].likely.n[counter];

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	for (size_t row = 1; row < s->n_rows; row++) {
		uint64_t size = jump(s, counter, row);
		size_t at = n < max ? n : max;

		if (size == 0 || size < (most - least) / 100)
			continue;
		while (at > 0 && jump(s, counter, rows[at - 1]) < size) {
			if (at < max)
				rows[at] = rows[at - 1];
			at--;
		}
		if (at < max)
			rows[at] = row;
		n += n < max;
	}
	return n;
}
