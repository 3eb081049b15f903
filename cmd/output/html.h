/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h - pieces of a page that needs nothing but itself: escaped text, and charts as SVG.
 *
 * Colours are classes that the page's style gives, for light and dark.
 */
#ifndef TLBTRACE_CMD_OUTPUT_HTML_H
#define TLBTRACE_CMD_OUTPUT_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Text as it may come from a trace: what HTML or UTF-8 do not allow is escaped or replaced. */
void html_text(FILE *f, const char *text);

struct html_chart {
	const char *what;  /* said in its heading and to screen readers */
	const char *class; /* of the bars */
	const uint64_t *values;
	const uint64_t *most; /* what they may be at most, drawn behind them; NULL: just that */
	size_t n;
	char first[136]; /* below its left and right end */
	char last[136];
	size_t mark; /* a value to point at; >= n: none */
	char mark_text[48];
	/* What the tooltip of value i says. */
	void (*label)(const void *arg, size_t i, char *buf, size_t size);
	const void *arg;
};

/* One bar per value, side by side. */
void html_columns(FILE *f, const struct html_chart *c);

/* A line over the values as steps, the ground below it filled, with one tooltip for all. */
void html_steps(FILE *f, const struct html_chart *c);

/* A bar to the right per value, between its label and its number. */
struct html_bar {
	const char *label;
	const char *text;
	const char *class;
	uint64_t value;
	uint64_t max;
};

void html_bar(FILE *f, const struct html_bar *b);

#endif
