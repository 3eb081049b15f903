/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_text.c - the answer as a person wants to read it: what, how much, whence, how sure. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/page.h"
#include "cmd/output/whatif_parts.h"
#include "cmd/output/whatif_sweep.h"
#include "cmd/output/whatif_table.h"
#include "cmd/whatif.h"

#define KINDS_SHOWN 5	 /* rows of an explanation */
#define KINDS_PERCENT 95 /* that much of the change is enough */
#define MISSES_SHOWN 20	 /* rows of -v */

static void write_input(struct page *p, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	char seconds[48] = "";

	if (info->has_time)
		(void)snprintf(seconds, sizeof(seconds), ", %s s",
			       number_seconds(r->trace.last_ns - r->trace.first_ns).text);
	page_left(p, INK_BOLD, 0, r->path);
	page_end_line(p);
	page_paragraph(
		p, "  ", "%s%s, %s MMU, %" PRIu64 "K pages, %" PRIu32 " CPUs%s, %s events (%s)",
		*info->kernel ? "Linux " : "", *info->kernel ? info->kernel : "unknown kernel",
		r->mmu ? r->mmu : "unknown", r->model.used.v[PARAM_PAGE_SIZE] / 1024, info->cpus,
		seconds, page_number(p, info->events).text, info->format);
}

/* "ceiling 33 (default; at least 32)". */
static void append_fact(char *text, size_t size, const struct model *m, enum param id)
{
	const struct param_fact *fact = &m->fact[id];
	char value[48];
	char lo[48];
	char hi[48];
	char range[112] = "";
	size_t len = strlen(text);

	param_format(id, m->used.v[id], value, sizeof(value));
	param_format(id, fact->lo, lo, sizeof(lo));
	param_format(id, fact->hi == UINT64_MAX ? 0 : fact->hi, hi, sizeof(hi));
	if (fact->lo != fact->hi && fact->hi != UINT64_MAX)
		(void)snprintf(range, sizeof(range), "; %s to %s", lo, hi);
	else if (fact->lo != fact->hi && fact->lo)
		(void)snprintf(range, sizeof(range), "; at least %s", lo);
	(void)snprintf(text + len, size - len, "%s%s %s (%s%s)", len ? ", " : "", param_keys[id],
		       value, evidence_names[fact->evidence], range);
}

static void write_model(struct page *p, const struct whatif_result *r, bool verbose)
{
	static const enum param shown[] = { PARAM_CEILING, PARAM_LOCAL_CEILING, PARAM_FIXUPS,
					    PARAM_SETS,	   PARAM_PTI,		PARAM_LAZY_SKIP };
	char text[512] = "";

	if (whatif_is_hash(r)) {
		page_paragraph(p, "  ",
			       "CAREFUL: this kernel used the hash MMU, which is not modelled. Its "
			       "records are counted, and no policy says anything of them.");
		return;
	}
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (param_applies(shown[i], r->x86))
			append_fact(text, sizeof(text), &r->model, shown[i]);
	page_paragraph(p, "  ", "Recorded with %s", text);
	for (size_t i = 0; verbose && i < PARAMS; i++) {
		if (!param_applies((enum param)i, r->x86))
			continue;
		*text = '\0';
		append_fact(text, sizeof(text), &r->model, (enum param)i);
		page_paragraph(p, "    ", "%s: %s", text, r->model.fact[i].why);
	}
	/* Said before any number is read. */
	if (r->fidelity.exact < r->fidelity.flushes - r->fidelity.flushes / 100)
		page_paragraph(
			p, "  ",
			"CAREFUL: replayed with this, only %" PRIu64 " of %" PRIu64
			" groups of records come out as recorded. The kernel was not what it is taken "
			"for, or events are missing: do not trust the numbers below.",
			r->fidelity.exact, r->fidelity.flushes);
}

/* "in shmdt", "at exit"; "" where nothing is known. */
static const char *cause_text(const struct flush_kind *k, char *buf, size_t size)
{
	switch ((enum flush_cause)k->cause) {
	case CAUSE_UNKNOWN:
		return k->context == CONTEXT_OUTSIDE ? " outside of calls that unmap" : "";
	case CAUSE_FORK:
	case CAUSE_EXEC:
	case CAUSE_EXIT:
		(void)snprintf(buf, size, " at %s", flush_cause_keys[k->cause]);
		return buf;
	case CAUSE_KTHREAD:
		return " by a kernel thread";
	default:
		(void)snprintf(buf, size, " in %s", flush_cause_keys[k->cause]);
		return buf;
	}
}

/* "32 pages of 64K", "9 to 33 pages of 64K". */
static void pages_text(const struct page *p, const struct flush_kind *k, char *buf, size_t size)
{
	char from[48] = "";

	if (k->pages_min != k->pages_max)
		(void)snprintf(from, sizeof(from), "%s to ", page_number(p, k->pages_min).text);
	(void)snprintf(buf, size, "%s%s page%s of %s%s", from, page_number(p, k->pages_max).text,
		       k->pages_max == 1 ? "" : "s", number_size(k->shift).text,
		       k->pwc ? " and page tables" : "");
}

static void what_text(const struct page *p, const struct flush_kind *k, char *buf, size_t size)
{
	const char *many = k->flushes == 1 ? "" : "es";
	struct number n = page_number(p, k->flushes);
	char pages[120];

	switch ((enum flush_shape)k->shape) {
	case SHAPE_VA:
		pages_text(p, k, pages, sizeof(pages));
		(void)snprintf(buf, size, "%s flush%s of %s", n.text, many, pages);
		break;
	case SHAPE_PID:
		(void)snprintf(buf, size, "%s flush%s of a whole PID", n.text, many);
		break;
	case SHAPE_ALL:
		(void)snprintf(buf, size, "%s flush%s of a whole PID and page tables", n.text, many);
		break;
	case SHAPE_PWC:
		(void)snprintf(buf, size, "%s flush%s of a page walk cache", n.text, many);
		break;
	case SHAPE_X86:
		pages_text(p, k, pages, sizeof(pages));
		(void)snprintf(buf, size, "%s flush%s of %s", n.text, many,
			       k->pages_max ? pages : "everything");
		break;
	case SHAPE_HCALL:
		(void)snprintf(buf, size, "%s flush%s by hypervisor call", n.text, many);
		break;
	case SHAPE_KERNEL:
		(void)snprintf(buf, size, "%s flush%s of kernel addresses", n.text, many);
		break;
	default:
		(void)snprintf(buf, size, "%s record%s of guests or the hash MMU", n.text,
			       k->flushes == 1 ? "" : "s");
		break;
	}
}

static const char *scope_text(const struct flush_kind *k)
{
	if (k->irq)
		return ", by IPI";
	if (k->shape == SHAPE_X86)
		return "";
	return k->local ? ", local" : ", global";
}

/* "shm/134: 1,177 flushes of 32 pages of 64K in shmdt, global". */
static void kind_text(const struct page *p, const struct whatif_result *r,
		      const struct flush_kind *k, char *buf, size_t size)
{
	const struct mm *mm = mm_by_index(trace_mms(&r->trace), k->first_mm);
	char what[200];
	char cause[48];
	char tgid[24] = "";

	what_text(p, k, what, sizeof(what));
	if (mm && mm->tgid >= 0 && !k->several_mms)
		(void)snprintf(tgid, sizeof(tgid), "/%" PRId32, mm->tgid);
	(void)snprintf(buf, size, "%s%s%s%s%s%s",
		       *k->name ? k->name
		       : mm	? "?"
				: "",
		       tgid, mm ? ": " : "", what, cause_text(k, cause, sizeof(cause)),
		       scope_text(k));
}

static uint64_t all_changes(const struct whatif_answer *a)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < a->changes.n; i++)
		sum += kind_change(&a->changes.kinds[i], a->changed).size;
	return sum;
}

/* The change in the column before the kind: with its share, or between which bounds it is. */
static void change_text(const struct page *p, const struct flush_kind *k, enum counter counter,
			uint64_t all, char *buf, size_t size)
{
	struct change c = kind_change(k, counter);
	char text[80];

	if (k->predicted.open && c.lo != c.hi)
		(void)snprintf(text, sizeof(text), "%s %s %s",
			       number_signed(c.lo, p->thousands).text, p->dots,
			       number_signed(c.hi, p->thousands).text);
	else
		(void)snprintf(text, sizeof(text), "%s %3u %%",
			       number_signed(c.likely, p->thousands).text,
			       (unsigned)((unsigned __int128)c.size * 100 / all));
	(void)snprintf(buf, size, "%*s  ",
		       PAGE_WIDTH / 4 - 2 + (int)strlen(text) - page_columns(text), text);
}

static void write_kind(struct page *p, const struct whatif_result *r, const struct flush_kind *k,
		       const struct whatif_answer *a, uint64_t all)
{
	char mark[96];
	char text[320];

	change_text(p, k, a->changed, all, mark, sizeof(mark));
	kind_text(p, r, k, text, sizeof(text));
	page_paragraph(p, mark, "%s", text);
}

/* Few alternatives are explained at length, many in a line each. */
static size_t kinds_shown(const struct whatif *w)
{
	return w->n_policies > KINDS_SHOWN ? 1 : (KINDS_SHOWN + w->n_policies - 1) / w->n_policies;
}

static void write_changes(struct page *p, const struct whatif *w, const struct whatif_result *r,
			  const struct whatif_answer *a)
{
	uint64_t all = all_changes(a);
	uint64_t rest = all;

	page_heading(p, "Where the change of %s comes from (%s)", counter_keys[a->changed],
		     a->policy->text);
	if (all == 0)
		page_paragraph(
			p, "  ",
			"Nothing changes: the two policies treat every flush of this trace alike.");
	for (size_t i = 0;
	     i < a->changes.n && i < kinds_shown(w) && rest > all / 100 * (100 - KINDS_PERCENT);
	     i++) {
		write_kind(p, r, &a->changes.kinds[i], a, all);
		rest -= kind_change(&a->changes.kinds[i], a->changed).size;
	}
	if (rest)
		page_paragraph(p, "  ", "and other kinds of flush: %s %%",
			       number_percent(rest, all).text);
}

/* Notes of one kind, with a heading above the first. */
struct notes {
	struct page *page;
	enum note_kind kind;
	const char *heading;
	bool any;
};

static void write_note(void *arg, enum note_kind kind, const char *text)
{
	struct notes *n = arg;

	if (kind != n->kind)
		return;
	if (!n->any)
		page_heading(n->page, "%s", n->heading);
	n->any = true;
	page_paragraph(n->page, "  ", "%s", text);
}

static void write_notes(struct page *p, const struct whatif *w, const struct whatif_result *r,
			enum note_kind kind, const char *heading)
{
	struct notes notes = { p, kind, heading, false };

	whatif_notes(r, w, p->thousands, write_note, &notes);
}

static void write_fidelity(struct page *p, const struct whatif_result *r)
{
	const struct fidelity *f = &r->fidelity;
	struct whatif_pair pair = whatif_pair(r->x86);

	page_heading(p, "How well it is understood");
	if (f->unmodelled)
		page_paragraph(p, "  ",
			       "%s groups of records are of the hash MMU, of guests or of unknown "
			       "operands: they are counted, and not predicted.",
			       page_number(p, f->unmodelled).text);
	if (f->asked) {
		page_paragraph(
			p, "  ",
			"No instructions were recorded, so none can be compared: that the counts "
			"are right rests on %s requests that probes told, and on what the kernel "
			"is taken for.",
			page_number(p, f->asked).text);
		return;
	}
	if (f->flushes == 0) {
		if (!f->unmodelled)
			page_paragraph(p, "  ", "There is no flush in what was selected.");
		return;
	}
	page_paragraph(
		p, "  ",
		"Replaying the recorded policy gives %s of %s groups of records exactly (%s %%); %s %s "
		"of %s, %s %s of %s.",
		page_number(p, f->exact).text, page_number(p, f->flushes).text,
		number_percent(f->exact, f->flushes).text, counter_keys[pair.one],
		page_number(p, f->replayed.n[pair.one]).text,
		page_number(p, f->recorded.n[pair.one]).text, counter_keys[pair.other],
		page_number(p, f->replayed.n[pair.other]).text,
		page_number(p, f->recorded.n[pair.other]).text);
	page_paragraph(p, "  ",
		       "Their extent: %s told by probes, %s seen between marks, %s by a rule, %s "
		       "unknown (promoted).",
		       page_number(p, f->known[KNOWN_TOLD]).text,
		       page_number(p, f->known[KNOWN_SEEN]).text,
		       page_number(p, f->known[KNOWN_AMBIGUOUS]).text,
		       page_number(p, f->known[KNOWN_CENSORED]).text);
}

static void write_misses(struct page *p, const struct whatif_result *r)
{
	const struct explanation *e = &r->misses;
	struct whatif_pair pair = whatif_pair(r->x86);
	char text[320];

	if (e->n == 0)
		return;
	page_heading(p, "Groups of records that do not replay exactly");
	for (size_t i = 0; i < e->n && i < MISSES_SHOWN; i++) {
		const struct flush_kind *k = &e->kinds[i];

		kind_text(p, r, k, text, sizeof(text));
		page_paragraph(p, "  ", "%s: recorded %s %s, %s %s; replayed %s and %s", text,
			       page_number(p, k->recorded.n[pair.one]).text, counter_keys[pair.one],
			       page_number(p, k->recorded.n[pair.other]).text,
			       counter_keys[pair.other],
			       page_number(p, k->predicted.likely.n[pair.one]).text,
			       page_number(p, k->predicted.likely.n[pair.other]).text);
	}
	if (e->n > MISSES_SHOWN)
		page_paragraph(p, "  ", "and %zu other kinds", e->n - MISSES_SHOWN);
}

static void write_result(struct page *p, const struct whatif *w, const struct whatif_result *r,
			 bool verbose)
{
	struct whatif_table table = { w, r, verbose };

	write_input(p, r);
	if (whatif_is_of_vcpus(w)) {
		whatif_part_vcpus(p, r, verbose);
		write_notes(p, w, r, NOTE_DOUBT, "What is uncertain");
		return;
	}
	write_model(p, r, verbose);
	if (whatif_has_flushes(r) || !watch_vcpus(r->watch)) {
		page_end_line(p);
		whatif_table(p, &table);
	}
	whatif_part_targets(p, w, r);
	whatif_part_vcpus(p, r, verbose);
	whatif_part_ipis(p, w, r, verbose);
	whatif_part_lazy(p, w, r);
	whatif_part_cost(p, w, r);
	if (r->sweep.n_rows)
		whatif_sweep(p, w, r);
	write_notes(p, w, r, NOTE_EDGE, "At the edge");
	for (size_t i = 0; i < w->n_policies; i++)
		if (policy_is_comparable(w->policies[i].kind) && !whatif_is_hash(r))
			write_changes(p, w, r, &r->answers[i]);
	whatif_part_promoted(p, w, r);
	write_fidelity(p, r);
	if (verbose)
		write_misses(p, r);
	write_notes(p, w, r, NOTE_DOUBT, "What is uncertain");
}

/* A summary may be of many. */
static uint64_t count_traces(const struct whatif *w)
{
	uint64_t n = 0;

	for (size_t i = 0; i < w->n_results; i++) {
		const struct trace_kept *kept = w->results[i].trace.kept;

		n += kept ? kept->inputs : 1;
	}
	return n;
}

static void write_total(struct page *p, const struct whatif *w, bool verbose)
{
	struct whatif_table table = { w, NULL, verbose };

	page_heading(p, "Total of %s traces", page_number(p, count_traces(w)).text);
	whatif_table(p, &table);
	whatif_part_targets(p, w, NULL);
}

static void write_checks(struct page *p, const struct whatif *w)
{
	static const char *const marks[VERDICTS] = { "  ok         ", "  EXCEEDED   ",
						     "  UNDECIDED  " };

	page_heading(p, "Checks");
	for (size_t i = 0; i < w->checks.n; i++) {
		const struct check *c = &w->checks.list[i];
		bool several = c->input && w->n_results > 1;

		page_paragraph(p, marks[c->verdict], "%s (%s%s%s): %s.", c->check,
			       whatif_check_policy(c), several ? ", " : "", several ? c->input : "",
			       c->why);
	}
}

static void write_hint(struct page *p, const struct whatif *w)
{
	page_end_line(p);
	page_paragraph(p, "",
		       "Ask for alternatives with --ceiling=N, --local-ceiling=N, --compare=ge or "
		       "--policy=%s,key=value,...; see tlbtrace whatif --help.",
		       whatif_is_x86(w) ? "x86" : "radix");
}

void whatif_text(struct sink *s, const struct whatif *w, bool verbose)
{
	struct page p = page_on(s);

	for (size_t i = 0; i < w->n_results; i++) {
		if (i)
			page_end_line(&p);
		write_result(&p, w, &w->results[i], verbose);
	}
	if (w->n_results > 1)
		write_total(&p, w, verbose);
	if (w->checks.n)
		write_checks(&p, w);
	if (w->n_policies == 0 && !w->sweep.step && !w->checks.n)
		write_hint(&p, w);
}
