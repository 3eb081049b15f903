/* SPDX-License-Identifier: GPL-2.0-or-later */
/* curve.c - the cost over the ceiling, in the what-if view. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tui/state.h"
#include "replay/stateful.h"

#define CEILINGS_LEAST 128u
#define CEILINGS_MOST 2048u
#define SLICE_NS 5000000u /* a key that comes meanwhile waits so long */

void curve_free(struct curve *c)
{
	free(c->shown);
	free(c->next);
	*c = (struct curve){ .n = 0 };
}

static bool same_but_ceiling(const struct params *a, const struct params *b)
{
	for (size_t id = 0; id < PARAMS; id++)
		if (id != PARAM_CEILING && a->v[id] != b->v[id])
			return false;
	return true;
}

void curve_want(struct tui *t, const struct params *base, bool anew)
{
	struct curve *c = &t->whatif.curve;
	uint64_t wide = 2 * t->report.base.model.used.v[PARAM_CEILING];

	if (!anew && c->known && same_but_ceiling(base, &c->base))
		return;
	free(c->next);
	c->base = *base;
	c->known = true;
	c->n = wide <= CEILINGS_LEAST ? CEILINGS_LEAST
	       : wide < CEILINGS_MOST ? wide
				      : CEILINGS_MOST;
	c->done = 0;
	if (!c->slice)
		c->slice = 1;
	c->next = calloc(2 * c->n, sizeof(*c->next)); /* without memory there is no curve */
}

/* All ceilings at once cost little more than one, unless masks decide: then each is priced by itself. */
static int sweep_slice(struct tui *t, struct sweep *sweep)
{
	const struct whatif_result *b = &t->report.base;
	const struct curve *c = &t->whatif.curve;
	bool by_row = stateful_decides(&c->base, &b->model);
	size_t to = by_row && c->done + c->slice < c->n ? c->done + c->slice : c->n;
	struct sweep_range range = { PARAM_CEILING, c->done + 1, to, 1 };

	return sweep_kinds(sweep, &t->whatif.kinds, &b->model, &c->base, &range);
}

/* Slices of a length that no key has to wait for. */
static void adapt_slice(struct curve *c, size_t rows, uint64_t took_ns)
{
	if (rows > c->slice)
		return;
	if (took_ns > SLICE_NS && c->slice > 1)
		c->slice /= 2;
	else if (took_ns < SLICE_NS / 4)
		c->slice *= 2;
}

static void take_slice(struct curve *c, const struct sweep *sweep, enum counter shown)
{
	for (size_t i = 0; i < sweep->n_rows; i++, c->done++) {
		const struct sweep_piece *piece = sweep_piece(sweep, i);
		struct sweep_cell cell = sweep_cell(piece, i, shown);

		c->next[c->done] = piece->open ? cell.lo : cell.likely;
		c->next[c->n + c->done] = cell.hi;
	}
}

static void show_next(struct curve *c)
{
	free(c->shown);
	c->shown = c->next;
	c->n_shown = c->n;
	c->next = NULL;
}

bool curve_work(struct tui *t)
{
	struct curve *c = &t->whatif.curve;
	uint64_t began = tui_now_ns();
	struct sweep sweep;

	if (!c->next || sweep_slice(t, &sweep))
		return false;
	take_slice(c, &sweep, t->whatif.shown);
	adapt_slice(c, sweep.n_rows, tui_now_ns() - began);
	sweep_free(&sweep);
	if (c->done < c->n)
		return true;
	show_next(c);
	tui_draw(t);
	return false;
}

static void draw_marks(struct tui *t, const struct area *a)
{
	uint64_t n = t->whatif.curve.n_shown;
	uint64_t now = t->whatif.params.v[PARAM_CEILING];
	char text[64];

	(void)screen_text(&t->screen, a, 1, 0, TUI_DIM, "1");
	(void)snprintf(text, sizeof(text), "ceiling %" PRIu64, n);
	screen_right(&t->screen, a, 1, a->cols, TUI_DIM, text);
	if (now >= 1 && now <= n && a->cols > 0) {
		int x = (int)((now - 1) * (uint64_t)a->cols / n);

		(void)screen_text(&t->screen, a, 0, x, TUI_MARK, "^");
		(void)screen_printf(&t->screen, a, 1, x > 2 ? x : 2, TUI_MARK, "%" PRIu64, now);
	}
}

void curve_draw(struct tui *t, struct area a)
{
	const struct curve *c = &t->whatif.curve;
	struct area head = area_top(&a, 1);
	struct area chart = area_top(&a, a.rows - 2);

	(void)screen_printf(&t->screen, &head, 0, 0, TUI_HEAD,
			    "%s over the ceiling; shaded: up to so many%s",
			    counter_keys[t->whatif.shown], c->next ? " (being worked out)" : "");
	if (!c->shown)
		return;
	screen_chart_between(&t->screen, &chart, c->shown, c->shown + c->n_shown, c->n_shown,
			     TUI_GLOBAL);
	draw_marks(t, &a);
}
