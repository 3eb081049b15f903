/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c - what may stand behind an option's '='. */
#include <string.h>

#include "analyze/params.h"
#include "cmd/fields.h"
#include "cmd/report.h"
#include "docs/gen/gen.h"
#include "replay/policy.h"

/* Values that the option's table does not spell out, by the option's name. */
struct known_value {
	const char *option;
	enum value_kind kind;
	const char *words; /* separated by '|'; NULL: from a table */
};

static const struct known_value known_values[] = {
	{ "policy", VALUE_SPEC, NULL },
	{ "recorded", VALUE_KEYS, NULL },
	{ "budget", VALUE_WORD, NULL },
	{ "cost", VALUE_LIST, NULL },
	{ "format", VALUE_WORD, NULL },
	{ "by", VALUE_WORD, NULL },
	{ "fields", VALUE_LIST, NULL },
	{ "sort", VALUE_WORD, NULL },
	{ "sweep", VALUE_WORD, "ceiling=|local-ceiling=" },
	{ "color", VALUE_WORD, "auto|always|never" },
	{ "ignore", VALUE_LIST, "requests|syscalls|metadata|switches" },
	{ "requests", VALUE_WORD, "auto|on|off|only" },
	{ "with", VALUE_WORD, "auto|tracefs|perf|trace-cmd" },
	{ "file-version", VALUE_WORD, "6|7" },
	{ "mm", VALUE_MM, NULL },
	{ "comm", VALUE_COMM, NULL },
	{ "per", VALUE_EVENT, "none|seconds" },
	{ "event", VALUE_TRACEPOINT, NULL },
};

static const struct known_value *find_known(const struct option_spec *o)
{
	for (size_t i = 0; i < sizeof(known_values) / sizeof(*known_values); i++)
		if (strcmp(known_values[i].option, o->name) == 0)
			return &known_values[i];
	return NULL;
}

enum value_kind value_kind(const struct command *command, const struct option_spec *o)
{
	const struct known_value *known = find_known(o);

	if (!o->value)
		return VALUE_NONE;
	if (known && !(strcmp(o->name, "format") == 0 && !command->formats))
		return known->kind;
	if (strcmp(o->value, "FILE") == 0)
		return VALUE_FILE;
	/* "gt|ge", but not "TGID|NAME". */
	return strchr(o->value, '|') && *o->value >= 'a' ? VALUE_WORD : VALUE_OTHER;
}

static void write_split(FILE *f, const char *words, const char *between)
{
	for (; *words; words++)
		if (*words == '|')
			(void)fputs(between, f);
		else
			(void)fputc(*words, f);
}

/* "ceiling=", or "lazy=refcount" and so on; each with `before` in front. */
static void write_key(FILE *f, const char *before, enum param id, const char *between)
{
	const char *value = param_values[id];

	for (;;) {
		size_t n = strcspn(value, "|");

		(void)fprintf(f, "%s%s%s=%.*s", between, before, param_keys[id], (int)n, value);
		if (!value[n])
			return;
		value += n + 1;
	}
}

static void write_keys(FILE *f, const char *between)
{
	for (size_t i = 0; i < PARAMS; i++)
		write_key(f, "", (enum param)i, i ? between : "");
}

static void write_policy(FILE *f, const struct policy_kind *kind, const char *between)
{
	char before[32];

	(void)fputs(kind->name, f);
	(void)snprintf(before, sizeof(before), "%s,", kind->name);
	for (size_t i = 0; i < PARAMS; i++)
		if (policy_takes(kind, (enum param)i) && policy_can_change((enum param)i))
			write_key(f, before, (enum param)i, between);
}

static void write_policies(FILE *f, const char *between)
{
	for (size_t i = 0; i < n_policy_kinds; i++) {
		(void)fputs(i ? between : "", f);
		write_policy(f, &policy_kinds[i], between);
	}
}

/* Without the comparison, which shells take for a redirection; `after` is "=" where that follows. */
static void write_counters(FILE *f, const char *after, const char *between)
{
	for (size_t i = 0; i < COUNTERS; i++)
		(void)fprintf(f, "%s%s%s", i ? between : "", counter_keys[i], after);
}

static void write_fields(FILE *f, const char *between)
{
	for (size_t i = 0; i < FIELDS; i++)
		(void)fprintf(f, "%s%s", i ? between : "", fields[i].key);
}

static void write_list(FILE *f, const char *const *words, const char *between)
{
	for (size_t i = 0; words[i]; i++)
		(void)fprintf(f, "%s%s", i ? between : "", words[i]);
}

void value_words_write(FILE *f, const struct command *command, const struct option_spec *o,
		       const char *between)
{
	const struct known_value *known = find_known(o);

	if (!known)
		write_split(f, o->value, between);
	else if (known->words)
		write_split(f, known->words, between);
	else if (known->kind == VALUE_SPEC)
		write_policies(f, between);
	else if (known->kind == VALUE_KEYS)
		write_keys(f, between);
	else if (strcmp(o->name, "budget") == 0)
		write_counters(f, "", between);
	else if (strcmp(o->name, "cost") == 0)
		write_counters(f, "=", between);
	else if (strcmp(o->name, "fields") == 0 || strcmp(o->name, "sort") == 0)
		write_fields(f, between);
	else if (strcmp(o->name, "by") == 0)
		write_list(f, report_by_keys, between);
	else if (strcmp(o->name, "format") == 0)
		write_list(f, command->formats, between);
}

const struct option_spec *option_after(const struct command *command, const struct option_spec *o)
{
	option_groups group = command->groups;

	if (!o)
		return (*group)->options;
	if (o[1].name)
		return o + 1;
	/* The next group after the one that o ends. */
	for (; *group; group++) {
		const struct option_spec *last = (*group)->options;

		while (last[1].name)
			last++;
		if (last == o)
			return group[1] ? group[1]->options : NULL;
	}
	return NULL;
}
