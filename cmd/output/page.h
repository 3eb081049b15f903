/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.h - text for people, 80 columns wide: paragraphs that wrap, padded cells, headings.
 */
#ifndef TLBTRACE_CMD_OUTPUT_PAGE_H
#define TLBTRACE_CMD_OUTPUT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/output/number.h"
#include "cmd/output/sink.h"

#define PAGE_WIDTH 80

struct page {
	FILE *f;
	bool color;
	bool thousands;
	const char *dots; /* between the ends of an interval: "…" or ".." */
	int pad;	  /* spaces to write before the next cell of the line, if there is one */
	bool close; /* the last cell ends here: the next one stands apart, however wide it was */
};

enum ink {
	INK_PLAIN,
	INK_BOLD,
	INK_LESS, /* fewer instructions */
	INK_MORE,
};

struct page page_on(const struct sink *s);

/* An empty line, then the heading. */
void page_heading(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Words of the text, wrapped; the first line begins with `mark`, the others are indented alike. */
void page_paragraph(struct page *p, const char *mark, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The text in so many columns, to the right or to the left in them. */
void page_right(struct page *p, enum ink ink, int columns, const char *text);
void page_left(struct page *p, enum ink ink, int columns, const char *text);
void page_end_line(struct page *p);

/* How many columns the text takes. */
int page_columns(const char *text);

struct number page_number(const struct page *p, uint64_t n);

#endif
