/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep.h - one prediction per value of a ceiling, for little more than the cost of one.
 *
 * What a flush costs changes only where a ceiling passes the number of its pages, or grows by the page
 * where its length is open. So the rows are kept as a broken line: each kind of flush is priced where
 * its own cost can have a step or a corner, and a running sum does the rest.
 */
#ifndef TLBTRACE_REPLAY_SWEEP_H
#define TLBTRACE_REPLAY_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/kinds.h"
#include "replay/predict.h"

#define SWEEP_MAX_ROWS 65536u

/* ceiling = from, from + step, … up to and including to. */
struct sweep_range {
	enum param which; /* PARAM_CEILING or PARAM_LOCAL_CEILING */
	uint64_t from;
	uint64_t to;
	uint64_t step; /* > 0 */
};

/* What a row has of each counter, or has more than another (wrapping): lo, likely and hi. */
struct sweep_line {
	uint64_t n[3][COUNTERS];
};

/* From its row up to the next piece's, every row has `slope` more than the one before. */
struct sweep_piece {
	size_t row;
	struct sweep_line at; /* of that row */
	struct sweep_line slope;
	bool open; /* as in struct counts, for all of its rows */
};

struct sweep {
	struct sweep_range range;
	size_t n_rows;		    /* of ceiling from + i * step */
	struct sweep_piece *pieces; /* the first at row 0 */
	size_t n_pieces;
};

/*
 * Parses "ceiling=1:512" or "local-ceiling=16:256:16". On failure *err (ERROR_USAGE) says what is
 * wrong with it.
 */
int sweep_parse(struct sweep_range *range, const char *text, struct error *err);

/*
 * Predicts `base` under every ceiling of the range, for the classes that filter selects; the same
 * numbers as predict() gives for each. Returns 0, or -1 where memory is short.
 */
int sweep_run(struct sweep *out, const struct trace *t, const struct model *recorded,
	      const struct params *base, const struct sweep_range *range, predict_filter filter,
	      void *arg);
void sweep_free(struct sweep *s);

/* The same of kinds that were found before. */
int sweep_kinds(struct sweep *out, const struct kinds *kinds, const struct model *recorded,
		const struct params *base, const struct sweep_range *range);

/* A row of the sweep: its ceiling, and what it costs. */
uint64_t sweep_value(const struct sweep *s, size_t row);
struct counts sweep_row(const struct sweep *s, size_t row);

/* The piece that holds the row; its last row. */
const struct sweep_piece *sweep_piece(const struct sweep *s, size_t row);
size_t sweep_last(const struct sweep *s, const struct sweep_piece *piece);

/* What a row of the piece has of one counter: .lo, .likely and .hi, as in struct counts. */
struct sweep_cell {
	uint64_t lo;
	uint64_t likely;
	uint64_t hi;
};

struct sweep_cell sweep_cell(const struct sweep_piece *piece, size_t row, enum counter counter);

struct sweep_line sweep_line(const struct counts *n);

/* Adds n, which is not open, to every row. */
void sweep_add(struct sweep *s, const struct counts *n);

/* The rows that have the least of a counter by its upper end: [*first, *last]. */
void sweep_best(const struct sweep *s, enum counter counter, size_t *first, size_t *last);

/*
 * The rows at which the counter (by its likely value) falls or rises most against the row before:
 * the largest first, at most `max`, each at least a hundredth of the counter's range. Returns how
 * many.
 */
size_t sweep_knees(const struct sweep *s, enum counter counter, size_t *rows, size_t max);

#endif
