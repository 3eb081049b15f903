/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c - what may stand behind an option's '='. */
#include <string.h>

#include "analyze/params.h"
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
	{ "format", VALUE_WORD, NULL },
	{ "sweep", VALUE_WORD, "ceiling=|local-ceiling=" },
	{ "color", VALUE_WORD, "auto|always|never" },
	{ "ignore", VALUE_WORD, "requests|syscalls|metadata|switches" },
	{ "requests", VALUE_WORD, "auto|on|off|only" },
	{ "with", VALUE_WORD, "auto|tracefs|perf|trace-cmd" },
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

static void write_keys(FILE *f, const char *between)
{
	for (size_t i = 0; i < PARAMS; i++)
		(void)fprintf(f, "%s%s=", i ? between : "", param_keys[i]);
}

/* Without the comparison, which shells take for a redirection. */
static void write_counters(FILE *f, const char *between)
{
	for (size_t i = 0; i < COUNTERS; i++)
		(void)fprintf(f, "%s%s", i ? between : "", counter_keys[i]);
}

static void write_policies(FILE *f, const char *between)
{
	for (size_t i = 0; i < n_policy_kinds; i++)
		(void)fprintf(f, "%s%s", i ? between : "", policy_kinds[i].name);
}

static void write_formats(FILE *f, const struct command *command, const char *between)
{
	for (size_t i = 0; command->formats[i]; i++)
		(void)fprintf(f, "%s%s", i ? between : "", command->formats[i]);
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
		write_counters(f, between);
	else
		write_formats(f, command, between);
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
