/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify_text.c - a comparison for people. */
#include <inttypes.h>
#include <string.h>

#include "cmd/output/page.h"
#include "cmd/verify.h"

/* Per second counts are divided by ns. */
static double per_unit(const struct verify *v, double value)
{
	return v->per == PER_SECONDS ? value * 1e9 : value;
}

static struct number number_per(const struct page *p, const struct verify *v, double value)
{
	struct number out;

	value = per_unit(v, value);
	if (v->per == PER_NONE)
		return page_number(p, (uint64_t)(value + 0.5));
	(void)snprintf(out.text, sizeof(out.text), "%.1f", value);
	return out;
}

static void write_range(struct page *p, const struct verify *v, int columns, double from, double to)
{
	struct number lo = number_per(p, v, from);
	struct number hi = number_per(p, v, to);
	char text[96];

	(void)snprintf(text, sizeof(text), "%s%s%s", lo.text, p->dots, hi.text);
	page_right(p, INK_PLAIN, columns, strcmp(lo.text, hi.text) == 0 ? lo.text : text);
}

static void write_because(struct page *p, const struct verify_line *line)
{
	static const char *const texts[VERIFY_BECAUSES] = {
		[BECAUSE_TOLERANCE] = "holds",	       [BECAUSE_INTERVAL] = "in the interval",
		[BECAUSE_CLOCK] = "by the trim clock", [BECAUSE_UNDECIDED] = "UNDECIDED",
		[BECAUSE_NOTHING] = "OUTSIDE",
	};

	page_left(p, INK_PLAIN, 3, "");
	page_left(p, line->because >= BECAUSE_UNDECIDED ? INK_BOLD : INK_PLAIN, 0,
		  texts[line->because]);
}

/* How far the likely reading is from the nearer end of the spread. */
static void write_off(struct page *p, const struct verify_line *line)
{
	double near = line->likely;
	char text[32] = "";

	if (line->likely < line->actual_min)
		near = line->actual_min;
	else if (line->likely > line->actual_max)
		near = line->actual_max;
	if (!line->derived && !line->predicted.open && near > 0)
		(void)snprintf(text, sizeof(text), "%+.1f %%", 100 * (line->likely / near - 1));
	page_right(p, INK_PLAIN, 10, text);
}

static void write_line(struct page *p, const struct verify *v, const struct verify_line *line)
{
	page_left(p, INK_PLAIN, 10, counter_keys[line->counter]);
	page_right(p, INK_PLAIN, 11,
		   line->predicted.open ? "" : number_per(p, v, line->likely).text);
	write_range(p, v, 18, line->lo, line->hi);
	write_range(p, v, 18, line->actual_min, line->actual_max);
	write_off(p, line);
	write_because(p, line);
	page_end_line(p);
}

static void write_calls(struct page *p, const struct verify *v, const struct verify_side *side)
{
	const struct call_stats *s = calls_of(side->calls, v->cause);

	page_paragraph(p, "  ",
		       "%s: %" PRIu64 " calls, %" PRIu64 " to %" PRIu64 " tlbie each; %" PRIu64
		       " that changed scope midway are apart",
		       side->result.path, s->calls, s->least.n[COUNT_TLBIE], s->most.n[COUNT_TLBIE],
		       s->mixed);
}

static void write_clock(struct page *p, const struct verify *v)
{
	const struct clock_stats *clock = &v->clock;

	if (clock->cpus == 0 || v->per == PER_CALL)
		return;
	page_paragraph(
		p, "  ",
		"The trim clock, whose phase no trace tells, turned %" PRIu64
		" of the calls local midway: %s tlbiel instead of %s tlbie. One trim more or less "
		"per CPU (%" PRIu64 " made global flushes) moves up to %s tlbie and %s tlbiel.",
		clock->turned, page_number(p, clock->made.n[COUNT_TLBIEL]).text,
		page_number(p, clock->instead.n[COUNT_TLBIE]).text, clock->cpus,
		page_number(p, clock->tlbie).text, page_number(p, clock->tlbiel).text);
}

static void write_undecided(struct page *p, const struct verify *v)
{
	for (size_t i = 0; i < v->n_lines; i++) {
		if (v->lines[i].because != BECAUSE_UNDECIDED)
			continue;
		if (v->clock_untold) {
			page_paragraph(
				p, "  ",
				"Undecided is what the kernel's trim clock may have moved, which "
				"a summary does not tell. Predict from the trace.");
			return;
		}
		page_paragraph(
			p, "  ",
			"%s is undecided: a single trim could move more than all of it, so almost "
			"anything that was recorded would agree. A longer recording tells, or --per=event:CALL, "
			"which keeps apart the calls that the clock turned.",
			counter_keys[v->lines[i].counter]);
	}
}

static void write_title(struct page *p, const struct verify *v)
{
	static const char *const units[] = { "in total", "per second", "per event", "per call" };

	page_paragraph(p, "", "%s predicted from %s, held against %zu recording%s, %s%s%s",
		       v->question.policies[0].text, v->recorded.result.path, v->n_actual,
		       v->n_actual == 1 ? "" : "s", units[v->per], *v->event ? " of " : "",
		       v->event);
}

void verify_text(struct sink *s, const struct verify *v)
{
	struct page p = page_on(s);

	write_title(&p, v);
	page_end_line(&p);
	page_left(&p, INK_BOLD, 10, "");
	page_right(&p, INK_BOLD, 11, "predicted");
	page_right(&p, INK_BOLD, 18, "bounds");
	page_right(&p, INK_BOLD, 18, "recorded");
	page_right(&p, INK_BOLD, 10, "off");
	page_end_line(&p);
	for (size_t i = 0; i < v->n_lines; i++)
		write_line(&p, v, &v->lines[i]);
	page_end_line(&p);
	if (v->per == PER_CALL) {
		write_calls(&p, v, &v->recorded);
		for (size_t i = 0; i < v->n_actual; i++)
			write_calls(&p, v, &v->actual[i]);
	}
	write_clock(&p, v);
	write_undecided(&p, v);
}
