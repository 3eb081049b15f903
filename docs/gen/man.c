/* SPDX-License-Identifier: GPL-2.0-or-later */
/* man.c - the man pages of the program and its commands. */
#include <string.h>

#include "docs/gen/gen.h"
#include "docs/gen/roff.h"

/* The common help knows only the formats that most commands have. */
static void write_help(FILE *f, const struct command *command, const struct option_spec *o)
{
	if (strcmp(o->name, "format") != 0 || !command->formats) {
		roff_lines(f, o->help);
		return;
	}
	(void)fputs("one of ", f);
	value_words_write(f, command, o, ", ");
	(void)fputs(strcmp(*command->formats, "text") == 0 ? " (default: text)\n" : "\n", f);
}

static void write_option(FILE *f, const struct command *command, const struct option_spec *o)
{
	(void)fputs(".TP\n", f);
	if (o->letter)
		(void)fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
	(void)fputs("\\fB\\-\\-", f);
	roff_string(f, o->name);
	(void)fputs("\\fR", f);
	if (o->value) {
		(void)fputs("=\\fI", f);
		roff_string(f, o->value);
		(void)fputs("\\fR", f);
	}
	(void)fputc('\n', f);
	write_help(f, command, o);
}

static void write_options(FILE *f, const struct command *command)
{
	option_groups groups = command->groups;

	(void)fputs(".SH OPTIONS\n", f);
	for (; *groups; groups++) {
		(void)fputs(".SS \"", f);
		roff_string(f, (*groups)->title);
		(void)fputs("\"\n", f);
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			write_option(f, command, o);
	}
}

/* References to all pages but the one of `self` (NULL: the program's). */
static void write_see_also(FILE *f, const struct command *self)
{
	(void)fputs(".SH \"SEE ALSO\"\n", f);
	if (self)
		(void)fputs(".BR tlbtrace (1),\n", f);
	for (const struct command *const *c = commands; *c; c++)
		if (*c != self)
			(void)fprintf(f, ".BR tlbtrace\\-%s (1),\n", (*c)->name);
	(void)fputs(".BR tlbtrace\\-formats (5),\n.BR tlbtrace\\-policies (7)\n", f);
}

void man_command(FILE *f, const struct command *command, const char *date)
{
	char page[64];

	(void)snprintf(page, sizeof(page), "tlbtrace-%s", command->name);
	roff_title(f, page, 1, date);
	roff_filled(f, command->summary,
		    (size_t)fprintf(f, ".SH NAME\ntlbtrace\\-%s \\-", command->name));
	(void)fprintf(f, ".SH SYNOPSIS\n.B tlbtrace %s\n", command->name);
	roff_lines(f, command->operands);
	roff_prose(f, "description", command->about);
	roff_sections(f, command->about);
	write_options(f, command);
	roff_prose(f, "notes", command->notes);
	roff_sections(f, command->notes);
	write_see_also(f, command);
}

void man_program(FILE *f, const char *date)
{
	roff_title(f, "tlbtrace", 1, date);
	(void)fputs(".SH NAME\n"
		    "tlbtrace \\- predicts from traces of TLB flushes what other policies cost\n"
		    ".SH SYNOPSIS\n"
		    ".B tlbtrace\n"
		    "\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n"
		    ".br\n"
		    ".B tlbtrace help\n"
		    "\\fICOMMAND\\fR\n"
		    ".br\n"
		    ".B tlbtrace \\-\\-version\n"
		    ".SH DESCRIPTION\n"
		    "Reads traces of TLB flushes that a Linux kernel recorded,\n"
		    "puts the flushes together from their records,\n"
		    "and predicts what other flush policies would have cost.\n"
		    "What a trace cannot tell is given as an interval.\n"
		    ".SH COMMANDS\n",
		    f);
	for (const struct command *const *c = commands; *c; c++) {
		(void)fprintf(f, ".TP\n.BR tlbtrace\\-%s (1)\n", (*c)->name);
		roff_string(f, (*c)->summary);
		(void)fputc('\n', f);
	}
	(void)fputs(".SH \"EXIT STATUS\"\n.nf\n"
		    "0    done, and every check that was asked for holds\n"
		    "1    done, and a check does not hold\n"
		    "2    usage: an unknown option, a bad value\n"
		    "3    input: missing, not a trace, unreadable\n"
		    "4    environment: cannot record here, output not writable, no memory\n"
		    "130  interrupted\n"
		    ".fi\n",
		    f);
	write_see_also(f, NULL);
}
