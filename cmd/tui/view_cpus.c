/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_cpus.c - a matrix: instructions that each CPU's requests executed or made others execute.
 *
 * A tlbie is broadcast: it reaches every CPU. A tlbiel stays where it is; one in an interrupt
 * handler was asked for by another CPU, and records do not say by which. Which CPUs an x86
 * request reached is not kept: all that it did is shown at the CPU that asked.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/tui/state.h"

#define CELL_COLUMNS 9
#define NAME_COLUMNS 8

static void add_hits(struct cpus_view *v, const struct class_key *k, const struct figures *s,
		     uint32_t cpu, uint64_t times)
{
	uint64_t broadcast = s->t.n[COUNT_TLBIE] * times;
	uint64_t own = s->instructions * times - broadcast;
	uint32_t by = k->irq ? v->n : cpu;

	v->hits[(size_t)by * v->n + cpu] += own;
	for (uint32_t hit = 0; broadcast && hit < v->n; hit++)
		v->hits[(size_t)by * v->n + hit] += broadcast;
}

static int enter(struct tui *t)
{
	const struct report *r = &t->report;
	const struct profile_cell *cell = NULL;
	struct cpus_view *v = &t->cpus;

	if (made_already(&v->made, &t->sel))
		return 0;
	free(v->hits);
	v->n = r->base.trace.info->cpus;
	v->hits = calloc(((size_t)v->n + 1) * (v->n ? v->n : 1), sizeof(*v->hits));
	if (!v->hits) {
		v->made.known = false;
		v->n = 0;
		return -1;
	}
	while ((cell = profile_next(r->profile, PROFILE_CPU, cell))) {
		struct sums one;

		if (cell->place >= v->n || !report_selects_cell(r, &t->sel, cell))
			continue;
		one = report_one(r, &t->sel, cell->class);
		add_hits(v, &profile_class(r->profile, cell->class)->key, &one.likely, cell->place,
			 cell->count);
	}
	return 0;
}

static uint64_t most_hits(const struct cpus_view *v)
{
	uint64_t max = 0;

	for (size_t i = 0; v->hits && i < ((size_t)v->n + 1) * v->n; i++)
		if (v->hits[i] > max)
			max = v->hits[i];
	return max;
}

static void draw_head(struct tui *t, const struct area *a)
{
	const struct cpus_view *v = &t->cpus;
	int x = NAME_COLUMNS;

	(void)screen_text(&t->screen, a, 0, 0, TUI_HEAD, "by \\ on");
	for (uint32_t cpu = v->left; cpu < v->n && x < a->cols; cpu++, x += CELL_COLUMNS) {
		char text[16];

		(void)snprintf(text, sizeof(text), "CPU %" PRIu32, cpu);
		screen_right(&t->screen, a, 0, x + CELL_COLUMNS, TUI_HEAD, text);
	}
}

/* "12,345", and from 100,000 on "123.4k": six columns for every number. */
static struct number short_number(uint64_t n)
{
	static const char units[] = "kMGTPE";
	struct number out = number_of(n, true);
	uint64_t whole = n / 1000;
	uint64_t rest = n % 1000;
	int unit = 0;

	if (n < 100000)
		return out;
	for (; whole >= 1000; whole /= 1000, unit++)
		rest = whole % 1000;
	(void)snprintf(out.text, sizeof(out.text), "%" PRIu64 ".%" PRIu64 "%c", whole, rest / 100,
		       units[unit]);
	return out;
}

static void draw_row(struct tui *t, const struct area *a, int y, uint32_t by, uint64_t max)
{
	const struct cpus_view *v = &t->cpus;
	int x = NAME_COLUMNS;

	if (by < v->n)
		(void)screen_printf(&t->screen, a, y, 0, TUI_HEAD, "CPU %" PRIu32, by);
	else
		(void)screen_text(&t->screen, a, y, 0, TUI_HEAD, "by IPI");
	for (uint32_t cpu = v->left; cpu < v->n && x < a->cols; cpu++, x += CELL_COLUMNS) {
		uint64_t hits = v->hits[(size_t)by * v->n + cpu];

		screen_shade(&t->screen, a, y, x + 1, by == cpu ? TUI_LOCAL : TUI_GLOBAL, hits, max);
		screen_right(&t->screen, a, y, x + CELL_COLUMNS, TUI_PLAIN,
			     hits ? short_number(hits).text : "-");
	}
}

static void draw(struct tui *t, struct area area)
{
	struct cpus_view *v = &t->cpus;
	struct area note = area_top(&area, 1);
	uint64_t max = most_hits(v);
	int y = 1;

	(void)screen_text(
		&t->screen, &note, 0, 0, TUI_DIM,
		t->report.base.x86
			? "instructions, by the CPU that asked; where they ran is not kept"
			: "instructions, by the CPU that asked on the CPU that they reach");
	draw_head(t, &area);
	for (uint32_t by = v->top; by <= v->n && y < area.rows && v->hits; by++, y++)
		draw_row(t, &area, y, by, max);
}

static bool key(struct tui *t, enum tui_do what)
{
	struct cpus_view *v = &t->cpus;

	switch (what) {
	case DO_UP:
		v->top -= v->top > 0;
		return true;
	case DO_DOWN:
		v->top += v->top < v->n;
		return true;
	case DO_LEFT:
		v->left -= v->left > 0;
		return true;
	case DO_RIGHT:
		v->left += v->left + 1 < v->n;
		return true;
	default:
		return false;
	}
}

const struct view view_cpus = {
	.name = "cpus",
	.hints = "arrows scroll  f filter  w write  ? keys  q quit",
	.enter = enter,
	.draw = draw,
	.key = key,
};
