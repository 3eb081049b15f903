/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - parsing and help from option tables. */
#include "cmd/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/suggest.h"

#define HELP_COLUMN 26

/* What getopt_long wants to know, made from the tables. */
struct getopt_tables {
	struct option *longs;
	char *letters;
	bool *seen; /* of each option */
};

/* A walk over all options of all groups. */
struct walk {
	option_groups group;
	const struct option_spec *next;
};

static struct walk walk_over(option_groups groups)
{
	return (struct walk){ groups, (*groups)->options };
}

/* The next option, or NULL at the end. */
static const struct option_spec *walk_next(struct walk *w)
{
	while (w->next && !w->next->name) {
		w->group++;
		w->next = *w->group ? (*w->group)->options : NULL;
	}
	return w->next ? w->next++ : NULL;
}

static size_t count_options(option_groups groups)
{
	struct walk w = walk_over(groups);
	size_t n = 0;

	while (walk_next(&w))
		n++;
	return n;
}

static int make_tables(struct getopt_tables *t, option_groups groups)
{
	size_t n = count_options(groups);
	struct walk w = walk_over(groups);
	const struct option_spec *o;
	struct option *to;
	char *letter;

	t->longs = calloc(n + 1, sizeof(*t->longs));
	t->letters = calloc(2 * n + 2, 1);
	t->seen = calloc(n + 1, sizeof(*t->seen));
	if (!t->longs || !t->letters || !t->seen)
		return -1;
	to = t->longs;
	letter = t->letters;
	*letter++ = ':'; /* tell a missing value from an unknown option */
	while ((o = walk_next(&w))) {
		*to++ = (struct option){
			.name = o->name,
			.has_arg = o->value ? required_argument : no_argument,
			.val = o->id,
		};
		if (!o->letter)
			continue;
		*letter++ = o->letter;
		if (o->value)
			*letter++ = ':';
	}
	return 0;
}

static const struct option_spec *find_option(option_groups groups, int got)
{
	struct walk w = walk_over(groups);
	const struct option_spec *o;

	while ((o = walk_next(&w)))
		if (o->id == got || (o->letter && o->letter == got))
			return o;
	return NULL;
}

/* The word of argv that getopt_long has just taken as an option. */
static const char *taken_word(char **argv)
{
	bool separate = optarg && optarg == argv[optind - 1];

	return argv[optind - 1 - separate];
}

static int unknown_option(option_groups groups, const char *word, struct error *err)
{
	struct walk w = walk_over(groups);
	const struct option_spec *o;
	char name[64] = "";
	struct suggestion s;

	if (strncmp(word, "--", 2) != 0 || strcspn(word + 2, "=") >= sizeof(name))
		return error_set(err, ERROR_USAGE, "unknown option '%s'", word);
	memcpy(name, word + 2, strcspn(word + 2, "="));
	s = suggest_for(name);
	while ((o = walk_next(&w))) {
		suggest_offer(&s, o->name);
		/* What getopt_long would have taken as an abbreviation. */
		if (!s.best && strncmp(o->name, name, strlen(name)) == 0)
			s.best = o->name;
	}
	if (!s.best)
		return error_set(err, ERROR_USAGE, "unknown option '--%s'", name);
	return error_set(err, ERROR_USAGE, "unknown option '--%s': did you mean '--%s'?", name,
			 s.best);
}

static int bad_option(option_groups groups, int got, char **argv, struct error *err)
{
	const struct option_spec *o = find_option(groups, optopt);

	if (got == ':' && o)
		return error_set(err, ERROR_USAGE, "--%s needs a value: --%s=%s", o->name, o->name,
				 o->value);
	if (o && o->id == optopt)
		return error_set(err, ERROR_USAGE, "--%s takes no value", o->name);
	if (optopt && optopt < OPTION_IDS)
		return error_set(err, ERROR_USAGE, "unknown option '-%c'", optopt);
	return unknown_option(groups, taken_word(argv), err);
}

/* Which of all options of all groups it is. */
static size_t index_of(option_groups groups, const struct option_spec *wanted)
{
	struct walk w = walk_over(groups);
	const struct option_spec *o;
	size_t n = 0;

	while ((o = walk_next(&w)) && o != wanted)
		n++;
	return n;
}

/* Of an option that takes one value a second one would silently win: help says which take more. */
static int check_repeated(const struct option_spec *o, bool *seen, struct error *err)
{
	bool again = *seen;

	*seen = true;
	if (!again || !o->value || strstr(o->help, "repeatable"))
		return 0;
	return error_set(err, ERROR_USAGE, "--%s is given twice", o->name);
}

static bool is_abbreviated(const struct option_spec *o, const char *word)
{
	return strcspn(word + 2, "=") != strlen(o->name);
}

static int take_options(option_groups groups, struct getopt_tables *t, int argc, char **argv,
			option_fn fn, void *arg, struct error *err)
{
	int got;

	optind = 0; /* start anew */
	opterr = 0;
	while ((got = getopt_long(argc, argv, t->letters, t->longs, NULL)) != -1) {
		const struct option_spec *o = find_option(groups, got);

		if (got == '?' || got == ':')
			return bad_option(groups, got, argv, err);
		if (got == o->id && is_abbreviated(o, taken_word(argv)))
			return unknown_option(groups, taken_word(argv), err);
		if (fn(arg, o->id, o->value ? optarg : NULL, err) ||
		    check_repeated(o, &t->seen[index_of(groups, o)], err))
			return -1;
	}
	return 0;
}

int options_parse(option_groups groups, int argc, char **argv, option_fn fn, void *arg,
		  int *operands, struct error *err)
{
	struct getopt_tables t = { NULL, NULL, NULL };
	int status = -1;

	if (make_tables(&t, groups))
		(void)error_set(err, ERROR_ENVIRONMENT, "out of memory");
	else
		status = take_options(groups, &t, argc, argv, fn, arg, err);
	*operands = optind;
	free(t.longs);
	free(t.letters);
	free(t.seen);
	return status;
}

/* Writes help in its column; the first line follows `used` columns. */
static void write_help(FILE *out, const char *help, int used)
{
	for (;;) {
		int len = (int)strcspn(help, "\n");
		int pad = HELP_COLUMN - used;

		if (pad < 1) {
			(void)fputc('\n', out);
			pad = HELP_COLUMN;
		}
		(void)fprintf(out, "%*s%.*s\n", pad, "", len, help);
		if (!help[len])
			return;
		help += len + 1;
		used = 0;
	}
}

/* "text, json or csv". */
static void list_formats(char *buf, size_t size, const char *const *formats)
{
	size_t used = 0;

	for (size_t i = 0; formats[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 i == 0		  ? ""
					 : formats[i + 1] ? ", "
							  : " or ",
					 formats[i]);
}

static void write_option(FILE *out, const struct option_spec *o, const char *const *formats)
{
	char own[128];
	char letter[] = { '-', o->letter, ',', ' ', '\0' };
	int used = fprintf(out, "  %s--%s%s%s", o->letter ? letter : "    ", o->name,
			   o->value ? "=" : "", o->value ? o->value : "");

	if (formats && strcmp(o->name, "format") == 0) {
		list_formats(own, sizeof(own), formats);
		write_help(out, own, used);
		return;
	}
	write_help(out, o->help, used);
}

void options_help(FILE *out, option_groups groups, const char *const *formats)
{
	for (; *groups; groups++) {
		(void)fprintf(out, "\n%s\n", (*groups)->title);
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			write_option(out, o, formats);
	}
}
