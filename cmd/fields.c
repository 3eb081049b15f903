/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.c - the table of columns. */
#include "cmd/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/suggest.h"
#include "cmd/report.h"
#include "cmd/whatif.h"

#define COUNTER_FIELD(id, name, text)                                                              \
	[id] = { .key = (name), .what = (text), .at = offsetof(struct figures, t.n[id]) },

const struct field fields[FIELDS] = {
	COUNTERS_X(COUNTER_FIELD)
		[COUNTERS] = { .key = "pages",
			       .what = "pages asked for by address; promoted requests hide theirs",
			       .at = offsetof(struct figures, pages) },
	{ .key = "local",
	  .what = "requests that flushed only their own CPU",
	  .at = offsetof(struct figures, local) },
	{ .key = "global", .what = "the other requests", .at = offsetof(struct figures, global) },
	{ .key = "instructions",
	  .what = "recorded instructions of all kinds",
	  .at = offsetof(struct figures, instructions) },
	{ .key = "share",
	  .head = "%all",
	  .what = "of all recorded instructions",
	  .kind = FIELD_SHARE,
	  .at = offsetof(struct figures, instructions),
	  .whole = offsetof(struct figures, instructions),
	  .of_total = true },
	{ .key = "global_share",
	  .head = "%global",
	  .what = "of its requests that are global",
	  .kind = FIELD_SHARE,
	  .at = offsetof(struct figures, global),
	  .whole = offsetof(struct figures, t.n[COUNT_FLUSHES]) },
};
#undef COUNTER_FIELD

static void figures_add(struct figures *sum, const struct figures *add, uint64_t times)
{
	bool no_limit = sum->pages == NO_LIMIT || (add->pages == NO_LIMIT && times);

	tally_add(&sum->t, &add->t, times);
	sum->pages = no_limit ? NO_LIMIT : sum->pages + add->pages * times;
	sum->local += add->local * times;
	sum->global += add->global * times;
	sum->instructions += add->instructions * times;
}

void sums_add(struct sums *sum, const struct sums *add, uint64_t times)
{
	figures_add(&sum->likely, &add->likely, times);
	figures_add(&sum->least, &add->least, times);
	figures_add(&sum->most, &add->most, times);
}

const char *field_head(const struct field *f)
{
	return f->head ? f->head : f->key;
}

static uint64_t number_at(const struct figures *figures, size_t at)
{
	uint64_t n;

	memcpy(&n, (const char *)figures + at, sizeof(n));
	return n;
}

uint64_t field_value(const struct field *f, const struct sums *row, const struct sums *total)
{
	uint64_t n = number_at(&row->likely, f->at);
	uint64_t whole;

	if (f->kind == FIELD_NUMBER)
		return n;
	whole = number_at(f->of_total ? &total->likely : &row->likely, f->whole);
	return whole ? (uint64_t)((unsigned __int128)n * 10000 / whole) : 0;
}

struct field_bounds field_bounds(const struct field *f, const struct sums *row)
{
	return (struct field_bounds){ number_at(&row->least, f->at), number_at(&row->most, f->at) };
}

bool field_is_computed(const struct field *f)
{
	size_t id = (size_t)(f - fields);

	return id < COUNTERS ? !report_holds((enum counter)id)
			     : f->at != offsetof(struct figures, instructions);
}

bool field_is_open(const struct field *f, const struct sums *row)
{
	bool whole_open = f->kind == FIELD_SHARE &&
			  number_at(&row->least, f->whole) != number_at(&row->most, f->whole);

	return whole_open || number_at(&row->least, f->at) != number_at(&row->most, f->at);
}

/* "~", ">=" or nothing. */
static const char *mark_of(const struct field *f, const struct sums *row)
{
	if (!field_is_open(f, row))
		return "";
	return f->kind == FIELD_NUMBER && field_bounds(f, row).most == NO_LIMIT ? ">=" : "~";
}

struct number field_text(const struct field *f, const struct sums *row, const struct sums *total,
			 bool thousands)
{
	uint64_t n = field_value(f, row, total);
	const char *mark = mark_of(f, row);
	struct number out;

	if (f->kind == FIELD_NUMBER)
		(void)snprintf(out.text, sizeof(out.text), "%s%.29s", mark,
			       number_of(n, thousands).text);
	else
		(void)snprintf(out.text, sizeof(out.text), "%s%" PRIu64 ".%" PRIu64, mark, n / 100,
			       n % 100 / 10);
	return out;
}

const struct field *field_by_key(const char *key)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (strcmp(fields[i].key, key) == 0)
			return &fields[i];
	return NULL;
}

static int unknown_field(const char *option, const char *key, struct error *err)
{
	struct suggestion s = suggest_for(key);
	char list[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < FIELDS; i++) {
		suggest_offer(&s, fields[i].key);
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 i ? ", " : "", fields[i].key);
	}
	return error_set(err, ERROR_USAGE, "--%s: there is no field '%s'%s%s%s; they are %s",
			 option, key, s.best ? ", did you mean '" : "", s.best ? s.best : "",
			 s.best ? "'?" : "", list);
}

int fields_parse(struct field_list *out, const char *option, const char *text, struct error *err)
{
	char *copy = strdup(text);
	char *rest = copy;
	char *key;
	int status = copy ? 0 : error_set(err, ERROR_ENVIRONMENT, "out of memory");

	out->n = 0;
	while (status == 0 && (key = strsep(&rest, ","))) {
		const struct field *f = field_by_key(key);

		if (!f)
			status = unknown_field(option, key, err);
		else if (out->n == FIELDS)
			status = error_set(err, ERROR_USAGE, "--%s: more than %u fields", option,
					   FIELDS);
		else
			out->f[out->n++] = f;
	}
	free(copy);
	return status;
}

static struct field_list list_of(const char *const *keys)
{
	struct field_list out = { .n = 0 };

	for (; *keys; keys++) {
		const struct field *f = field_by_key(*keys);

		if (f)
			out.f[out.n++] = f;
	}
	return out;
}

struct field_list fields_usual(bool x86)
{
	static const char *const radix[] = { "flushes", "promoted",	"pages", "tlbie", "tlbiel",
					     "ipis",	"global_share", "share", NULL };
	static const char *const of_x86[] = { "flushes",      "promoted",   "pages",
					      "invlpg",	      "cr3_writes", "ipis",
					      "global_share", "share",	    NULL };

	return list_of(x86 ? of_x86 : radix);
}

static bool is_listed(const enum counter *list, size_t id)
{
	while (*list != COUNTERS && *list != (enum counter)id)
		list++;
	return *list != COUNTERS;
}

/* Lazy TLB belongs to no flush, and what was recorded was no hypervisor call. */
static bool is_of_no_flush(size_t id)
{
	return id == COUNT_HCALLS || id == COUNT_LAZY_ATOMICS || id == COUNT_SHOOT_IPIS ||
	       id == COUNT_SHOOT_IPIS_USEFUL;
}

struct field_list fields_all(bool x86)
{
	struct field_list out = { .n = 0 };

	for (size_t i = 0; i < FIELDS; i++)
		if (i >= COUNTERS || is_listed(whatif_recorded_counters(x86), i) ||
		    (is_listed(whatif_derived_counters(x86), i) && !is_of_no_flush(i)))
			out.f[out.n++] = &fields[i];
	return out;
}
