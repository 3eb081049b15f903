/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_whatif.c - the recorded policy beside one that keys change, and the cost over the ceiling.
 *
 * All of it is arithmetic on classes. The alternative is a policy text, as --policy takes it, so
 * that what is seen here can be asked again on the command line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tui/state.h"

#define LABEL_COLUMNS 12
#define CELL_COLUMNS 14
#define CHANGE_COLUMNS 11
#define MMS_SHOWN 4
#define CEILING_MOST 1000000u

void whatif_view_free(struct whatif_view *v)
{
	prediction_free(&v->by_mm);
	prediction_free(&v->was);
	kinds_free(&v->kinds);
	curve_free(&v->curve);
}

/* A predict_filter whose arg is the tui. */
static bool selects(void *arg, const struct class *class)
{
	const struct tui *t = arg;

	return report_selects_class(&t->report, &t->sel, class);
}

/* "radix,era=v6.6,ceiling=31": the era first, because it sets the others. */
static void policy_text(const struct tui *t, char *buf, size_t size)
{
	const struct whatif_view *v = &t->whatif;
	int used = snprintf(buf, size, "%s", t->report.base.x86 ? "x86" : "radix");

	for (size_t id = 0; id < PARAMS && used > 0 && (size_t)used < size; id++) {
		char value[48];

		if (!v->slides[id].changed)
			continue;
		param_format((enum param)id, v->slides[id].value, value, sizeof(value));
		used += snprintf(buf + used, size - (size_t)used, ",%s=%s", param_keys[id], value);
	}
}

/* What the trace holds of the selected classes, and the recorded policy's prediction of the rest. */
static struct counts recorded_of(const struct tui *t, const struct counts *replayed)
{
	struct selection whole = t->sel;
	struct counts out = *replayed;
	struct sums total;

	if (t->report.base.trace.asked)
		return out;
	whole.cpu = whole.size = whole.period_to = ANY; /* classes know nothing of these */
	whole.period_from = 0;
	total = report_total(&t->report, &whole);
	for (size_t id = 0; id < COUNTERS; id++)
		if (report_holds((enum counter)id))
			out.lo.n[id] = out.likely.n[id] = out.hi.n[id] = total.likely.t.n[id];
	return out;
}

/* What the whole trace costs beside its flushes; no part of it can be said to be an mm's. */
static void add_rest(const struct tui *t, const struct params *params, struct counts *counts)
{
	const struct whatif_result *b = &t->report.base;
	const struct follower *f = b->watch ? watch_follower(b->watch) : NULL;
	struct counts rest;

	if (!f || t->sel.mm != ANY || t->sel.cause != ANY || t->sel.caller != ANY)
		return;
	rest = stateful_rest(f, params, &b->model.used);
	counts_add(counts, &rest, 1);
}

static int predict_one(const struct tui *t, const struct params *params, struct prediction *out)
{
	prediction_free(out);
	return kinds_predict(out, &t->whatif.kinds, &t->report.base.model, params);
}

static int predict_again(struct tui *t)
{
	struct whatif_view *v = &t->whatif;

	v->stale = false;
	if (predict_one(t, &v->params, &v->by_mm))
		return -1;
	v->counts = v->by_mm.total;
	add_rest(t, &v->params, &v->counts);
	curve_want(t, &v->params, false);
	return 0;
}

/* The policy that the slides say. Where it cannot be predicted, the message says why. */
static bool resolve(struct tui *t)
{
	struct whatif_view *v = &t->whatif;
	struct error err = { .class = ERROR_NONE };
	struct policy policy;
	struct params params;
	char text[sizeof(policy.text)];

	policy_text(t, text, sizeof(text));
	if (policy_parse(&policy, text, &err) ||
	    policy_resolve(&policy, &t->report.base.model.used, &params, &err)) {
		tui_say(t, "%s", err.text);
		return false;
	}
	v->policy = policy;
	v->params = params;
	return true;
}

/* What the filter selects, and what of it was recorded. */
static int select_again(struct tui *t)
{
	const struct whatif_result *b = &t->report.base;
	struct whatif_view *v = &t->whatif;
	struct counts replayed;

	kinds_free(&v->kinds);
	if (kinds_find(&v->kinds, &b->trace, &b->model, selects, t) ||
	    predict_one(t, &b->model.used, &v->was)) {
		v->made_of.known = false;
		return -1;
	}
	replayed = v->was.total;
	add_rest(t, &b->model.used, &replayed);
	v->recorded = recorded_of(t, &replayed);
	return 0;
}

static int enter(struct tui *t)
{
	struct whatif_view *v = &t->whatif;
	bool anew = !made_already(&v->made_of, &t->sel);

	v->shown = t->report.base.x86 ? COUNT_INVLPG : COUNT_TLBIE;
	for (size_t id = 0; id < PARAMS && !v->made; id++)
		v->slides[id].value = t->report.base.model.used.v[id];
	v->made = true;
	if (anew && select_again(t))
		return -1;
	if (!resolve(t))
		return 0;
	curve_want(t, &v->params, anew);
	return predict_again(t);
}

/* Sets a slide; what cannot be predicted is taken back. */
static void slide_to(struct tui *t, enum param id, uint64_t value)
{
	struct whatif_view *v = &t->whatif;
	struct slide before = v->slides[id];

	v->slides[id].value = value;
	v->slides[id].changed = value != t->report.base.model.used.v[id];
	if (resolve(t))
		v->stale = true; /* predicted once all keys that wait are taken */
	else
		v->slides[id] = before;
}

static void bring_up_to_date(struct tui *t)
{
	if (t->whatif.stale && predict_again(t))
		tui_say(t, "out of memory: this is not up to date");
}

static void slide_by(struct tui *t, enum param id, int64_t step)
{
	uint64_t value = t->whatif.slides[id].value;
	uint64_t by = (uint64_t)(step < 0 ? -step : step);

	if (step < 0)
		slide_to(t, id, value > by ? value - by : 0);
	else
		slide_to(t, id, value + by < CEILING_MOST ? value + by : CEILING_MOST);
}

/* The next of a parameter's named values. */
static void cycle(struct tui *t, enum param id)
{
	uint64_t n = 1;

	for (const char *at = param_values[id]; *at; at++)
		n += *at == '|';
	if (!param_applies(id, t->report.base.x86))
		tui_say(t, "%s has no meaning on this machine", param_keys[id]);
	else
		slide_to(t, id, (t->whatif.slides[id].value + 1) % n);
}

static void keep(struct tui *t)
{
	struct whatif_view *v = &t->whatif;

	bring_up_to_date(t);
	if (v->n_kept == TUI_KEPT) {
		memmove(v->kept, v->kept + 1, (TUI_KEPT - 1) * sizeof(*v->kept));
		memmove(v->kept_names, v->kept_names + 1, (TUI_KEPT - 1) * sizeof(*v->kept_names));
		v->n_kept--;
	}
	v->kept[v->n_kept] = v->counts;
	(void)snprintf(v->kept_names[v->n_kept], sizeof(*v->kept_names), "%.63s", v->policy.text);
	v->n_kept++;
}

static void reset(struct tui *t)
{
	t->whatif.made = false;
	t->whatif.n_kept = 0;
	for (size_t id = 0; id < PARAMS; id++)
		t->whatif.slides[id].changed = false;
	if (enter(t))
		tui_say(t, "out of memory");
}

static bool key(struct tui *t, enum tui_do what)
{
	switch (what) {
	case DO_LEFT:
		slide_by(t, PARAM_CEILING, -1);
		return true;
	case DO_RIGHT:
		slide_by(t, PARAM_CEILING, 1);
		return true;
	case DO_PAGE_UP:
		slide_by(t, PARAM_CEILING, 10);
		return true;
	case DO_PAGE_DOWN:
		slide_by(t, PARAM_CEILING, -10);
		return true;
	case DO_UP:
		slide_by(t, PARAM_LOCAL_CEILING, 1);
		return true;
	case DO_DOWN:
		slide_by(t, PARAM_LOCAL_CEILING, -1);
		return true;
	case DO_COMPARE:
		cycle(t, PARAM_COMPARE);
		return true;
	case DO_ERA:
		cycle(t, PARAM_ERA);
		return true;
	case DO_LAZY:
		cycle(t, PARAM_LAZY);
		return true;
	case DO_MULTICAST:
		cycle(t, PARAM_TLBIE);
		return true;
	case DO_KEEP:
		keep(t);
		return true;
	case DO_RESET:
		reset(t);
		return true;
	default:
		return false;
	}
}

static void draw_params(struct tui *t, const struct area *a)
{
	static const enum param shown[] = { PARAM_CEILING, PARAM_LOCAL_CEILING, PARAM_COMPARE,
					    PARAM_ERA,	   PARAM_LAZY,		PARAM_TLBIE };
	const struct params *was = &t->report.base.model.used;
	const struct whatif_view *v = &t->whatif;
	int x = 0;

	(void)screen_printf(&t->screen, a, 0, 0, TUI_HEAD, "tlbtrace whatif --policy=%s",
			    v->policy.text);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		enum param id = shown[i];
		bool same = v->params.v[id] == was->v[id];
		char value[48];

		if (!param_applies(id, t->report.base.x86))
			continue;
		param_format(id, v->params.v[id], value, sizeof(value));
		x += screen_printf(&t->screen, a, 1, x, TUI_PLAIN, "%s ", param_keys[id]);
		x += screen_printf(&t->screen, a, 1, x, same ? TUI_PLAIN : TUI_MARK, "%s  ", value);
	}
}

/* "1,234", or where no reading is to be preferred "12 .. 34". */
static void cell_text(const struct tui *t, const struct counts *c, enum counter id, char *buf,
		      size_t size)
{
	if (!c->open || c->lo.n[id] == c->hi.n[id])
		(void)snprintf(buf, size, "%s", number_of(c->likely.n[id], true).text);
	else
		(void)snprintf(buf, size, "%s%s%s", number_of(c->lo.n[id], true).text,
			       t->screen.utf8 ? "…" : "..", number_of(c->hi.n[id], true).text);
}

static void draw_change(struct tui *t, const struct area *a, int y, int end, uint64_t was,
			uint64_t now)
{
	enum ink_tui ink = now < was ? TUI_LESS : now > was ? TUI_MORE : TUI_PLAIN;

	screen_right(&t->screen, a, y, end, ink, number_change(was, now).text);
}

static void draw_counter(struct tui *t, const struct area *a, int y, enum counter id)
{
	const struct whatif_view *v = &t->whatif;
	int end = LABEL_COLUMNS + CELL_COLUMNS;
	char text[80];

	(void)screen_text(&t->screen, a, y, 0, TUI_PLAIN, counter_keys[id]);
	cell_text(t, &v->recorded, id, text, sizeof(text));
	screen_right(&t->screen, a, y, end, TUI_PLAIN, text);
	end += CELL_COLUMNS;
	cell_text(t, &v->counts, id, text, sizeof(text));
	screen_right(&t->screen, a, y, end, TUI_HEAD, text);
	end += CHANGE_COLUMNS;
	if (!v->counts.open || v->counts.lo.n[id] == v->counts.hi.n[id])
		draw_change(t, a, y, end, v->recorded.likely.n[id], v->counts.likely.n[id]);
	for (size_t i = 0; i < v->n_kept; i++) {
		end += CELL_COLUMNS;
		cell_text(t, &v->kept[i], id, text, sizeof(text));
		screen_right(&t->screen, a, y, end, TUI_PLAIN, text);
	}
}

static bool is_zero(const struct whatif_view *v, enum counter id)
{
	return v->recorded.hi.n[id] == 0 && v->counts.hi.n[id] == 0;
}

/* Returns the rows that it took. */
static int draw_counters(struct tui *t, const struct area *a)
{
	const struct whatif_view *v = &t->whatif;
	int end = LABEL_COLUMNS + 2 * CELL_COLUMNS + CHANGE_COLUMNS;
	int y = 1;

	screen_right(&t->screen, a, 0, LABEL_COLUMNS + CELL_COLUMNS, TUI_HEAD,
		     t->report.base.trace.asked ? "computed" : "recorded");
	screen_right(&t->screen, a, 0, LABEL_COLUMNS + 2 * CELL_COLUMNS, TUI_HEAD, "this");
	for (size_t i = 0; i < v->n_kept; i++) {
		char text[CELL_COLUMNS];

		end += CELL_COLUMNS;
		(void)snprintf(text, sizeof(text), "%s",
			       strchr(v->kept_names[i], ',') ? strchr(v->kept_names[i], ',') + 1
							     : "recorded");
		screen_right(&t->screen, a, 0, end, TUI_DIM, text);
	}
	for (const enum counter *id = v->policy.kind->counters; *id != COUNTERS; id++)
		if (!is_zero(v, *id))
			draw_counter(t, a, y++, *id);
	return y;
}

/* An address space and how much this policy changes it. */
struct mm_change {
	uint32_t mm;
	uint64_t was;
	uint64_t now;
};

static uint64_t size_of_change(const struct mm_change *c)
{
	return c->was < c->now ? c->now - c->was : c->was - c->now;
}

static int by_change(const void *a, const void *b)
{
	uint64_t n = size_of_change(a);
	uint64_t m = size_of_change(b);

	return (n < m) - (n > m);
}

static void draw_mms(struct tui *t, struct area a)
{
	const struct whatif_view *v = &t->whatif;
	struct mm_change *changes = calloc(t->report.n_mms, sizeof(*changes));

	if (!changes)
		return;
	for (uint32_t i = 0; i < t->report.n_mms; i++)
		changes[i].mm = i;
	for (size_t i = 0; i < v->was.n_mms && i < v->by_mm.n_mms; i++) {
		bool named = i + 1 < v->was.n_mms;
		uint32_t mm = named ? t->report.mm_of[i] : t->report.n_mms - 1;

		changes[mm].was += v->was.by_mm[i].likely.n[v->shown];
		changes[mm].now += v->by_mm.by_mm[i].likely.n[v->shown];
	}
	qsort(changes, t->report.n_mms, sizeof(*changes), by_change);
	for (uint32_t i = 0; i < t->report.n_mms && (int)i < a.rows; i++) {
		int end = LABEL_COLUMNS + CELL_COLUMNS;
		char label[128];

		if (size_of_change(&changes[i]) == 0)
			break;
		(void)screen_printf(&t->screen, &a, (int)i, 0, TUI_PLAIN, "%.*s", end - 8,
				    report_mm_label(&t->report, changes[i].mm, label, sizeof(label)));
		screen_right(&t->screen, &a, (int)i, end, TUI_PLAIN,
			     number_of(changes[i].was, true).text);
		screen_right(&t->screen, &a, (int)i, end + CELL_COLUMNS, TUI_HEAD,
			     number_of(changes[i].now, true).text);
		draw_change(t, &a, (int)i, end + CELL_COLUMNS + CHANGE_COLUMNS, changes[i].was,
			    changes[i].now);
	}
	free(changes);
}

static void draw(struct tui *t, struct area area)
{
	struct area counters;
	int used;

	if (!t->whatif.policy.kind)
		return;
	bring_up_to_date(t);
	draw_params(t, &area);
	if (t->sel.cpu != ANY || t->sel.size != ANY || t->sel.period_from || t->sel.period_to != ANY)
		(void)screen_text(&t->screen, &area, 2, 0, TUI_MORE,
				  "of the filter only mm=, cause= and caller= hold here");
	(void)area_top(&area, 3);
	counters = area;
	used = draw_counters(t, &counters);
	(void)area_top(&area, used);
	if (area.rows > 2 * MMS_SHOWN)
		draw_mms(t, area_top(&area, MMS_SHOWN));
	curve_draw(t, area);
}

const struct view view_whatif = {
	.name = "what-if",
	.hints = "Left Right ceiling  Up Down local  c compare  e era  a keep  r reset  ? keys",
	.enter = enter,
	.draw = draw,
	.key = key,
	.idle = curve_work,
};
