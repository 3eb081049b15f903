/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_mm.c - one address space: sizes of its requests, causes, tasks, its CPUs over time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tui/state.h"

#define LIST_COLUMNS 36
#define LISTS_LEAST 66 /* with fewer columns there are only sizes */
#define SIZE_COLUMNS 14
#define STRIP_ROWS 9

static void add_to_strips(struct strips *s, const struct report *r, const struct selection *sel,
			  const struct profile_cell *cell)
{
	struct sums one = report_one(r, sel, cell->class);

	s->n[(size_t)cell->place * s->periods + cell->period] += one.likely.instructions *
								 cell->count;
}

static int fill_strips(struct strips *s, const struct report *r, const struct selection *sel)
{
	const struct profile_cell *cell = NULL;

	if (made_already(&s->made, sel))
		return 0;
	free(s->n);
	s->cpus = r->base.trace.info->cpus;
	s->periods = report_periods(r);
	s->n = calloc((size_t)s->cpus * s->periods + 1, sizeof(*s->n));
	s->made.known = s->n != NULL;
	if (!s->n)
		return -1;
	while ((cell = profile_next(r->profile, PROFILE_CPU, cell)))
		if (cell->place < s->cpus && report_selects_cell(r, sel, cell))
			add_to_strips(s, r, sel, cell);
	return 0;
}

static int enter(struct tui *t)
{
	if (grid_fill(&t->sizes, &t->report, BY_SIZE, &t->sel) ||
	    grid_fill(&t->causes, &t->report, BY_CAUSE, &t->sel) ||
	    grid_fill(&t->tasks, &t->report, BY_TASK, &t->sel))
		return -1;
	return fill_strips(&t->strips, &t->report, &t->sel);
}

static uint64_t most_flushes(const struct report_table *table)
{
	uint64_t max = 0;

	for (size_t i = 0; i < table->n; i++)
		if (table->rows[i].s.likely.t.n[COUNT_FLUSHES] > max)
			max = table->rows[i].s.likely.t.n[COUNT_FLUSHES];
	return max;
}

static void draw_size(struct tui *t, const struct area *a, int y, const struct report_row *row,
		      uint64_t max)
{
	uint64_t n = row->s.likely.t.n[COUNT_FLUSHES];
	struct area bar = *a;

	screen_right(&t->screen, a, y, SIZE_COLUMNS - 4, TUI_PLAIN, row->label);
	screen_right(&t->screen, a, y, SIZE_COLUMNS + 4, TUI_PLAIN, number_of(n, true).text);
	(void)area_left(&bar, SIZE_COLUMNS + 5);
	bar.cols--; /* a gap before what stands to the right */
	screen_bar(&t->screen, &bar, y,
		   row->s.likely.local > row->s.likely.global ? TUI_LOCAL : TUI_GLOBAL, n, max);
}

/* A line where a ceiling of the recorded kernel lies above the sizes drawn so far. */
static int draw_ceiling(struct tui *t, const struct area *a, int y, uint64_t from, uint64_t to)
{
	static const enum param ceilings[] = { PARAM_CEILING, PARAM_LOCAL_CEILING };
	const struct params *used = &t->report.base.model.used;

	for (size_t i = 0; i < 2; i++) {
		uint64_t ceiling = used->v[ceilings[i]];

		if (ceiling >= from && ceiling < to)
			(void)screen_printf(&t->screen, a, y++, 0, TUI_MARK, "-- %s %" PRIu64 " --",
					    param_keys[ceilings[i]], ceiling);
	}
	return y;
}

static void draw_sizes(struct tui *t, struct area a)
{
	const struct report_table *table = &t->sizes.table;
	const struct report_sizes *sizes = &t->report.sizes;
	struct area head = area_top(&a, 1);
	uint64_t max = most_flushes(table);
	uint64_t reached = 0;
	int y = 0;

	(void)screen_text(&t->screen, &head, 0, 0, TUI_HEAD, "pages    requests");
	for (size_t i = 0; i < table->n; i++) {
		uint32_t key = table->rows[i].key;
		uint64_t most = key < sizes->n ? sizes->most[key] : UINT64_MAX;

		y = draw_ceiling(t, &a, y, reached, most);
		reached = most;
		draw_size(t, &a, y++, &table->rows[i], max);
	}
	(void)draw_ceiling(t, &a, y, reached, UINT64_MAX);
}

static void draw_list(struct tui *t, struct area a, const struct grid *g, const char *title)
{
	const struct report_table *table = &g->table;
	struct area head = area_top(&a, 1);

	(void)screen_text(&t->screen, &head, 0, 0, TUI_HEAD, title);
	screen_right(&t->screen, &head, 0, a.cols - 10, TUI_HEAD, "requests");
	screen_right(&t->screen, &head, 0, a.cols - 1, TUI_HEAD, "instr.");
	for (size_t i = 0; i < table->n; i++) {
		const struct sums *s = &table->rows[i].s;

		(void)screen_text(&t->screen, &a, (int)i, 0, TUI_PLAIN, table->rows[i].label);
		screen_right(&t->screen, &a, (int)i, a.cols - 10, TUI_PLAIN,
			     number_of(s->likely.t.n[COUNT_FLUSHES], true).text);
		screen_right(&t->screen, &a, (int)i, a.cols - 1, TUI_PLAIN,
			     number_of(s->likely.instructions, true).text);
	}
}

/* One CPU's instructions over time, in shades. */
static void draw_strip(struct tui *t, struct area a, uint32_t cpu)
{
	const struct strips *s = &t->strips;
	const uint64_t *n = &s->n[(size_t)cpu * s->periods];
	struct area name = area_left(&a, 7);
	uint64_t max = 0;

	for (uint32_t i = 0; i < s->periods; i++)
		if (n[i] > max)
			max = n[i];
	(void)screen_printf(&t->screen, &name, 0, 0, TUI_PLAIN, "CPU %" PRIu32, cpu);
	for (int x = 0; x < a.cols && s->periods; x++)
		screen_shade(&t->screen, &a, 0, x, TUI_GLOBAL,
			     n[(size_t)x * s->periods / (size_t)a.cols], max);
}

static void draw_strips(struct tui *t, struct area a)
{
	struct area head = area_top(&a, 1);

	(void)screen_text(&t->screen, &head, 0, 0, TUI_HEAD, "CPUs over time");
	for (uint32_t cpu = 0; t->strips.n && cpu < t->strips.cpus && a.rows > 0; cpu++)
		draw_strip(t, area_top(&a, 1), cpu);
}

static void draw(struct tui *t, struct area area)
{
	char label[128] = "all address spaces";
	struct area head = area_top(&area, 1);
	uint32_t cpus = t->report.base.trace.info->cpus;
	struct area upper;
	struct area left;

	if (t->sel.mm != ANY)
		(void)report_mm_label(&t->report, t->sel.mm, label, sizeof(label));
	(void)screen_text(&t->screen, &head, 0, 0, TUI_HEAD, label);
	upper = area_top(&area, area.rows - (cpus + 1 < STRIP_ROWS ? (int)cpus + 1 : STRIP_ROWS));
	left = area_left(&upper, upper.cols < LISTS_LEAST ? upper.cols : upper.cols - LIST_COLUMNS);
	draw_sizes(t, left);
	draw_list(t, area_top(&upper, upper.rows / 2), &t->causes, "cause");
	draw_list(t, upper, &t->tasks, "task");
	draw_strips(t, area);
}

static bool key(struct tui *t, enum tui_do what)
{
	if (what != DO_ENTER)
		return false;
	tui_push(t, &view_flushes, &t->sel);
	return true;
}

static struct grid *grid(struct tui *t)
{
	return &t->sizes;
}

const struct view view_mm = {
	.name = "one mm",
	.hints = "Enter its flushes  4 what if  f filter  w write  Backspace back  ? keys  q quit",
	.enter = enter,
	.draw = draw,
	.key = key,
	.grid = grid,
};
