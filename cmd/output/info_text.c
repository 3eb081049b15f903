/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info_text.c - what a trace is, for people: about ten lines. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/info.h"
#include "cmd/output/page.h"

#define LABEL_COLUMNS 11
#define KEY_COLUMNS 14 /* the longest key, local-ceiling, and a space */
#define NUMBER_COLUMNS 14

/* A list that grows: "a, b, c". */
struct list {
	char text[1536];
	size_t used;
};

static void append(struct list *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void append(struct list *l, const char *fmt, ...)
{
	size_t room = sizeof(l->text) - l->used;
	va_list ap;
	int n;

	if (l->used && room > 2) {
		memcpy(l->text + l->used, ", ", 3);
		l->used += 2;
		room -= 2;
	}
	va_start(ap, fmt);
	n = vsnprintf(l->text + l->used, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->used += (size_t)n < room ? (size_t)n : room - 1;
}

/* A paragraph beside its label of so many columns; an empty label continues the one above. */
static void write_beside(struct page *p, int columns, const char *label, const char *text)
{
	char mark[32];

	(void)snprintf(mark, sizeof(mark), "  %-*s", columns, label);
	page_paragraph(p, mark, "%s", text);
}

static void write_line(struct page *p, const char *label, const char *text)
{
	write_beside(p, LABEL_COLUMNS, label, text);
}

/* Keys of the JSON as words: "system_calls" is "system calls". */
static void words_of(const char *key, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%s", key);
	for (; *buf; buf++)
		if (*buf == '_')
			*buf = ' ';
}

static void write_file(struct page *p, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	struct list l = { .used = 0 };

	append(&l, "%s%s%s", info->format, *info->tool ? ", recorded by " : "", info->tool);
	if (info->has_time)
		append(&l, "%s s", number_seconds(r->trace.last_ns - r->trace.first_ns).text);
	else
		append(&l, "no times");
	append(&l, "%s events", page_number(p, info->events).text);
	if (*info->clock)
		append(&l, "clock %s", info->clock);
	write_line(p, "File", l.text);
}

/* Of a summary: what it is of. */
static void write_summary(struct page *p, const struct whatif_result *r)
{
	const struct trace_kept *kept = r->trace.kept;
	struct list l = { .used = 0 };

	if (!kept)
		return;
	append(&l, "of %s trace%s", page_number(p, kept->inputs).text, kept->inputs == 1 ? "" : "s");
	if (*kept->selection)
		append(&l, "made with %s", kept->selection);
	if (kept->folded)
		append(&l, "the smallest address spaces without names");
	if (kept->unknown_parts)
		append(&l, "%s parts of a newer version are passed over",
		       page_number(p, kept->unknown_parts).text);
	write_line(p, "Summary", l.text);
}

static void write_machine(struct page *p, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	struct list l = { .used = 0 };

	append(&l, "%s%s%s%s", *info->kernel ? "Linux " : "an unnamed kernel", info->kernel,
	       *info->arch ? " on " : "", info->arch);
	if (r->mmu && !r->x86)
		append(&l, "%s MMU", r->mmu);
	append(&l, "%" PRIu64 "K pages", r->model.used.v[PARAM_PAGE_SIZE] / 1024);
	append(&l, "%" PRIu32 " CPUs", info->cpus);
	write_line(p, "Machine", l.text);
}

static void write_has(struct page *p, const struct info_facts *f)
{
	struct list l = { .used = 0 };
	char what[40];

	for (size_t i = 0; i < f->n_has; i++) {
		words_of(f->has[i].what, what, sizeof(what));
		if (f->has[i].events)
			append(&l, "%s %s", page_number(p, f->has[i].events).text, what);
	}
	write_line(p, "Has", l.used ? l.text : "nothing that concerns flushes");
}

static void write_lacks(struct page *p, const struct info_facts *f)
{
	for (size_t i = 0; i < f->n_lacks; i++) {
		const struct info_lack *lack = &f->lacks[i];
		struct list l = { .used = 0 };
		char what[40];

		words_of(lack->what, what, sizeof(what));
		append(&l, "%s: %s. Record %s", what, lack->cost, lack->record);
		write_line(p, i ? "" : "Lacks", l.text);
	}
}

static void write_damage(struct page *p, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	struct list l = { .used = 0 };

	if (r->trace.interrupted)
		append(&l, "reading was interrupted: only what was read is counted");
	if (info->truncated)
		append(&l, "%s", info->truncated_text);
	if (info->lost_events)
		append(&l, "%s events lost while recording", page_number(p, info->lost_events).text);
	if (info->lost_unknown)
		append(&l, "events lost in %s places", page_number(p, info->lost_unknown).text);
	if (info->unknown_records)
		append(&l, "%s records of unknown format",
		       page_number(p, info->unknown_records).text);
	if (l.used)
		write_line(p, "Damage", l.text);
}

static void write_flushes(struct page *p, const struct whatif_result *r)
{
	const struct fidelity *f = &r->fidelity;
	char text[400];

	if (f->unmodelled) {
		(void)snprintf(text, sizeof(text),
			       "%s groups of records of the hash MMU, guests or unknown operands: "
			       "counted, and no policy says anything of them",
			       page_number(p, f->unmodelled).text);
		write_line(p, "Others", text);
	}
	if (f->asked) {
		(void)snprintf(
			text, sizeof(text),
			"%s requests that probes told, and no instructions: counts are computed",
			page_number(p, f->asked).text);
		write_line(p, "Flushes", text);
		return;
	}
	if (f->flushes == 0)
		return;
	(void)snprintf(
		text, sizeof(text),
		"%s groups of records, of which %s replay exactly (%s %%); extent: %s told by probes, %s seen "
		"between marks, %s by a rule, %s unknown (promoted)",
		page_number(p, f->flushes).text, page_number(p, f->exact).text,
		number_percent(f->exact, f->flushes).text,
		page_number(p, f->known[KNOWN_TOLD]).text, page_number(p, f->known[KNOWN_SEEN]).text,
		page_number(p, f->known[KNOWN_AMBIGUOUS]).text,
		page_number(p, f->known[KNOWN_CENSORED]).text);
	write_line(p, "Flushes", text);
}

/* Which values are open, and what to make of them, stands in lines of their own. */
static bool is_found(const struct whatif_result *r, size_t id, enum evidence evidence)
{
	const struct param_fact *fact = &r->model.fact[id];

	return param_applies((enum param)id, r->x86) && fact->evidence == evidence &&
	       fact->lo == fact->hi;
}

/* "sets 128 (6 of 6 local PID flushes)": only the trace's evidence differs from one to the other. */
static void append_found(struct list *l, const struct model *m, enum param id)
{
	const struct param_fact *fact = &m->fact[id];
	bool why = fact->evidence == EVIDENCE_TRACE;
	char value[48];

	param_format(id, m->used.v[id], value, sizeof(value));
	append(l, "%s %s%s%s%s", param_keys[id], value, why ? " (" : "", why ? fact->why : "",
	       why ? ")" : "");
}

static void write_kernel(struct page *p, const struct whatif_result *r)
{
	static const char *const whence[] = {
		[EVIDENCE_DEFAULT] = "taken as in mainline, without evidence",
		[EVIDENCE_UNAME] = "from its release",
		[EVIDENCE_METADATA] = "from the file",
		[EVIDENCE_TRACE] = "from the trace",
		[EVIDENCE_OPTION] = "from --recorded",
	};
	const char *label = "Kernel";

	for (int evidence = EVIDENCE_OPTION; evidence >= EVIDENCE_DEFAULT; evidence--) {
		struct list l = { .used = 0 };
		char text[sizeof(l.text) + 64];

		for (size_t i = 0; i < PARAMS; i++)
			if (is_found(r, i, (enum evidence)evidence))
				append_found(&l, &r->model, (enum param)i);
		if (!l.used)
			continue;
		(void)snprintf(text, sizeof(text), "%s: %s", whence[evidence], l.text);
		write_line(p, label, text);
		label = "";
	}
}

/* "32 or more", "1 to 128". */
static void range_text(enum param id, const struct param_fact *fact, char *buf, size_t size)
{
	char lo[48];
	char hi[48];

	param_format(id, fact->lo, lo, sizeof(lo));
	param_format(id, fact->hi == UINT64_MAX ? 0 : fact->hi, hi, sizeof(hi));
	if (fact->hi != UINT64_MAX)
		(void)snprintf(buf, size, "%s to %s", lo, hi);
	else if (fact->lo)
		(void)snprintf(buf, size, "%s or more", lo);
	else
		(void)snprintf(buf, size, "anything");
}

static void append_open(struct list *l, const struct model *m, enum param id)
{
	char range[112];
	char used[48];

	range_text(id, &m->fact[id], range, sizeof(range));
	param_format(id, m->used.v[id], used, sizeof(used));
	append(l, "%s %s (%s), %s is used", param_keys[id], range, m->fact[id].why, used);
}

/* Parameters that the same evidence would tell share a paragraph. */
static void write_open(struct page *p, const struct info_result *result)
{
	const struct info_facts *f = &result->facts;
	const char *label = "Open";

	for (size_t i = 0; i < f->n_open;) {
		const char *tells = f->open[i].tells;
		struct list l = { .used = 0 };
		char text[sizeof(l.text) + 240];

		for (; i < f->n_open && strcmp(f->open[i].tells, tells) == 0; i++)
			append_open(&l, &result->read.model, f->open[i].id);
		(void)snprintf(text, sizeof(text), "%s; would tell: %s", l.text, tells);
		write_line(p, label, text);
		label = "";
	}
}

static void write_contradictions(struct page *p, const struct info_facts *f)
{
	for (size_t i = 0; i < f->n_contradictions; i++)
		write_line(p, i ? "" : "Conflicts", f->contradictions[i]);
}

static void write_parameters(struct page *p, const struct whatif_result *r)
{
	char value[48];

	page_heading(p, "Parameters");
	for (size_t i = 0; i < PARAMS; i++) {
		const struct param_fact *fact = &r->model.fact[i];
		struct list l = { .used = 0 };

		if (!param_applies((enum param)i, r->x86))
			continue;
		param_format((enum param)i, r->model.used.v[i], value, sizeof(value));
		append(&l, "%s (%s: %s). %s", value, evidence_names[fact->evidence], fact->why,
		       param_texts[i]);
		write_beside(p, KEY_COLUMNS, param_keys[i], l.text);
	}
}

static void write_events(struct page *p, const struct source_info *info)
{
	page_heading(p, "Events");
	for (size_t i = 0; i < info->n_counts; i++) {
		if (info->counts[i].count == 0)
			continue;
		page_right(p, INK_PLAIN, NUMBER_COLUMNS, page_number(p, info->counts[i].count).text);
		page_left(p, INK_PLAIN, 0, "  ");
		page_left(p, INK_PLAIN, 0, info->counts[i].name);
		page_end_line(p);
	}
}

static void write_result(struct page *p, const struct info_result *result, bool verbose)
{
	const struct whatif_result *r = &result->read;

	page_left(p, INK_BOLD, 0, r->path);
	page_end_line(p);
	write_summary(p, r);
	write_file(p, r);
	write_machine(p, r);
	write_has(p, &result->facts);
	write_lacks(p, &result->facts);
	write_damage(p, r);
	write_flushes(p, r);
	if (!whatif_is_hash(r)) {
		write_kernel(p, r);
		write_open(p, result);
	}
	write_contradictions(p, &result->facts);
	if (!verbose)
		return;
	write_parameters(p, r);
	write_events(p, r->trace.info);
}

void info_text(struct sink *s, const struct info *info)
{
	struct page p = page_on(s);

	for (size_t i = 0; i < info->n_results; i++) {
		if (i)
			page_end_line(&p);
		write_result(&p, &info->results[i], info->verbose);
	}
}
