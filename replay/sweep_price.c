/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_price.c - each kind of flush is priced where its cost can change, and nowhere else. */
#include "replay/sweep_price.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/geometry.h"
#include "analyze/split.h"

/*
 * Kinds that cost the same at every ceiling, as far as the range goes. Promoted ones of unknown
 * length differ in how long they can have been: each has the curve of the longest up to its own end.
 */
struct member {
	size_t end; /* first row from which the ceiling is not below the most pages; n_rows: none */
	const struct kind *kind;
};

struct group_key {
	struct class_key key; /* zero where it does not matter */
	size_t kind;	      /* where masks decide: 1 + index of the only member */
	struct split split;
	bool fixed;
	bool nested;
	enum split_range range;
};

struct group {
	struct group_key key;
	struct member *members;
	size_t n;
	size_t room;
	uint64_t count; /* of members, each by its weight() */
	UT_hash_handle hh;
};

struct pricing {
	struct sweep_changes *out;
	const struct sweep_range *range;
	const struct kinds *kinds;
	const struct stateful_units *units; /* of each kind where masks decide; else NULL */
	const struct model *recorded;
	const struct params *base;
	struct group *groups;
};

/* What one flush costs at a row; where masks decide, all of a kind. */
struct point {
	size_t row;
	struct sweep_line cost;
	bool open;
};

static const struct point nothing;

/* So many times what price() tells is what the kind costs. */
static uint64_t weight(const struct pricing *p, const struct kind *kind)
{
	return p->units ? 1 : kind->like.count;
}

static struct point price(const struct pricing *p, const struct kind *kind, size_t row)
{
	size_t index = (size_t)(kind - p->kinds->kind);
	struct params alt = *p->base;
	struct counts cost;

	alt.v[p->range->which] = p->range->from + row * p->range->step;
	params_name(&alt, p->range->which);
	if (p->units)
		cost = kinds_stateful(p->kinds, index, &p->units[index], p->recorded, &alt);
	else
		cost = predict_class(&kind->like, &alt, p->recorded, kind->calls);
	return (struct point){ row, sweep_line(&cost), cost.open };
}

/* The first row under which a request of so many pages may go by address, or n_rows. */
static size_t row_of(const struct pricing *p, uint64_t pages)
{
	const struct sweep_range *r = p->range;
	uint64_t least = pages;
	uint64_t row;

	if (r->which == PARAM_CEILING && p->base->v[PARAM_COMPARE] == COMPARE_GE &&
	    __builtin_add_overflow(least, 1, &least))
		return p->out->n_rows;
	if (least <= r->from)
		return 0;
	row = (least - r->from - 1) / r->step + 1;
	return row < p->out->n_rows ? (size_t)row : p->out->n_rows;
}

static int change_at(struct sweep_changes *c, size_t row, struct sweep_change **change)
{
	size_t room = c->room ? 2 * c->room : 32;

	if (c->at[row] == 0) {
		struct sweep_change *more = c->change;

		if (c->n == c->room)
			more = reallocarray(c->change, room, sizeof(*more));
		if (!more)
			return -1;
		c->room = c->n == c->room ? room : c->room;
		c->change = more;
		memset(&c->change[c->n], 0, sizeof(*c->change));
		c->at[row] = (uint32_t)++c->n;
	}
	*change = &c->change[c->at[row] - 1];
	return 0;
}

static struct sweep_line difference(const struct sweep_line *now, const struct sweep_line *before)
{
	struct sweep_line d;

	for (size_t end = 0; end < 3; end++)
		for (size_t i = 0; i < COUNTERS; i++)
			d.n[end][i] = now->n[end][i] - before->n[end][i];
	return d;
}

static void add_line(struct sweep_line *sum, const struct sweep_line *line, uint64_t times)
{
	for (size_t end = 0; end < 3; end++)
		for (size_t i = 0; i < COUNTERS; i++)
			sum->n[end][i] += times * line->n[end][i];
}

static bool same_cost(const struct point *a, const struct point *b)
{
	return memcmp(&a->cost, &b->cost, sizeof(a->cost)) == 0 && a->open == b->open;
}

/* So many flushes cost from row `now` on what they cost there, not what they cost at `before`. */
static int step_to(const struct pricing *p, const struct point *now, const struct point *before,
		   uint64_t times)
{
	struct sweep_line step = difference(&now->cost, &before->cost);
	struct sweep_change *change;

	if (same_cost(now, before))
		return 0;
	if (change_at(p->out, now->row, &change))
		return -1;
	add_line(&change->step, &step, times);
	change->open += (uint64_t)now->open - before->open;
	return 0;
}

/* A stretch of rows whose ends have been priced. */
struct stretch {
	struct point from;
	struct point to;
};

/* `middle`, so many rows behind `from` of `all`, lies on the line through the ends. */
static bool is_line(const struct stretch *s, const struct point *middle)
{
	struct sweep_line to_middle = difference(&middle->cost, &s->from.cost);
	struct sweep_line to_end = difference(&s->to.cost, &s->from.cost);
	uint64_t first = middle->row - s->from.row;
	uint64_t all = s->to.row - s->from.row;

	for (size_t end = 0; end < 3; end++)
		for (size_t i = 0; i < COUNTERS; i++)
			if (to_middle.n[end][i] * all != to_end.n[end][i] * first)
				return false;
	return s->from.open == middle->open && middle->open == s->to.open;
}

static struct sweep_line divide(struct sweep_line line, size_t by)
{
	for (size_t end = 0; end < 3; end++)
		for (size_t i = 0; i < COUNTERS; i++)
			line.n[end][i] = (uint64_t)((int64_t)line.n[end][i] / (int64_t)by);
	return line;
}

static struct sweep_line slope_of(const struct point *from, const struct point *to, size_t rows)
{
	return divide(difference(&to->cost, &from->cost), rows);
}

/* Every row of (from, to] has `slope` more than the one before. */
static int add_rise(const struct pricing *p, size_t from, size_t to, const struct sweep_line *slope,
		    uint64_t times)
{
	struct sweep_change *change;

	if (change_at(p->out, from, &change))
		return -1;
	add_line(&change->slope, slope, times);
	if (change_at(p->out, to, &change))
		return -1;
	add_line(&change->slope, slope, -times);
	return 0;
}

static int add_slope(const struct pricing *p, const struct stretch *s, uint64_t times)
{
	struct sweep_line slope = slope_of(&s->from, &s->to, s->to.row - s->from.row);

	return same_cost(&s->from, &s->to) ? 0 : add_rise(p, s->from.row, s->to.row, &slope, times);
}

/*
 * Prices what lies between the ends. With `lines` every bound is the most, or the least, of straight
 * lines: where the middle lies on the line through the ends, so does all between. Without, a cost turns
 * into another and never back: a stretch whose ends agree is the same all over. Else the halves.
 */
static int price_stretch(const struct pricing *p, const struct kind *kind, uint64_t times,
			 const struct stretch *whole, bool lines)
{
	struct stretch stack[32];
	size_t depth = 1;
	int status = 0;

	stack[0] = *whole;
	while (depth && status == 0) {
		struct stretch *s = &stack[depth - 1];
		size_t rows = s->to.row - s->from.row;
		struct point middle;

		if (rows == 1 || (!lines && same_cost(&s->from, &s->to))) {
			status = step_to(p, &s->to, &s->from, times);
			depth--;
			continue;
		}
		middle = price(p, kind, s->from.row + rows / 2);
		if (lines && is_line(s, &middle)) {
			status = add_slope(p, s, times);
			depth--;
			continue;
		}
		stack[depth++] = (struct stretch){ s->from, middle };
		s->from = middle;
	}
	return status;
}

/* The same without lines, from *at to the row, which *at then is. */
static int price_until(const struct pricing *p, const struct kind *kind, uint64_t times,
		       struct point *at, size_t row)
{
	struct stretch s = { .from = *at };

	if (row <= at->row)
		return 0;
	s.to = *at = price(p, kind, row);
	return price_stretch(p, kind, times, &s, false);
}

/* Rows of whole PMDs: from the first row of the first to the last row of the last. */
struct pmds {
	struct stretch rows;
	size_t n;
	size_t per; /* rows of each */
};

/*
 * Over the rows of a PMD and over the PMDs, bounds are the most or the least of planes: where the
 * corners lie in a plane, and a point within, so does all.
 */
static bool is_plane(const struct pmds *s, const struct point *first_end,
		     const struct point *last_begin, const struct point *inside)
{
	struct sweep_line to_end = difference(&s->rows.to.cost, &last_begin->cost);
	struct sweep_line across = difference(&first_end->cost, &s->rows.from.cost);
	struct sweep_line along = difference(&last_begin->cost, &s->rows.from.cost);
	struct sweep_line in = difference(&inside->cost, &s->rows.from.cost);
	size_t rows = inside->row - s->rows.from.row;
	uint64_t x = rows % s->per * (s->n - 1);
	uint64_t y = rows / s->per * (s->per - 1);

	for (size_t end = 0; end < 3; end++)
		for (size_t i = 0; i < COUNTERS; i++)
			if (to_end.n[end][i] != across.n[end][i] ||
			    in.n[end][i] * (s->n - 1) * (s->per - 1) !=
				    across.n[end][i] * x + along.n[end][i] * y)
				return false;
	return s->rows.from.open == s->rows.to.open && first_end->open == s->rows.to.open &&
	       last_begin->open == s->rows.to.open && inside->open == s->rows.to.open;
}

static int add_plane(const struct pricing *p, const struct pmds *s, const struct point *first_end,
		     const struct point *last_begin, uint64_t times)
{
	struct sweep_line slope = slope_of(&s->rows.from, first_end, s->per - 1);
	struct sweep_line step = slope_of(&s->rows.from, last_begin, s->n - 1);
	struct sweep_change *change;

	if (add_rise(p, s->rows.from.row, s->rows.to.row, &slope, times))
		return -1;
	add_line(&step, &slope, -(uint64_t)s->per);
	for (size_t i = 1; i < s->n; i++) {
		if (change_at(p->out, s->rows.from.row + i * s->per, &change))
			return -1;
		add_line(&change->step, &step, times);
	}
	return 0;
}

/* Halves what is no plane: as deep as the logarithm of how many PMDs there are. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static int price_pmds(const struct pricing *p, const struct kind *kind, uint64_t times,
		      const struct pmds *s)
{
	size_t begin = s->rows.from.row;
	struct pmds left = *s;
	struct pmds right = *s;

	if (s->n == 1)
		return price_stretch(p, kind, times, &s->rows, true);
	if (s->n > 2) {
		struct point first_end = price(p, kind, begin + s->per - 1);
		struct point last_begin = price(p, kind, begin + (s->n - 1) * s->per);
		struct point inside = price(p, kind, begin + s->n / 2 * s->per + s->per / 2);

		if (is_plane(s, &first_end, &last_begin, &inside))
			return add_plane(p, s, &first_end, &last_begin, times);
	}
	left.n = s->n / 2;
	right.n = s->n - left.n;
	left.rows.to = price(p, kind, begin + left.n * s->per - 1);
	right.rows.from = price(p, kind, begin + left.n * s->per);
	if (price_pmds(p, kind, times, &left) || step_to(p, &right.rows.from, &left.rows.to, times))
		return -1;
	return price_pmds(p, kind, times, &right);
}

static int price_each(const struct pricing *p, const struct kind *kind, uint64_t times,
		      struct point *at, size_t to)
{
	while (at->row < to) {
		struct point next = price(p, kind, at->row + 1);

		if (step_to(p, &next, at, times))
			return -1;
		*at = next;
	}
	return 0;
}

static bool is_whole_pid(const struct class_key *k)
{
	return k->shape == SHAPE_PID || k->shape == SHAPE_ALL;
}

/* The ceiling of the sweep decides, or may decide, what such a flush costs. */
static bool depends(const struct pricing *p, const struct class_key *k)
{
	const struct params *recorded = &p->recorded->used;

	if (k->shape == SHAPE_X86 || k->shape == SHAPE_HCALL)
		return true;
	if (k->shape != SHAPE_VA && !is_whole_pid(k))
		return false;
	if (k->shape != SHAPE_VA && split_is_fixed(k) && !split_may_have_met(k, recorded))
		return false;
	return p->units || split_share_unsure(k, recorded) || split_share_unsure(k, p->base) ||
	       split_ceiling(k, p->base) == p->range->which ||
	       split_ceiling(k, recorded) == p->range->which;
}

/* Promoted, and nothing tells of what length: its cost is bounded by straight lines of the ceiling,
 * unless it is counted in another architecture's instructions. */
static bool has_curve(const struct pricing *p, const struct class_key *k)
{
	return is_whole_pid(k) && !(k->told && k->pages) &&
	       p->base->v[PARAM_TARGET] == TARGET_RECORDED && depends(p, k);
}

/* The last row that can cost something else than the one before, of a kind whose pages are known. */
static size_t last_step(const struct pricing *p, const struct class_key *k)
{
	size_t last = p->out->n_rows - 1;
	size_t row;

	if (k->shape == SHAPE_X86 || k->shape == SHAPE_HCALL ||
	    p->base->v[PARAM_PROMOTE] == PROMOTE_ENTIRE_RANGE ||
	    p->base->v[PARAM_TARGET] != TARGET_RECORDED)
		return last;
	row = row_of(p, k->pages + 1);
	return row < last ? row : last;
}

/* Where any cut is possible, what a policy promotes most often changes with every ceiling below the
 * longest request. A hypervisor call may have been any request. */
static size_t last_restless(const struct pricing *p, const struct kind *kind)
{
	const struct class_key *k = &kind->like.key;
	uint64_t most = split_longest(k, &p->recorded->used) + 1;
	size_t row;

	if (is_whole_pid(k) || k->shape == SHAPE_HCALL)
		return p->out->n_rows - 1;
	if (k->shape != SHAPE_VA || kind->split.other != CUT_ANY)
		return 0;
	row = row_of(p, most);
	return row < p->out->n_rows ? row : p->out->n_rows - 1;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int price_known(const struct pricing *p, const struct group *g)
{
	const struct kind *kind = g->members[0].kind;
	struct point at = price(p, kind, 0);
	size_t last = last_step(p, &kind->like.key);
	size_t edge = least(row_of(p, kind->like.key.pages), last); /* most change here alone */

	if (step_to(p, &at, &nothing, g->count))
		return -1;
	if (!depends(p, &kind->like.key))
		return 0;
	if (price_each(p, kind, g->count, &at, least(last_restless(p, kind), last)) ||
	    (edge && price_until(p, kind, g->count, &at, edge - 1)) ||
	    price_until(p, kind, g->count, &at, edge))
		return -1;
	return price_until(p, kind, g->count, &at, last);
}

static int by_end(const void *a, const void *b)
{
	size_t x = ((const struct member *)a)->end;
	size_t y = ((const struct member *)b)->end;

	return (x > y) - (x < y);
}

static int by_row(const void *a, const void *b)
{
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* Rows at which a curve may have a corner or a step, in order, each with the row before it; the second
 * pass grows at others. */
struct borders {
	size_t *row;
	size_t n;
};

static void add_border(const struct pricing *p, struct borders *b, size_t row)
{
	if (row > 0 && row < p->out->n_rows) {
		b->row[b->n++] = row - 1;
		b->row[b->n++] = row;
	}
}

static uint64_t pmd_pages(const struct pricing *p)
{
	return pages_per_pmd(p->base->v[PARAM_PAGE_SIZE] == 4096 ? 12 : 16);
}

/* The fewest pages that a promoted request can have had, the first PMD, and the members' ends. */
static int find_borders(const struct pricing *p, const struct group *g, struct borders *b)
{
	const struct param_fact *fact = p->recorded->fact;

	*b = (struct borders){ calloc(2 * (g->n + 6) + 1, sizeof(*b->row)), 0 };
	if (!b->row)
		return -1;
	add_border(p, b, row_of(p, 1));
	add_border(p, b, row_of(p, pmd_pages(p)));
	for (uint64_t more = 0; more < 2; more++) {
		add_border(p, b, row_of(p, fact[PARAM_CEILING].lo + more));
		add_border(p, b, row_of(p, fact[PARAM_LOCAL_CEILING].lo + more));
	}
	for (size_t i = 0; i < g->n; i++)
		add_border(p, b, g->members[i].end);
	b->row[b->n++] = p->out->n_rows - 1;
	qsort(b->row, b->n, sizeof(*b->row), by_row);
	return 0;
}

/* The first row behind `row` at which the second pass may have a page more. */
static size_t next_pmd(const struct pricing *p, size_t row)
{
	uint64_t per = pmd_pages(p);
	uint64_t ceiling = p->range->from + row * p->range->step;
	size_t next = row_of(p, ceiling / per * per);

	return next > row ? next : row_of(p, (ceiling / per + 1) * per);
}

/* PMD by PMD, where they are not rows of one length. */
static int price_between(const struct pricing *p, const struct kind *kind, uint64_t times,
			 struct stretch s, size_t to)
{
	struct point end = s.to;

	while (s.from.row < to) {
		size_t next = next_pmd(p, s.from.row);

		s.to = next > to ? end : price(p, kind, next - 1);
		if (s.to.row > s.from.row && price_stretch(p, kind, times, &s, true))
			return -1;
		if (next > to)
			return 0;
		s.from = next == end.row ? end : price(p, kind, next);
		if (step_to(p, &s.from, &s.to, times))
			return -1;
	}
	return 0;
}

/* From border to border: whole PMDs at once where each has as many rows as pages. */
static int price_curve_part(const struct pricing *p, const struct kind *kind, uint64_t times,
			    const struct stretch *s)
{
	size_t begin = next_pmd(p, s->from.row);
	struct pmds whole = { .per = pmd_pages(p) };
	struct stretch head = { .from = s->from };
	struct stretch tail = { .to = s->to };

	if (p->range->step == 1 && begin + 4 * whole.per < s->to.row) {
		whole.n = (s->to.row - begin) / whole.per;
		whole.rows.from = head.to = price(p, kind, begin);
		whole.rows.to = tail.from = price(p, kind, begin + whole.n * whole.per - 1);
		if (price_between(p, kind, times, head, begin) || price_pmds(p, kind, times, &whole))
			return -1;
		return price_between(p, kind, times, tail, s->to.row);
	}
	return price_between(p, kind, times, *s, s->to.row);
}

/* The members whose curve ends at `row` have a cost of their own from there on. */
static int end_members(const struct pricing *p, struct group *g, size_t *first,
		       const struct point *before, size_t row)
{
	for (; *first < g->n && g->members[*first].end == row; ++*first) {
		const struct kind *kind = g->members[*first].kind;
		struct point own = price(p, kind, row);

		if (step_to(p, &own, before, weight(p, kind)))
			return -1;
		g->count -= weight(p, kind);
	}
	return 0;
}

/* The longest member's curve from border to border, for all members that have not ended. */
static int price_curve(const struct pricing *p, struct group *g, size_t first,
		       const struct borders *b)
{
	const struct kind *kind = g->members[g->n - 1].kind;
	struct stretch s = { .from = price(p, kind, 0) };

	if (step_to(p, &s.from, &nothing, g->count))
		return -1;
	for (size_t i = 0; i < b->n && first < g->n; i++, s.from = s.to) {
		s.to = s.from;
		if (b->row[i] == s.from.row)
			continue;
		if (end_members(p, g, &first, &s.from, b->row[i]))
			return -1;
		if (first == g->n)
			return 0;
		s.to = price(p, kind, b->row[i]);
		if (price_curve_part(p, kind, g->count, &s))
			return -1;
	}
	return 0;
}

static int price_open(const struct pricing *p, struct group *g)
{
	struct borders borders;
	size_t first = 0;
	int status;

	qsort(g->members, g->n, sizeof(*g->members), by_end);
	for (; first < g->n && g->members[first].end == 0; first++) {
		const struct kind *kind = g->members[first].kind;
		struct point own = price(p, kind, 0);

		if (step_to(p, &own, &nothing, weight(p, kind)))
			return -1;
		g->count -= weight(p, kind);
	}
	if (first == g->n)
		return 0;
	if (find_borders(p, g, &borders))
		return -1;
	status = price_curve(p, g, first, &borders);
	free(borders.row);
	return status;
}

/* All that predict_class() looks at, but for what only split_of() does. */
static struct group_key key_of(const struct pricing *p, const struct kind *kind)
{
	const struct class_key *k = &kind->like.key;
	bool tlbie = p->base->v[PARAM_TLBIE] && p->recorded->used.v[PARAM_TLBIE];
	struct group_key out;

	memset(&out, 0, sizeof(out)); /* padding takes part in hashing */
	if (p->units) {
		out.kind = (size_t)(kind - p->kinds->kind) + 1;
		return out;
	}
	if (k->shape == SHAPE_X86 || k->shape == SHAPE_FOREIGN || k->shape == SHAPE_HCALL) {
		memcpy(&out.key, k, sizeof(*k));
		out.key.mm = 0;
		return out;
	}
	out.split = kind->split;
	out.fixed = split_is_fixed(k);
	out.range = split_range_of(k, p->recorded);
	out.nested = split_may_have_met(k, &p->recorded->used);
	out.key.shape = k->shape;
	out.key.context = k->context;
	out.key.local = k->local;
	out.key.irq = k->irq;
	out.key.told = k->told;
	if (!tlbie)
		memcpy(out.key.scope, k->scope, sizeof(out.key.scope));
	if (is_whole_pid(k) && !has_curve(p, k))
		out.key.pages_max = k->pages_max;
	if (k->shape != SHAPE_VA && !k->pages)
		return out;
	out.key.pages = k->pages;
	out.key.pages_2m = k->pages_2m;
	out.key.first = k->first;
	out.key.shift = k->shift;
	out.key.pwc = k->pwc;
	out.key.entry = k->entry;
	out.key.may_hide = k->may_hide;
	out.key.fix_erat = k->fix_erat;
	out.key.fix_stq = k->fix_stq;
	out.key.fix_old = k->fix_old;
	out.key.cause = k->cause == CAUSE_EXEC ? CAUSE_EXEC : CAUSE_UNKNOWN;
	if (p->base->v[PARAM_PROMOTE] == PROMOTE_ENTIRE_RANGE) {
		out.key.call_pages = k->call_pages;
		out.key.call_open = k->call_open;
	}
	return out;
}

static struct group *find_group(struct pricing *p, const struct kind *kind)
{
	struct group_key key = key_of(p, kind);
	struct group *g;

	HASH_FIND(hh, p->groups, &key, sizeof(key), g);
	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	memcpy(&g->key, &key, sizeof(key));
	HASH_ADD(hh, p->groups, key, sizeof(g->key), g);
	return g;
}

static int add_member(struct pricing *p, const struct kind *kind)
{
	struct group *g = find_group(p, kind);
	size_t room;

	if (!g)
		return -1;
	room = g->room ? 2 * g->room : 4;
	if (g->n == g->room) {
		struct member *more = reallocarray(g->members, room, sizeof(*more));

		if (!more)
			return -1;
		g->members = more;
		g->room = room;
	}
	g->members[g->n++] = (struct member){ row_of(p, kind->like.key.pages_max), kind };
	g->count += weight(p, kind);
	return 0;
}

static int price_group(const struct pricing *p, struct group *g)
{
	if (has_curve(p, &g->members[0].kind->like.key))
		return price_open(p, g);
	return price_known(p, g);
}

static void free_groups(struct pricing *p)
{
	struct group *g = p->groups;

	HASH_CLEAR(hh, p->groups);
	while (g) {
		struct group *next = g->hh.next;

		free(g->members);
		free(g);
		g = next;
	}
}

static int price_groups(struct pricing *p)
{
	struct group *g;
	int status = 0;

	for (size_t i = 0; i < p->kinds->n && status == 0; i++)
		status = add_member(p, &p->kinds->kind[i]);
	for (g = p->groups; g && status == 0; g = g->hh.next)
		status = price_group(p, g);
	return status;
}

int sweep_price(struct sweep_changes *out, const struct kinds *kinds, const struct model *recorded,
		const struct params *base, const struct sweep_range *range)
{
	struct pricing p = { out, range, kinds, NULL, recorded, base, NULL };
	struct stateful_units *units = NULL;
	int status = -1;

	*out = (struct sweep_changes){ .n_rows = (range->to - range->from) / range->step + 1 };
	out->at = calloc(out->n_rows, sizeof(*out->at));
	if (stateful_decides(base, recorded))
		p.units = units = kinds_units(kinds, base, &recorded->used);
	if (out->at && (units || !stateful_decides(base, recorded)))
		status = price_groups(&p);
	free_groups(&p);
	free(units);
	return status;
}

void sweep_changes_free(struct sweep_changes *c)
{
	free(c->at);
	free(c->change);
	*c = (struct sweep_changes){ .n = 0 };
}
