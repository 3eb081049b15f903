/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roff.c - text as man(7) has it. */
#include "docs/gen/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "config.h"

#define LINE_MAX_COLUMNS 60 /* of text: its escapes have room up to 80 */

/* n bytes of text in which nothing is a request or an escape: "'" is none as \(aq. */
static void roff_text(FILE *f, const char *text, size_t n)
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

void roff_string(FILE *f, const char *text)
{
	roff_text(f, text, strlen(text));
}

static void roff_heading(FILE *f, const char *title, size_t n)
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
void roff_filled(FILE *f, const char *text, size_t used)
{
	while (*text && !(text[0] == '\n' && (text[1] == '\n' || !text[1]))) {
		size_t blank = strspn(text, " \n");
		size_t n = strcspn(text + blank, " \n");

		text += blank;
		if (used && n)
			(void)fputc(used + n > LINE_MAX_COLUMNS ? '\n' : ' ', f);
		used = used + n > LINE_MAX_COLUMNS ? n : used + n + 1;
		roff_text(f, text, n);
		text += n;
	}
	(void)fputc('\n', f);
}

void roff_lines(FILE *f, const char *text)
{
	roff_filled(f, text, 0);
}

/* As it stands, but for the two blanks of the indentation. */
static void write_verbatim(FILE *f, const char *line)
{
	(void)fputs(".nf\n", f);
	for (; *line && *line != '\n'; line = next_line(line)) {
		size_t blank = strspn(line, " ") < 2 ? strspn(line, " ") : 2;

		roff_text(f, line + blank, line_length(line) - blank);
		(void)fputc('\n', f);
	}
	(void)fputs(".fi\n", f);
}

/* The paragraphs that are no sections, below the heading. */
void roff_prose(FILE *f, const char *heading, const char *text)
{
	bool any = false;

	for (; *text; text = next_paragraph(text)) {
		if (is_section(text))
			continue;
		if (any)
			(void)fputs(".PP\n", f);
		else
			roff_heading(f, heading, strlen(heading));
		if (is_indented(text))
			write_verbatim(f, text);
		else
			roff_lines(f, text);
		any = true;
	}
}

void roff_sections(FILE *f, const char *text)
{
	for (; *text; text = next_paragraph(text)) {
		if (!is_section(text))
			continue;
		roff_heading(f, text, line_length(text));
		write_verbatim(f, next_line(text));
	}
}

void roff_term(FILE *f, const char *term, const char *text)
{
	(void)fputs(".TP\n\\fB", f);
	roff_string(f, term);
	(void)fputs("\\fR\n", f);
	roff_lines(f, text);
}

void roff_title(FILE *f, const char *page, int section, const char *date)
{
	(void)fputs(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n"
		    ".\\\" Generated from the program's tables.\n"
		    ".TH ",
		    f);
	for (; *page; page++)
		if (*page == '-')
			(void)fputs("\\-", f);
		else
			(void)fputc(toupper((unsigned char)*page), f);
	(void)fprintf(f, " %d \"%s\" \"tlbtrace " TLBTRACE_VERSION "\" \"tlbtrace\"\n", section,
		      date);
}
