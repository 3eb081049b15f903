/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_table.c - sums of a profile's cells by what the user asks for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"

#define BY_KEY(id, key, what) [id] = key,
#define BY_TEXT(id, key, what) [id] = what,
const char *const report_by_keys[REPORT_BYS + 1] = { REPORT_BY_X(BY_KEY) };
const char *const report_by_texts[REPORT_BYS] = { REPORT_BY_X(BY_TEXT) };
#undef BY_KEY
#undef BY_TEXT

const struct selection select_all = { ANY, ANY, ANY, ANY, ANY, 0, ANY };

static uint32_t mm_of_class(const struct report *r, const struct class *class)
{
	bool known = class->key.mm < mm_count(trace_mms(&r->base.trace));

	return known ? r->mm_of[class->key.mm] : r->n_mms - 1;
}

static bool fits(uint32_t wanted, uint32_t key)
{
	return wanted == ANY || wanted == key;
}

static bool fits_class(const struct report *r, const struct selection *sel, const struct class *c)
{
	return fits(sel->mm, mm_of_class(r, c)) && fits(sel->cause, c->key.cause) &&
	       fits(sel->caller, c->key.entry);
}

bool report_selects(const struct report *r, const struct selection *sel, uint32_t class)
{
	return r->selected[class] && fits_class(r, sel, profile_class(r->profile, class));
}

bool report_selects_class(const struct report *r, const struct selection *sel,
			  const struct class *class)
{
	return common_selects(r->common, &r->base.trace, class) && fits_class(r, sel, class);
}

bool report_selects_mm(const struct report *r, const struct selection *sel, uint32_t mm)
{
	struct class of_mm = { .key.mm = mm };

	return common_selects(r->common, &r->base.trace, &of_mm) &&
	       fits(sel->mm, mm_of_class(r, &of_mm));
}

/* The row of an mm of this name and process, or of those of its name that have ended. */
static uint32_t row_of_name(const struct report *r, const struct mm *mm)
{
	uint32_t found = r->n_mms - 1;

	for (uint32_t i = 0; mm && i + 1 < r->n_mms; i++) {
		const struct report_mm *row = &r->mms[i];

		if (strcmp(row->name, mm->name) != 0)
			continue;
		if (row->ended)
			found = i;
		else if (!mm->members && row->tgid == mm->tgid)
			return i;
	}
	return found;
}

bool report_selects_named(const struct report *r, const struct selection *sel, const struct mm *mm)
{
	return common_selects_mm(r->common, mm) && fits(sel->mm, row_of_name(r, mm));
}

bool report_selects_request(const struct report *r, const struct selection *sel,
			    const struct class_key *k, uint64_t pages)
{
	return fits(sel->cause, k->cause) && fits(sel->caller, k->entry) &&
	       fits(sel->size, report_size_of_request(r, k, pages));
}

bool report_selects_cell(const struct report *r, const struct selection *sel,
			 const struct profile_cell *cell)
{
	return report_selects(r, sel, cell->class) && fits(sel->cpu, cell->place) &&
	       cell->period >= sel->period_from && cell->period <= sel->period_to;
}

/* Cells of tasks and stacks know neither CPU nor period. */
static bool selects_cell(const struct report *r, const struct selection *sel,
			 enum profile_axis axis, const struct profile_cell *cell)
{
	return axis == PROFILE_CPU ? report_selects_cell(r, sel, cell)
				   : report_selects(r, sel, cell->class);
}

/* A table while it grows: which row has a key. */
struct builder {
	const struct report *r;
	struct report_table *t;
	uint32_t *row_of; /* by key: index of its row + 1, 0 none */
	uint32_t n_keys;
	size_t room;
};

uint32_t report_periods(const struct report *r)
{
	const struct profile_cell *cell = NULL;
	uint32_t n = 0;

	while ((cell = profile_next(r->profile, PROFILE_CPU, cell)))
		if (cell->period >= n)
			n = cell->period + 1;
	return n;
}

static uint32_t count_cpus(const struct report *r)
{
	const struct profile_cell *cell = NULL;
	uint32_t n = r->base.trace.info->cpus;

	while ((cell = profile_next(r->profile, PROFILE_CPU, cell)))
		if (cell->place >= n)
			n = cell->place + 1;
	return n;
}

static uint32_t count_keys(const struct report *r, enum report_by by)
{
	switch (by) {
	case BY_MM:
		return r->n_mms;
	case BY_TASK:
		return PROFILE_TASKS + 1;
	case BY_CPU:
		return count_cpus(r);
	case BY_CAUSE:
		return FLUSH_CAUSES;
	case BY_SIZE:
		return r->sizes.rows;
	case BY_TIME:
		return report_periods(r);
	default:
		return r->callers.n + FLUSH_ENTRIES;
	}
}

/* Behind the callers that stacks tell: those of which only the kind of request is known. */
static uint32_t caller_of(const struct report *r, const struct profile_cell *cell,
			  const struct class *class)
{
	if (r->callers.n && cell->place && cell->place < r->callers.n_of)
		return r->callers.of[cell->place];
	return r->callers.n + class->key.entry;
}

static uint32_t key_of(const struct report *r, enum report_by by, const struct profile_cell *cell,
		       uint32_t size)
{
	const struct class *class = profile_class(r->profile, cell->class);

	switch (by) {
	case BY_MM:
		return mm_of_class(r, class);
	case BY_TASK:
	case BY_CPU:
		return cell->place;
	case BY_CAUSE:
		return class->key.cause;
	case BY_SIZE:
		return size;
	case BY_TIME:
		return cell->period;
	default:
		return caller_of(r, cell, class);
	}
}

static struct report_row *row_of_key(struct builder *b, uint32_t key)
{
	struct report_table *t = b->t;

	if (b->row_of[key])
		return &t->rows[b->row_of[key] - 1];
	if (t->n == b->room) {
		size_t room = b->room ? 2 * b->room : 32;
		struct report_row *more = reallocarray(t->rows, room, sizeof(*more));

		if (!more)
			return NULL;
		t->rows = more;
		b->room = room;
	}
	t->rows[t->n] = (struct report_row){ .key = key };
	b->row_of[key] = (uint32_t)++t->n;
	return &t->rows[t->n - 1];
}

static int add_sums(struct builder *b, uint32_t key, const struct sums *s, uint64_t times)
{
	struct report_row *row = row_of_key(b, key);

	if (!row)
		return -1;
	sums_add(&row->s, s, times);
	return 0;
}

static int add_cell(struct builder *b, const struct selection *sel, const struct profile_cell *cell)
{
	const struct report_price *price = &b->r->prices[b->r->kind_of[cell->class]];

	if (sel->size == ANY && b->t->by != BY_SIZE)
		return add_sums(b, key_of(b->r, b->t->by, cell, ANY), &price->all, cell->count);
	for (unsigned i = 0; i < price->n; i++) {
		const struct report_part *part = &price->part[i];

		if (fits(sel->size, part->size) &&
		    add_sums(b, key_of(b->r, b->t->by, cell, part->size), &part->s, cell->count))
			return -1;
	}
	return 0;
}

/* CPU or time is asked for: classes do not know these. */
static bool is_of_cells(const struct selection *sel)
{
	return sel->cpu != ANY || sel->period_from || sel->period_to != ANY;
}

/* Where neither CPU nor time is asked for, the cells of a class need not be told apart. */
static int add_classes(struct builder *b, const struct selection *sel)
{
	for (uint32_t i = 0; i < profile_classes(b->r->profile); i++) {
		struct profile_cell all = { .class = i,
					    .count = profile_class(b->r->profile, i)->count };

		if (report_selects(b->r, sel, i) && add_cell(b, sel, &all))
			return -1;
	}
	return 0;
}

static enum profile_axis axis_of(const struct report *r, enum report_by by)
{
	if (by == BY_TASK)
		return PROFILE_TASK;
	return by == BY_CALLER && r->callers.n ? PROFILE_STACK : PROFILE_CPU;
}

static int add_cells(struct builder *b, const struct selection *sel)
{
	enum profile_axis axis = axis_of(b->r, b->t->by);
	const struct profile_cell *cell = NULL;

	while ((cell = profile_next(b->r->profile, axis, cell)))
		if (selects_cell(b->r, sel, axis, cell) && add_cell(b, sel, cell))
			return -1;
	return 0;
}

static bool needs_cells(const struct report *r, enum report_by by, const struct selection *sel)
{
	return axis_of(r, by) != PROFILE_CPU || by == BY_CPU || by == BY_TIME || is_of_cells(sel);
}

const char *report_mm_label(const struct report *r, uint32_t mm, char *buf, size_t size)
{
	const struct report_mm *m = &r->mms[mm];
	const char *name = *m->name ? m->name : mm + 1 == r->n_mms ? "(none)" : "?";

	if (m->ended)
		(void)snprintf(buf, size, "%s (%" PRIu64 " ended)", name, m->ended);
	else if (m->tgid >= 0)
		(void)snprintf(buf, size, "%s/%" PRId32, name, m->tgid);
	else
		(void)snprintf(buf, size, "%s", name);
	return buf;
}

static void label_size(const struct report_sizes *s, struct report_row *row, size_t size)
{
	uint64_t least = row->key && row->key < s->n ? s->most[row->key - 1] + 1 : 1;

	if (row->key == s->whole)
		(void)snprintf(row->label, size, "whole mm");
	else if (row->key == s->walk_cache)
		(void)snprintf(row->label, size, "walk cache");
	else if (row->key == s->kernel)
		(void)snprintf(row->label, size, "kernel");
	else if (row->key == s->other)
		(void)snprintf(row->label, size, "other");
	else if (s->most[row->key] == least)
		(void)snprintf(row->label, size, "%" PRIu64, least);
	else
		(void)snprintf(row->label, size, "%" PRIu64 "-%" PRIu64, least, s->most[row->key]);
}

static void label_time(const struct report *r, struct report_row *row, size_t size)
{
	uint64_t end = (row->key + UINT64_C(1)) * profile_period_ns(r->profile);

	(void)snprintf(row->label, size, "%" PRIu64 ".%06u", end / 1000000000,
		       (unsigned)(end % 1000000000 / 1000));
}

static void label_task(const struct profile_task *task, struct report_row *row, size_t size)
{
	if (!task)
		(void)snprintf(row->label, size, "(other tasks)");
	else if (task->tid < 0)
		(void)snprintf(row->label, size, "(interrupts)");
	else
		(void)snprintf(row->label, size, "%.16s/%" PRId32, *task->comm ? task->comm : "?",
			       task->tid);
}

static void label_row(const struct report *r, enum report_by by, struct report_row *row)
{
	size_t size = sizeof(row->label);

	switch (by) {
	case BY_MM:
		(void)report_mm_label(r, row->key, row->label, size);
		return;
	case BY_TASK:
		label_task(profile_task(r->profile, row->key), row, size);
		return;
	case BY_CPU:
		(void)snprintf(row->label, size, "%" PRIu32, row->key);
		return;
	case BY_CAUSE:
		(void)snprintf(row->label, size, "%s", flush_cause_keys[row->key]);
		return;
	case BY_SIZE:
		label_size(&r->sizes, row, size);
		return;
	case BY_TIME:
		label_time(r, row, size);
		return;
	default:
		(void)snprintf(row->label, size, "%s",
			       row->key < r->callers.n ? r->callers.labels[row->key]
						       : flush_entry_keys[row->key - r->callers.n]);
		return;
	}
}

/* Periods and CPUs without flushes are rows too: nothing happened there, and that is said. */
static int add_empty_rows(struct builder *b, const struct selection *sel)
{
	bool time = b->t->by == BY_TIME;
	uint32_t from = time ? sel->period_from : 0;
	uint32_t to = b->n_keys;

	if (!time && b->t->by != BY_CPU)
		return 0;
	if (time && sel->period_to < to)
		to = sel->period_to + 1;
	if (!time && sel->cpu != ANY)
		return 0;
	for (uint32_t key = from; key < to; key++)
		if (!row_of_key(b, key))
			return -1;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct report_row *x = a;
	const struct report_row *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int build(struct builder *b, const struct selection *sel)
{
	if (needs_cells(b->r, b->t->by, sel) ? add_cells(b, sel) : add_classes(b, sel))
		return -1;
	if (add_empty_rows(b, sel))
		return -1;
	for (size_t i = 0; i < b->t->n; i++)
		sums_add(&b->t->total, &b->t->rows[i].s, 1);
	if (b->t->n)
		qsort(b->t->rows, b->t->n, sizeof(*b->t->rows), by_key);
	for (size_t i = 0; i < b->t->n; i++)
		label_row(b->r, b->t->by, &b->t->rows[i]);
	return 0;
}

int report_table(struct report_table *out, const struct report *r, enum report_by by,
		 const struct selection *sel)
{
	struct builder b = { .r = r, .t = out, .n_keys = count_keys(r, by) };
	int status = -1;

	*out = (struct report_table){ .by = by };
	b.row_of = calloc(b.n_keys + UINT64_C(1), sizeof(*b.row_of));
	if (b.row_of)
		status = build(&b, sel);
	free(b.row_of);
	if (status)
		report_table_free(out);
	return status;
}

void report_table_free(struct report_table *t)
{
	free(t->rows);
	*t = (struct report_table){ .n = 0 };
}

struct report_sort report_usual_sort(enum report_by by)
{
	struct report_sort sort = { .field = NULL };

	if (by != BY_TIME && by != BY_SIZE && by != BY_CPU)
		sort.field = field_by_key("instructions");
	return sort;
}

/* What qsort_r's comparison needs. */
struct order {
	const struct report_sort *sort;
	const struct sums *total;
};

static int by_field(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	const struct report_row *x = a;
	const struct report_row *y = b;
	uint64_t n = field_value(order->sort->field, &x->s, order->total);
	uint64_t m = field_value(order->sort->field, &y->s, order->total);

	if (n == m)
		return by_key(a, b);
	return (n < m) == order->sort->ascending ? -1 : 1;
}

void report_sort(struct report_table *t, const struct report_sort *sort)
{
	struct order order = { sort, &t->total };

	if (t->n == 0)
		return;
	if (sort->field)
		qsort_r(t->rows, t->n, sizeof(*t->rows), by_field, &order);
	else
		qsort(t->rows, t->n, sizeof(*t->rows), by_key);
}

void report_limit(struct report_table *t, size_t limit)
{
	struct report_row *other;

	if (limit == 0 || t->n <= limit)
		return;
	other = &t->rows[limit - 1];
	t->folded = t->n - limit + 1;
	for (size_t i = limit; i < t->n; i++)
		sums_add(&other->s, &t->rows[i].s, 1);
	(void)snprintf(other->label, sizeof(other->label), "other (%" PRIu64 ")", t->folded);
	other->key = ANY;
	t->n = limit;
}

struct sums report_one(const struct report *r, const struct selection *sel, uint32_t class)
{
	const struct report_price *price = &r->prices[r->kind_of[class]];
	struct sums one = { .likely.pages = 0 };

	if (sel->size == ANY)
		return price->all;
	for (unsigned i = 0; i < price->n; i++)
		if (price->part[i].size == sel->size)
			sums_add(&one, &price->part[i].s, 1);
	return one;
}

static void add_selected(struct sums *total, const struct report *r, const struct selection *sel,
			 uint32_t class, uint64_t count)
{
	struct sums one = report_one(r, sel, class);

	sums_add(total, &one, count);
}

struct sums report_total(const struct report *r, const struct selection *sel)
{
	const struct profile_cell *cell = NULL;
	struct sums total = { .likely.pages = 0 };

	for (uint32_t i = 0; !is_of_cells(sel) && i < profile_classes(r->profile); i++)
		if (report_selects(r, sel, i))
			add_selected(&total, r, sel, i, profile_class(r->profile, i)->count);
	while (is_of_cells(sel) && (cell = profile_next(r->profile, PROFILE_CPU, cell)))
		if (report_selects_cell(r, sel, cell))
			add_selected(&total, r, sel, cell->class, cell->count);
	return total;
}

int report_asked(struct report_table *t, const struct report *r, const struct report_request *q)
{
	struct report_sort usual = report_usual_sort(q->by);

	if (report_table(t, r, q->by, &select_all))
		return -1;
	report_sort(t, q->sort.field ? &q->sort : &usual);
	report_limit(t, q->limit);
	return 0;
}
