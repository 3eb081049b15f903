/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_overview.c - what was recorded, how sure it is, and the flushes over time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tui/state.h"

#define AXIS_ROWS 1

static int enter(struct tui *t)
{
	return grid_fill(&t->periods, &t->report, BY_TIME, &t->sel);
}

static struct number thousands(uint64_t n)
{
	return number_of(n, true);
}

static void draw_input(struct tui *t, const struct area *a)
{
	const struct whatif_result *b = &t->report.base;
	const struct source_info *info = b->trace.info;

	(void)screen_printf(
		&t->screen, a, 0, 0, TUI_PLAIN, "%s, %s MMU, %" PRIu32 " CPUs, %s s, %s events",
		*info->kernel ? info->kernel : "unknown kernel", b->mmu ? b->mmu : "unknown",
		info->cpus, number_seconds(b->trace.last_ns - b->trace.first_ns).text,
		thousands(info->events).text);
	(void)screen_printf(&t->screen, a, 1, 0, TUI_PLAIN, "%s", info->format);
}

static int draw_fact(struct tui *t, const struct area *a, int x, enum param id)
{
	const struct model *m = &t->report.base.model;
	const struct param_fact *fact = &m->fact[id];
	char value[48];
	char lo[48];

	param_format(id, m->used.v[id], value, sizeof(value));
	param_format(id, fact->lo, lo, sizeof(lo));
	return screen_printf(&t->screen, a, 1, x, TUI_PLAIN, ", %s %s%s%s%s", param_keys[id], value,
			     fact->lo == fact->hi || !fact->lo ? "" : " (>=",
			     fact->lo == fact->hi || !fact->lo ? "" : lo,
			     fact->lo == fact->hi || !fact->lo ? "" : ")");
}

/* Behind the format, what the recorded kernel was. */
static void draw_model(struct tui *t, const struct area *a)
{
	static const enum param shown[] = { PARAM_CEILING, PARAM_LOCAL_CEILING, PARAM_FIXUPS };
	const struct whatif_result *b = &t->report.base;
	int x = (int)strlen(b->trace.info->format);

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (b->model.used.v[shown[i]])
			x += draw_fact(t, a, x, shown[i]);
}

static void draw_totals(struct tui *t, const struct area *a)
{
	const struct sums *s = &t->periods.table.total;
	struct field_list list = fields_usual(t->report.base.x86);
	int x = 0;

	for (size_t i = 0; i < list.n; i++) {
		if (list.f[i]->kind != FIELD_NUMBER)
			continue;
		x += screen_printf(&t->screen, a, 2, x, TUI_HEAD, "%s ", field_head(list.f[i]));
		x += screen_printf(&t->screen, a, 2, x, TUI_PLAIN, "%s  ",
				   field_text(list.f[i], s, s, true).text);
	}
}

static void draw_fidelity(struct tui *t, const struct area *a)
{
	const struct fidelity *f = &t->report.base.fidelity;
	int x;

	if (f->flushes == 0 && f->unmodelled) {
		(void)screen_printf(&t->screen, a, 3, 0, TUI_PLAIN,
				    "%s groups of records that are not modelled: only counted",
				    thousands(f->unmodelled).text);
		return;
	}
	if (f->asked)
		(void)screen_printf(&t->screen, a, 3, 0, TUI_PLAIN,
				    "no instructions were recorded: computed from %s requests",
				    thousands(f->asked).text);
	else
		(void)screen_printf(
			&t->screen, a, 3, 0, TUI_PLAIN,
			"replaying the recorded policy: %s of %s groups of records exactly (%s %%)",
			thousands(f->exact).text, thousands(f->flushes).text,
			number_percent(f->exact, f->flushes).text);
	x = screen_text(&t->screen, a, 4, 0, TUI_PLAIN, "extent:");
	for (size_t i = 0; i < KNOWNS; i++)
		x += screen_printf(&t->screen, a, 4, x, TUI_PLAIN, "%s %s %s", i ? "," : "",
				   flush_known_keys[i], thousands(f->known[i]).text);
}

static void draw_boundaries(struct tui *t, const struct area *a)
{
	static const struct {
		enum run_end end;
		const char *name;
	} ends[] = { { RUN_END_REQUEST, "told" },    { RUN_END_FIXUP, "fixup" },
		     { RUN_END_SYSCALL, "syscall" }, { RUN_END_SWITCH, "switch" },
		     { RUN_END_LOST, "gap" },	     { RUN_END_RECORD, "record" },
		     { RUN_END_TASK, "task" },	     { RUN_END_NONE, "none" } };
	const uint64_t *n = class_ends(t->report.base.trace.classes);
	int x = screen_text(&t->screen, a, 5, 0, TUI_PLAIN, "ended by:");
	const char *between = "";

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (!n[ends[i].end])
			continue;
		x += screen_printf(&t->screen, a, 5, x, TUI_PLAIN, "%s %s %s", between,
				   ends[i].name, thousands(n[ends[i].end]).text);
		between = ",";
	}
}

static bool has_open(const struct tui *t)
{
	const struct sums *s = &t->periods.table.total;
	struct field_list list = fields_usual(t->report.base.x86);

	for (size_t i = 0; i < list.n; i++)
		if (field_is_open(list.f[i], s))
			return true;
	return false;
}

/* What is open, and what is wrong with the recording; returns the row behind it. */
static int draw_quality(struct tui *t, const struct area *a)
{
	const struct source_info *info = t->report.base.trace.info;
	int y = 6;

	if (has_open(t))
		(void)screen_text(&t->screen, a, y++, 0, TUI_DIM,
				  "~ is likely, >= at least: the trace leaves it open");

	if (info->truncated)
		(void)screen_printf(&t->screen, a, y++, 0, TUI_MORE, "cut off or damaged: %s",
				    info->truncated_text);
	if (info->lost_events || info->lost_unknown)
		(void)screen_printf(&t->screen, a, y++, 0, TUI_MORE,
				    "%s events were lost while recording",
				    info->lost_events ? thousands(info->lost_events).text : "some");
	if (t->report.base.trace.interrupted)
		(void)screen_text(&t->screen, a, y++, 0, TUI_MORE,
				  "reading was interrupted: only what was read is counted");
	return y;
}

static void draw_chart(struct tui *t, struct area a, const struct field *f, enum ink_tui ink)
{
	const struct report_table *table = &t->periods.table;
	uint64_t *values = calloc(table->n + 1, sizeof(*values));
	struct area head = area_top(&a, 1);
	uint64_t max = 0;

	for (size_t i = 0; values && i < table->n; i++) {
		values[i] = field_value(f, &table->rows[i].s, &table->total);
		if (values[i] > max)
			max = values[i];
	}
	(void)screen_printf(&t->screen, &head, 0, 0, TUI_HEAD, "%s: at most %s in %s s",
			    field_head(f), thousands(max).text,
			    number_seconds(profile_period_ns(t->report.profile)).text);
	if (values)
		screen_chart(&t->screen, &a, values, table->n, ink);
	free(values);
}

static void draw_axis(struct tui *t, const struct area *a)
{
	const struct report_table *table = &t->periods.table;
	uint64_t first = table->n ? table->rows[0].key : 0;
	uint64_t last = table->n ? table->rows[table->n - 1].key + UINT64_C(1) : 0;
	uint64_t period = profile_period_ns(t->report.profile);
	char text[48];

	(void)screen_printf(&t->screen, a, 0, 0, TUI_DIM, "%s s",
			    number_seconds(first * period).text);
	(void)snprintf(text, sizeof(text), "%s s", number_seconds(last * period).text);
	screen_right(&t->screen, a, 0, a->cols, TUI_DIM, text);
}

static void draw(struct tui *t, struct area area)
{
	bool x86 = t->report.base.x86;
	const char *global = x86 ? "cr3_writes" : "tlbie";
	const char *local = x86 ? "invlpg" : "tlbiel";
	struct area axis;
	int each;

	draw_input(t, &area);
	draw_model(t, &area);
	draw_totals(t, &area);
	draw_fidelity(t, &area);
	draw_boundaries(t, &area);
	(void)area_top(&area, draw_quality(t, &area));
	each = (area.rows - AXIS_ROWS) / 3;
	if (each < 2)
		each = 0; /* the first alone */
	draw_chart(t, area_top(&area, area.rows - AXIS_ROWS - 2 * each), field_by_key(global),
		   TUI_GLOBAL);
	draw_chart(t, area_top(&area, each), field_by_key(local), TUI_LOCAL);
	draw_chart(t, area_top(&area, each), field_by_key("flushes"), TUI_PLAIN);
	axis = area_top(&area, 1);
	draw_axis(t, &axis);
}

static bool key(struct tui *t, enum tui_do what)
{
	if (what != DO_ENTER)
		return false;
	tui_push(t, &view_mms, &t->sel);
	return true;
}

static struct grid *grid(struct tui *t)
{
	return &t->periods;
}

const struct view view_overview = {
	.name = "overview",
	.hints = "Enter mms  1-5 Tab views  f filter  w write  ? keys  q quit",
	.enter = enter,
	.draw = draw,
	.key = key,
	.grid = grid,
};
