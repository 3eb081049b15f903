/* SPDX-License-Identifier: GPL-2.0-or-later */
/* man.c - man pages, as man(7) has them. */
#include <ctype.h>
#include <string.h>

#include "config.h"
#include "docs/gen/gen.h"

#define LINE_MAX_COLUMNS 60 /* of text: its escapes have room up to 80 */

/* n bytes of text in which nothing is a request or an escape: "'" is none as \(aq. */
static void write_text(FILE *f, const char *text, size_t n)
{
	if (n && *text == '.')
		(void)fputs("\\&", f);
	for (; n; n--, text++) {
		if (*text == '\\')
			(void)fputs("\\e", f);
		else if (*text == '-')
			(void)fputs("\\-", f);
		else if (*text == '~')
			(void)fputs("\\(ti", f);
		else if (*text == '^')
			(void)fputs("\\(ha", f);
		else if (*text == '\'')
			(void)fputs("\\(aq", f);
		else
			(void)fputc(*text, f);
	}
}

static void write_string(FILE *f, const char *text)
{
	write_text(f, text, strlen(text));
}

static void write_heading(FILE *f, const char *title, size_t n)
{
	(void)fputs(".SH ", f);
	for (; n; n--, title++)
		(void)fputc(toupper((unsigned char)*title), f);
	(void)fputc('\n', f);
}

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
	line += line_length(line);
	return *line ? line + 1 : line;
}

/* Paragraphs are lines up to an empty one. */
static const char *next_paragraph(const char *at)
{
	while (*at && *at != '\n')
		at = next_line(at);
	while (*at == '\n')
		at++;
	return at;
}

static bool is_indented(const char *line)
{
	return *line == ' ';
}

/* A heading and what is indented below it, such as examples. */
static bool is_section(const char *paragraph)
{
	const char *second = next_line(paragraph);

	return !is_indented(paragraph) && is_indented(second);
}

/*
 * The words up to an empty line, which the reader fills: broken before an escaped line gets long. The
 * line has `used` columns already.
 */
static void write_filled(FILE *f, const char *text, size_t used)
{
	while (*text && !(text[0] == '\n' && (text[1] == '\n' || !text[1]))) {
		size_t blank = strspn(text, " \n");
		size_t n = strcspn(text + blank, " \n");

		text += blank;
		if (used && n)
			(void)fputc(used + n > LINE_MAX_COLUMNS ? '\n' : ' ', f);
		used = used + n > LINE_MAX_COLUMNS ? n : used + n + 1;
		write_text(f, text, n);
		text += n;
	}
	(void)fputc('\n', f);
}

static void write_lines(FILE *f, const char *text)
{
	write_filled(f, text, 0);
}

/* As it stands, but for the two blanks of the indentation. */
static void write_verbatim(FILE *f, const char *line)
{
	(void)fputs(".nf\n", f);
	for (; *line && *line != '\n'; line = next_line(line)) {
		size_t blank = strspn(line, " ") < 2 ? strspn(line, " ") : 2;

		write_text(f, line + blank, line_length(line) - blank);
		(void)fputc('\n', f);
	}
	(void)fputs(".fi\n", f);
}

/* The paragraphs that are no sections, below the heading. */
static void write_prose(FILE *f, const char *heading, const char *text)
{
	bool any = false;

	for (; *text; text = next_paragraph(text)) {
		if (is_section(text))
			continue;
		if (any)
			(void)fputs(".PP\n", f);
		else
			write_heading(f, heading, strlen(heading));
		if (is_indented(text))
			write_verbatim(f, text);
		else
			write_lines(f, text);
		any = true;
	}
}

static void write_sections(FILE *f, const char *text)
{
	for (; *text; text = next_paragraph(text)) {
		if (!is_section(text))
			continue;
		write_heading(f, text, line_length(text));
		write_verbatim(f, next_line(text));
	}
}

/* The common help knows only the formats that most commands have. */
static void write_help(FILE *f, const struct command *command, const struct option_spec *o)
{
	if (strcmp(o->name, "format") != 0 || !command->formats) {
		write_lines(f, o->help);
		return;
	}
	(void)fputs("one of ", f);
	value_words_write(f, command, o, ", ");
	(void)fputs(" (default: text)\n", f);
}

static void write_option(FILE *f, const struct command *command, const struct option_spec *o)
{
	(void)fputs(".TP\n", f);
	if (o->letter)
		(void)fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
	(void)fputs("\\fB\\-\\-", f);
	write_string(f, o->name);
	(void)fputs("\\fR", f);
	if (o->value) {
		(void)fputs("=\\fI", f);
		write_string(f, o->value);
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
		write_string(f, (*groups)->title);
		(void)fputs("\"\n", f);
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			write_option(f, command, o);
	}
}

/* command: NULL for the page of the program. */
static void write_title(FILE *f, const char *command, const char *date)
{
	(void)fputs(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n"
		    ".\\\" Generated from the program's tables.\n"
		    ".TH TLBTRACE",
		    f);
	if (command)
		(void)fputs("\\-", f);
	for (; command && *command; command++)
		(void)fputc(toupper((unsigned char)*command), f);
	(void)fprintf(f, " 1 \"%s\" \"tlbtrace " TLBTRACE_VERSION "\" \"tlbtrace\"\n", date);
}

/* References to all pages but the one of `self` (NULL: the program's). */
static void write_see_also(FILE *f, const struct command *self)
{
	const char *between = "";

	(void)fputs(".SH \"SEE ALSO\"\n", f);
	if (self) {
		(void)fputs(".BR tlbtrace (1)", f);
		between = ",\n";
	}
	for (const struct command *const *c = commands; *c; c++) {
		if (*c == self)
			continue;
		(void)fprintf(f, "%s.BR tlbtrace\\-%s (1)", between, (*c)->name);
		between = ",\n";
	}
	(void)fputc('\n', f);
}

void man_command(FILE *f, const struct command *command, const char *date)
{
	write_title(f, command->name, date);
	write_filled(f, command->summary,
		     (size_t)fprintf(f, ".SH NAME\ntlbtrace\\-%s \\-", command->name));
	(void)fprintf(f, ".SH SYNOPSIS\n.B tlbtrace %s\n", command->name);
	write_lines(f, command->operands);
	write_prose(f, "description", command->about);
	write_sections(f, command->about);
	write_options(f, command);
	write_prose(f, "notes", command->notes);
	write_sections(f, command->notes);
	write_see_also(f, command);
}

void man_program(FILE *f, const char *date)
{
	write_title(f, NULL, date);
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
		write_string(f, (*c)->summary);
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
