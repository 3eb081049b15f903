/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_fish.c - completion for fish: one line per option. */
#include "docs/gen/gen.h"

/* The first line of a text, in single quotes. */
static void write_quoted(FILE *f, const char *text)
{
	(void)fputc('\'', f);
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'' || *text == '\\')
			(void)fputc('\\', f);
		(void)fputc(*text, f);
	}
	(void)fputc('\'', f);
}

static void write_option(FILE *f, const struct command *command, const struct option_spec *o)
{
	enum value_kind kind = value_kind(command, o);

	(void)fprintf(f, "complete -c tlbtrace -n '__fish_seen_subcommand_from %s' -l %s",
		      command->name, o->name);
	if (o->letter)
		(void)fprintf(f, " -s %c", o->letter);
	if (kind == VALUE_FILE)
		(void)fputs(" -r -F", f);
	else if (kind != VALUE_NONE)
		(void)fputs(" -x", f);
	if (kind >= VALUE_WORD) {
		(void)fputs(" -a '", f);
		value_words_write(f, command, o, " ");
		(void)fputc('\'', f);
	}
	(void)fputs(" -d ", f);
	write_quoted(f, o->help);
	(void)fputc('\n', f);
}

void complete_fish(FILE *f)
{
	(void)fputs("# fish completion for tlbtrace; generated from the program's tables.\n", f);
	for (const struct command *const *c = commands; *c; c++) {
		(void)fprintf(f, "complete -c tlbtrace -n __fish_use_subcommand -f -a %s -d ",
			      (*c)->name);
		write_quoted(f, (*c)->summary);
		(void)fputc('\n', f);
		for (const struct option_spec *o = NULL; (o = option_after(*c, o));)
			write_option(f, *c, o);
	}
}
