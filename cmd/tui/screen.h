/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - drawing that fits whatever the terminal is: everything is clipped, any byte may come.
 */
#ifndef TLBTRACE_CMD_TUI_SCREEN_H
#define TLBTRACE_CMD_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/output/sink.h"

enum ink_tui {
	TUI_PLAIN,
	TUI_TITLE,
	TUI_HEAD,
	TUI_CURSOR,
	TUI_DIM,
	TUI_LESS,
	TUI_MORE,
	TUI_GLOBAL,
	TUI_LOCAL,
	TUI_MARK,
	TUI_INKS
};

/* A part of the screen, in character cells; rows and cols may be 0 or less: then nothing fits. */
struct area {
	int y;
	int x;
	int rows;
	int cols;
};

struct screen {
	bool utf8;
	bool color;
	void *terminal; /* curses' SCREEN */
	FILE *keys;	/* opened for keys where standard input is the trace; else NULL */
};

/* Takes over the terminal. Returns 0, or -1 where it cannot be used. */
int screen_open(struct screen *s, enum color color);
/* Gives it back as it was. */
void screen_close(struct screen *s);

/* The whole screen as it is now. */
struct area screen_area(void);

/* So many rows off the top of *a, which loses them. */
struct area area_top(struct area *a, int rows);
/* So many columns off the left of *a, which loses them. */
struct area area_left(struct area *a, int cols);

/* Text at row y, column x of the area; returns how many columns it took. */
int screen_text(const struct screen *s, const struct area *a, int y, int x, enum ink_tui ink,
		const char *text);
int screen_printf(const struct screen *s, const struct area *a, int y, int x, enum ink_tui ink,
		  const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The text ends at column `end` (exclusive). */
void screen_right(const struct screen *s, const struct area *a, int y, int end, enum ink_tui ink,
		  const char *text);

/* Gives a whole row of the area an ink, whatever stands there. */
void screen_ink_row(const struct screen *s, const struct area *a, int y, enum ink_tui ink);

/* A bar for value of max in row y; max takes the whole width of the area. */
void screen_bar(const struct screen *s, const struct area *a, int y, enum ink_tui ink,
		uint64_t value, uint64_t max);

/* Columns over the whole area: each is the largest of its share of the n values. */
void screen_chart(const struct screen *s, const struct area *a, const uint64_t *values, size_t n,
		  enum ink_tui ink);

/* The same with values that may be as much as most[n], which is shaded above them. */
void screen_chart_between(const struct screen *s, const struct area *a, const uint64_t *values,
			  const uint64_t *most, size_t n, enum ink_tui ink);

/* One cell whose shade tells value of max; " " for 0. */
void screen_shade(const struct screen *s, const struct area *a, int y, int x, enum ink_tui ink,
		  uint64_t value, uint64_t max);

/* What stands on row y of the screen, without trailing spaces. */
void screen_row(int y, char *buf, size_t size);

#endif
