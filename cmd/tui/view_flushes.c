/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_flushes.c - the requests one by one. Classes do not keep them: the file is read again, with
 * the filter, and only so many are kept.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/row.h"
#include "cmd/tui/state.h"

#define LINES_MOST 200000u

struct flush_line {
	uint32_t mm;	  /* its index as the reading has it, which changes: mm_fold() */
	uint64_t time_ns; /* since the first event */
	uint64_t start;	  /* bytes */
	uint64_t pages;
	uint64_t pages_max; /* > 0: censored, of pages … pages_max */
	uint64_t cost;	    /* recorded instructions, if any were recorded */
	uint32_t cpu;
	int32_t tid;
	char comm[COMM_LEN];
	uint8_t cause;
	uint8_t entry;
	uint8_t known;
	uint8_t ended_by;
	bool local;
	bool irq;
	bool has_range;
	bool has_cost;
};

/* The second reading. */
struct collect {
	struct tui *t;
	struct trace trace;
	struct row_context ctx;
	bool no_memory;
};

void flushes_free(struct flushes_view *v)
{
	free(v->lines);
	*v = (struct flushes_view){ .n = 0 };
}

static struct flush_line line_of(const struct tui *t, const struct row *row)
{
	const struct flush *f = row->flush;
	const struct tally *n = &row->recorded;
	struct flush_line line = {
		.time_ns = row->time_ns - t->report.base.trace.first_ns,
		.mm = f->mm ? f->mm->index : CLASS_NO_MM,
		.start = row->start,
		.pages = row->pages,
		.cost = n->n[COUNT_TLBIE] + n->n[COUNT_TLBIEL] + n->n[COUNT_INVLPG] +
			n->n[COUNT_CR3_WRITES],
		.cpu = f->cpu,
		.tid = f->tid,
		.cause = (uint8_t)f->cause,
		.entry = (uint8_t)f->entry,
		.known = (uint8_t)row->known,
		.ended_by = (uint8_t)row->ended_by,
		.local = f->local,
		.irq = f->irq,
		.has_range = row->has_range,
		.has_cost = !f->asked,
	};

	memcpy(line.comm, f->comm, COMM_LEN);
	line.comm[COMM_LEN - 1] = '\0';
	if (f->shape == SHAPE_X86) {
		line.local = !f->x86.sent && !f->x86.orphan && f->x86.ipis_usual == 0;
		line.pages = f->x86.pages;
	}
	if (row->known == KNOWN_CENSORED && f->shape != SHAPE_X86) {
		line.pages = row->pages_min;
		line.pages_max = row->pages_max;
	} else if (row->known == KNOWN_CENSORED) {
		line.pages = t->report.base.model.used.v[PARAM_CEILING] + 1;
		line.pages_max = f->x86.pages_max;
	}
	return line;
}

/* A row that may be selected: of its mm, only the end may tell. */
static bool take_row(void *arg, const struct row *row)
{
	struct collect *c = arg;
	struct flushes_view *v = &c->t->flushes;
	struct class_key key;

	class_key_of(&key, row->flush, c->ctx.base_shift);
	if (!report_selects_request(&c->t->report, &c->t->sel, &key, row->pages))
		return true;
	if (v->n == LINES_MOST) {
		v->left_out++;
		return true;
	}
	if (v->n == v->room) {
		size_t room = v->room ? 2 * v->room : 256;
		struct flush_line *more = reallocarray(v->lines, room, sizeof(*more));

		if (!more) {
			c->no_memory = true;
			return false;
		}
		v->lines = more;
		v->room = room;
	}
	v->lines[v->n++] = line_of(c->t, row);
	return true;
}

/*
 * Whether flushes of this mm of the second reading are selected, or may turn out to be: an mm that ends
 * is counted with others of its name later on, and its index is given out again.
 */
static bool may_select_mm(const struct collect *c, uint32_t mm)
{
	const struct mm *now = mm_by_index(trace_mms(&c->trace), mm);

	return report_selects_mm(&c->t->report, &c->t->sel, mm) ||
	       (c->t->flushes.folds && now && !now->members);
}

static bool selects(const struct collect *c, const struct flush *f)
{
	const struct report *r = &c->t->report;
	const struct selection *sel = &c->t->sel;
	uint64_t since = f->start_ns - r->base.trace.first_ns;
	uint64_t period = since / profile_period_ns(r->profile);

	return (sel->cpu == ANY || sel->cpu == f->cpu) && period >= sel->period_from &&
	       (sel->period_to == ANY || period <= sel->period_to) &&
	       may_select_mm(c, f->mm ? f->mm->index : CLASS_NO_MM);
}

static bool take_flush(void *arg, const struct flush *f)
{
	struct collect *c = arg;

	return !selects(c, f) || rows_of(f, &c->ctx, take_row, c);
}

/*
 * Whether flushes of this mm are selected, when reading has ended. Interrupted, it has other indices than
 * the first reading had at its end, and some mms that ended later: their names tell.
 */
static bool selects_mm(const struct collect *c, uint32_t mm)
{
	const struct report *r = &c->t->report;

	if (!c->t->flushes.interrupted || !c->t->flushes.folds)
		return report_selects_mm(r, &c->t->sel, mm);
	return report_selects_named(r, &c->t->sel, mm_by_index(trace_mms(&c->trace), mm));
}

/* Keeps the lines whose mm may still be selected, or at the end is. */
static void keep_lines(struct collect *c, bool at_end)
{
	struct flushes_view *v = &c->t->flushes;
	size_t kept = 0;

	for (size_t i = 0; i < v->n; i++) {
		uint32_t mm = v->lines[i].mm;

		if (at_end ? selects_mm(c, mm) : may_select_mm(c, mm))
			v->lines[kept++] = v->lines[i];
	}
	v->n = kept;
}

static void take_fold(void *arg, const uint32_t *into)
{
	struct collect *c = arg;
	struct flushes_view *v = &c->t->flushes;

	for (size_t i = 0; i < v->n; i++)
		if (v->lines[i].mm != CLASS_NO_MM)
			v->lines[i].mm = into[v->lines[i].mm];
	keep_lines(c, false);
}

static bool has_folded(const struct report *r)
{
	for (uint32_t i = 0; i < r->n_mms; i++)
		if (r->mms[i].ended)
			return true;
	return false;
}

static bool reading(void *arg, uint64_t events)
{
	struct collect *c = arg;

	tui_progress(c->t, "reading again", events);
	return !tui_interrupted(c->t);
}

static int by_time(const void *a, const void *b)
{
	const struct flush_line *x = a;
	const struct flush_line *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int by_pages(const void *a, const void *b)
{
	const struct flush_line *x = a;
	const struct flush_line *y = b;

	return x->pages != y->pages ? (x->pages < y->pages ? 1 : -1) : by_time(a, b);
}

static int by_cost(const void *a, const void *b)
{
	const struct flush_line *x = a;
	const struct flush_line *y = b;

	return x->cost != y->cost ? (x->cost < y->cost ? 1 : -1) : by_time(a, b);
}

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} orders[] = { { "time", by_time }, { "pages", by_pages }, { "cost", by_cost } };
#define ORDERS (sizeof(orders) / sizeof(*orders))

static void put_in_order(struct flushes_view *v)
{
	if (v->n)
		qsort(v->lines, v->n, sizeof(*v->lines), orders[v->order % ORDERS].compare);
	for (size_t i = 0; v->reversed && i < v->n / 2; i++) {
		struct flush_line swap = v->lines[i];

		v->lines[i] = v->lines[v->n - 1 - i];
		v->lines[v->n - 1 - i] = swap;
	}
}

static unsigned base_shift(const struct tui *t)
{
	uint32_t size = t->report.base.trace.info->page_size;

	return size && (size & (size - 1)) == 0 ? (unsigned)__builtin_ctz(size) : 0;
}

static int read_again(struct tui *t)
{
	struct flushes_view *v = &t->flushes;
	struct collect c = { .t = t };
	struct common with = *t->common;
	struct error err = { .class = ERROR_NONE };
	int status;

	c.ctx.classes = t->report.base.trace.classes;
	c.ctx.recorded = &t->report.base.model.used;
	c.ctx.base_shift = base_shift(t);
	v->folds = has_folded(&t->report);
	with.quiet = true;
	with.trace.flush = take_flush;
	with.trace.fold = take_fold;
	with.trace.flush_arg = &c;
	with.trace.progress = reading;
	with.trace.progress_arg = &c;
	with.trace.stop_fd = t->signals;
	with.trace.items_most = t->report.base.trace.interrupted ? t->report.base.trace.items : 0;
	status = common_read(&with, t->path, &c.trace, &err);
	tui_take_signals(t);
	if (status == 0) {
		v->interrupted = c.trace.interrupted;
		keep_lines(&c, true);
		trace_close(&c.trace);
	} else if (!c.no_memory) {
		tui_say(t, "%s", err.text);
	}
	return c.no_memory ? -1 : 0;
}

static int enter(struct tui *t)
{
	struct flushes_view *v = &t->flushes;

	if (v->read)
		return 0;
	v->n = 0;
	v->left_out = 0;
	v->cursor = 0;
	v->interrupted = false;
	v->read = true;
	if (t->from_pipe)
		return 0;
	if (read_again(t))
		return -1;
	put_in_order(v);
	return 0;
}

static void draw_head(struct tui *t, const struct area *a)
{
	const struct flushes_view *v = &t->flushes;
	char text[160];

	(void)snprintf(text, sizeof(text), "%11s %3s %-16s %-8s %-6s %8s %6s %-9s %-9s %-7s %s",
		       "time s", "cpu", "task", "cause", "entry", "scope", "pages", "instr",
		       "known", "end", "address");
	(void)screen_text(&t->screen, a, 0, 0, TUI_HEAD, text);
	(void)snprintf(text, sizeof(text), " by %s%s", orders[v->order % ORDERS].name,
		       v->reversed ? ", reversed" : "");
	if (a->cols > 110)
		screen_right(&t->screen, a, 0, a->cols, TUI_DIM, text);
}

static void pages_text(const struct flush_line *l, char *buf, size_t size)
{
	if (l->pages_max == 0)
		(void)snprintf(buf, size, "%" PRIu64, l->pages);
	else if (l->pages_max > 99999)
		(void)snprintf(buf, size, ">=%" PRIu64, l->pages);
	else
		(void)snprintf(buf, size, "%" PRIu64 "-%" PRIu64, l->pages, l->pages_max);
	if (l->pages == 0 && l->pages_max == 0)
		(void)snprintf(buf, size, "all");
}

static void draw_line(struct tui *t, const struct area *a, int y, const struct flush_line *l)
{
	char task[32];
	char pages[48];
	char cost[24] = "?";
	char text[224];

	(void)snprintf(task, sizeof(task), "%s/%" PRId32,
		       l->irq	  ? "(ipi)"
		       : *l->comm ? l->comm
				  : "?",
		       l->tid);
	pages_text(l, pages, sizeof(pages));
	if (l->has_cost)
		(void)snprintf(cost, sizeof(cost), "%" PRIu64, l->cost);
	(void)snprintf(text, sizeof(text),
		       "%4" PRIu64 ".%06" PRIu64 " %3" PRIu32 " %-16.16s %-8s %-6s %8s %6s"
		       " %-9s %-9s %-7s",
		       l->time_ns / 1000000000, l->time_ns % 1000000000 / 1000, l->cpu, task,
		       flush_cause_keys[l->cause],
		       l->irq	  ? "ipi"
		       : l->local ? "local"
				  : "global",
		       pages, cost, flush_entry_keys[l->entry], flush_known_keys[l->known],
		       row_end_keys[l->ended_by]);
	(void)screen_text(&t->screen, a, y, 0, TUI_PLAIN, text);
	if (l->has_range)
		(void)screen_printf(&t->screen, a, y, (int)strlen(text) + 1, TUI_PLAIN,
				    "0x%" PRIx64, l->start);
}

static void draw_foot(struct tui *t, const struct area *a)
{
	const struct flushes_view *v = &t->flushes;
	int x;

	if (t->from_pipe) {
		(void)screen_text(&t->screen, a, 0, 0, TUI_MORE,
				  "this trace came through a pipe: it cannot be read again");
		return;
	}
	x = screen_printf(&t->screen, a, 0, 0, TUI_HEAD, "%s requests",
			  number_of(v->folds ? v->n : v->n + v->left_out, true).text);
	if (v->left_out && v->folds)
		x += screen_text(&t->screen, a, 0, x, TUI_MORE,
				 ", perhaps more: too many to keep; filter with f");
	else if (v->left_out)
		x += screen_printf(&t->screen, a, 0, x, TUI_PLAIN,
				   ", of which the first %s are listed: filter with f",
				   number_of(v->n, true).text);
	if (v->interrupted)
		(void)screen_text(&t->screen, a, 0, x, TUI_MORE,
				  ", interrupted: there are more behind them");
}

static void draw(struct tui *t, struct area area)
{
	struct flushes_view *v = &t->flushes;
	struct area list = area_top(&area, area.rows - 1);
	int y = 1;

	v->shown = list.rows - 1;
	cursor_scroll(&v->top, v->cursor, v->n, v->shown);
	draw_head(t, &list);
	for (size_t i = v->top; i < v->n && y <= v->shown; i++, y++) {
		draw_line(t, &list, y, &v->lines[i]);
		if (i == v->cursor)
			screen_ink_row(&t->screen, &list, y, TUI_CURSOR);
	}
	draw_foot(t, &area);
}

static bool key(struct tui *t, enum tui_do what)
{
	struct flushes_view *v = &t->flushes;

	switch (what) {
	case DO_SORT:
	case DO_SORT_BACK:
		v->order = (unsigned)((v->order + (what == DO_SORT ? 1 : ORDERS - 1)) % ORDERS);
		put_in_order(v);
		return true;
	case DO_REVERSE:
		v->reversed = !v->reversed;
		put_in_order(v);
		return true;
	default:
		return cursor_key(&v->cursor, v->n, v->shown, what);
	}
}

static void click(struct tui *t, int y)
{
	struct flushes_view *v = &t->flushes;

	if (y > 0 && v->top + (size_t)y - 1 < v->n)
		v->cursor = v->top + (size_t)y - 1;
}

const struct view view_flushes = {
	.name = "flushes",
	.hints = "s order  R reverse  f filter  w write  Backspace back  ? keys  q quit",
	.enter = enter,
	.draw = draw,
	.key = key,
	.click = click,
};
