/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep.c - predictions over a range of ceilings. */
#include "replay/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "replay/stateful.h"
#include "replay/sweep_price.h"

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

/* sum += rows * slope. */
static void climb(struct sweep_line *sum, const struct sweep_line *slope, uint64_t rows)
{
	for (size_t end = 0; end < 3; end++)
		for (size_t i = 0; i < COUNTERS; i++)
			sum->n[end][i] += rows * slope->n[end][i];
}

const struct sweep_piece *sweep_piece(const struct sweep *s, size_t row)
{
	size_t low = 0;
	size_t high = s->n_pieces;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->pieces[middle].row <= row)
			low = middle;
		else
			high = middle;
	}
	return &s->pieces[low];
}

size_t sweep_last(const struct sweep *s, const struct sweep_piece *piece)
{
	return piece + 1 == s->pieces + s->n_pieces ? s->n_rows - 1 : piece[1].row - 1;
}

static struct sweep_line line_at(const struct sweep_piece *piece, size_t row)
{
	struct sweep_line line = piece->at;

	climb(&line, &piece->slope, row - piece->row);
	return line;
}

struct counts sweep_row(const struct sweep *s, size_t row)
{
	const struct sweep_piece *piece = sweep_piece(s, row);
	struct sweep_line line = line_at(piece, row);
	struct counts n = { .open = piece->open };

	memcpy(n.lo.n, line.n[0], sizeof(n.lo.n));
	memcpy(n.likely.n, line.n[1], sizeof(n.likely.n));
	memcpy(n.hi.n, line.n[2], sizeof(n.hi.n));
	return n;
}

struct sweep_cell sweep_cell(const struct sweep_piece *piece, size_t row, enum counter counter)
{
	uint64_t rows = row - piece->row;

	return (struct sweep_cell){
		.lo = piece->at.n[0][counter] + rows * piece->slope.n[0][counter],
		.likely = piece->at.n[1][counter] + rows * piece->slope.n[1][counter],
		.hi = piece->at.n[2][counter] + rows * piece->slope.n[2][counter],
	};
}

void sweep_add(struct sweep *s, const struct counts *n)
{
	struct sweep_line line = sweep_line(n);

	for (size_t i = 0; i < s->n_pieces; i++)
		climb(&s->pieces[i].at, &line, 1);
}

struct sweep_line sweep_line(const struct counts *n)
{
	struct sweep_line line;

	memcpy(line.n[0], n->lo.n, sizeof(n->lo.n));
	memcpy(line.n[1], n->likely.n, sizeof(n->likely.n));
	memcpy(line.n[2], n->hi.n, sizeof(n->hi.n));
	return line;
}

/* The piece that begins with a change, behind the one before; *open kinds have no likely reading. */
static void make_piece(struct sweep_piece *piece, const struct sweep_piece *before, size_t row,
		       const struct sweep_change *change, uint64_t *open)
{
	*piece = (struct sweep_piece){ .row = row };
	if (before) {
		piece->at = line_at(before, row);
		piece->slope = before->slope;
	}
	climb(&piece->at, &change->step, 1);
	climb(&piece->slope, &change->slope, 1);
	*open += change->open;
	piece->open = *open != 0;
}

/* The sum of all changes, from the first row on. */
static int join_pieces(struct sweep *s, const struct sweep_changes *c)
{
	static const struct sweep_change nothing;
	uint64_t open = 0;

	s->pieces = reallocarray(NULL, c->n + 1, sizeof(*s->pieces));
	if (!s->pieces)
		return -1;
	for (size_t row = 0; row < c->n_rows; row++) {
		struct sweep_piece *piece = &s->pieces[s->n_pieces];

		if (row > 0 && c->at[row] == 0)
			continue;
		make_piece(piece, row ? piece - 1 : NULL, row,
			   c->at[row] ? &c->change[c->at[row] - 1] : &nothing, &open);
		s->n_pieces++;
	}
	return 0;
}

int sweep_kinds(struct sweep *out, const struct kinds *kinds, const struct model *recorded,
		const struct params *base, const struct sweep_range *range)
{
	struct sweep_changes changes;
	int status = sweep_price(&changes, kinds, recorded, base, range);

	*out = (struct sweep){ .range = *range, .n_rows = changes.n_rows };
	if (status == 0)
		status = join_pieces(out, &changes);
	sweep_changes_free(&changes);
	if (status)
		sweep_free(out);
	return status;
}

int sweep_run(struct sweep *out, const struct trace *t, const struct model *recorded,
	      const struct params *base, const struct sweep_range *range, predict_filter filter,
	      void *arg)
{
	struct kinds kinds;
	int status;

	if (kinds_find(&kinds, t, recorded, filter, arg))
		return -1;
	status = sweep_kinds(out, &kinds, recorded, base, range);
	kinds_free(&kinds);
	return status;
}

void sweep_free(struct sweep *s)
{
	free(s->pieces);
	*s = (struct sweep){ .n_rows = 0 };
}

static bool falls(const struct sweep_piece *piece, enum counter counter)
{
	return (int64_t)piece->slope.n[2][counter] < 0;
}

/* The last row of those from `row` on that have as much by the upper end. */
static size_t last_equal(const struct sweep *s, size_t row, enum counter counter)
{
	const struct sweep_piece *piece = sweep_piece(s, row);
	uint64_t hi = sweep_cell(piece, row, counter).hi;

	for (;;) {
		size_t end = sweep_last(s, piece);

		if (piece->slope.n[2][counter] && end > row)
			return row;
		row = end;
		if (row + 1 == s->n_rows || (++piece)->at.n[2][counter] != hi)
			return row;
		row = piece->row;
	}
}

void sweep_best(const struct sweep *s, enum counter counter, size_t *first, size_t *last)
{
	uint64_t least = UINT64_MAX;

	*first = 0;
	for (size_t i = 0; i < s->n_pieces; i++) {
		const struct sweep_piece *piece = &s->pieces[i];
		size_t row = falls(piece, counter) ? sweep_last(s, piece) : piece->row;
		uint64_t hi = sweep_cell(piece, row, counter).hi;

		if (i == 0 || hi < least) {
			*first = row;
			least = hi;
		}
	}
	*last = last_equal(s, *first, counter);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* What a row of the piece has more or less than the row before, which is not row 0. */
static uint64_t jump(const struct sweep_piece *piece, enum counter counter, size_t row)
{
	uint64_t slope = piece->slope.n[1][counter];

	if (row > piece->row)
		return (int64_t)slope < 0 ? -slope : slope;
	return distance(sweep_cell(piece - 1, row - 1, counter).likely, piece->at.n[1][counter]);
}

/* The least jump that counts: a hundredth of what lies between the least and the most. */
static uint64_t least_jump(const struct sweep *s, enum counter counter)
{
	uint64_t least = UINT64_MAX;
	uint64_t most = 0;

	for (size_t i = 0; i < s->n_pieces; i++) {
		const struct sweep_piece *piece = &s->pieces[i];
		uint64_t ends[2] = {
			piece->at.n[1][counter],
			sweep_cell(piece, sweep_last(s, piece), counter).likely,
		};

		for (size_t end = 0; end < 2; end++) {
			least = ends[end] < least ? ends[end] : least;
			most = ends[end] > most ? ends[end] : most;
		}
	}
	return (most - least) / 100 ? (most - least) / 100 : 1;
}

/* The largest jumps so far, and one more; of equal ones the first stay. Returns how many. */
static size_t take_jump(const struct sweep *s, enum counter counter, size_t *rows, size_t n,
			size_t max, size_t row, uint64_t size)
{
	size_t at = n;

	while (at > 0 && jump(sweep_piece(s, rows[at - 1]), counter, rows[at - 1]) < size) {
		if (at < max)
			rows[at] = rows[at - 1];
		at--;
	}
	if (at < max)
		rows[at] = row;
	return n + (n < max);
}

size_t sweep_knees(const struct sweep *s, enum counter counter, size_t *rows, size_t max)
{
	uint64_t least = least_jump(s, counter);
	size_t n = 0;

	for (size_t i = 0; i < s->n_pieces; i++) {
		const struct sweep_piece *piece = &s->pieces[i];
		size_t row = piece->row ? piece->row : 1;
		size_t end = sweep_last(s, piece);

		/* On a line all jumps but the first are alike. */
		if (end > piece->row + max)
			end = piece->row + max;
		for (; row <= end; row++) {
			uint64_t size = jump(piece, counter, row);

			if (size >= least)
				n = take_jump(s, counter, rows, n, max, row, size);
		}
	}
	return n;
}
