/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_mms.c - all address spaces in a table. */
#include "cmd/tui/state.h"

static int enter(struct tui *t)
{
	return grid_fill(&t->mms, &t->report, BY_MM, &t->sel);
}

static void draw(struct tui *t, struct area area)
{
	grid_draw(t, &t->mms, area);
}

static bool key(struct tui *t, enum tui_do what)
{
	const struct report_row *row = grid_row(&t->mms);

	if (what != DO_ENTER)
		return grid_key(&t->mms, what);
	if (row) {
		struct selection one = t->sel;

		one.mm = row->key;
		tui_push(t, &view_mm, &one);
	}
	return true;
}

static void click(struct tui *t, int y)
{
	grid_click(&t->mms, y);
}

static struct grid *grid(struct tui *t)
{
	return &t->mms;
}

const struct view view_mms = {
	.name = "mms",
	.hints = "Enter one mm  s sort  R reverse  / search  f filter  w write  ? keys  q quit",
	.enter = enter,
	.draw = draw,
	.key = key,
	.click = click,
	.grid = grid,
};
