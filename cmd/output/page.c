/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.c - paragraphs and cells. */
#include "cmd/output/page.h"

#include <langinfo.h>
#include <stdarg.h>
#include <string.h>

struct page page_on(const struct sink *s)
{
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	return (struct page){
		.f = s->f,
		.color = s->color,
		.thousands = s->is_terminal,
		.dots = utf8 ? "…" : "..",
	};
}

/* Columns of n bytes of UTF-8, one for each character. */
static int columns_of(const char *text, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

int page_columns(const char *text)
{
	return columns_of(text, strlen(text));
}

static void write_inked(struct page *p, enum ink ink, const char *text)
{
	static const char *const codes[] = {
		[INK_BOLD] = "\033[1m",
		[INK_LESS] = "\033[32m",
		[INK_MORE] = "\033[31m",
	};

	if (!p->color || ink == INK_PLAIN || !*text) {
		(void)fputs(text, p->f);
		return;
	}
	(void)fprintf(p->f, "%s%s\033[0m", codes[ink], text);
}

void page_heading(struct page *p, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)fputc('\n', p->f);
	write_inked(p, INK_BOLD, text);
	(void)fputc('\n', p->f);
}

static void wrap(struct page *p, const char *mark, const char *text)
{
	int indent = page_columns(mark);
	int at = indent;

	(void)fputs(mark, p->f);
	for (;;) {
		size_t len = strcspn(text, " ");
		int columns = columns_of(text, len);

		if (at > indent && at + 1 + columns > PAGE_WIDTH) {
			(void)fprintf(p->f, "\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			(void)fputc(' ', p->f);
			at++;
		}
		(void)fwrite(text, 1, len, p->f);
		at += columns;
		if (!text[len])
			break;
		text += len + 1;
	}
	(void)fputc('\n', p->f);
}

void page_paragraph(struct page *p, const char *mark, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	wrap(p, mark, text);
}

static void write_cell(struct page *p, enum ink ink, const char *text)
{
	if (!*text)
		return;
	if (p->close && p->pad == 0 && *text != ' ')
		p->pad = 1;
	(void)fprintf(p->f, "%*s", p->pad, "");
	p->pad = 0;
	p->close = text[strlen(text) - 1] != ' ';
	write_inked(p, ink, text);
}

void page_right(struct page *p, enum ink ink, int columns, const char *text)
{
	int pad = columns - page_columns(text);

	p->pad += pad > 0 ? pad : 0;
	write_cell(p, ink, text);
}

void page_left(struct page *p, enum ink ink, int columns, const char *text)
{
	int pad = columns - page_columns(text);

	write_cell(p, ink, text);
	p->pad += pad > 0 ? pad : 0;
}

void page_end_line(struct page *p)
{
	p->pad = 0;
	p->close = false;
	(void)fputc('\n', p->f);
}

struct number page_number(const struct page *p, uint64_t n)
{
	return number_of(n, p->thousands);
}
