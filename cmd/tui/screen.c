/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.c - clipped drawing with curses. */
#include "cmd/tui/screen.h"

#include <curses.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define MAX_COLUMNS 1024

static const struct {
	short pair;
	short color;
	chtype attr;
} inks[TUI_INKS] = {
	[TUI_PLAIN] = { 0, 0, A_NORMAL },
	[TUI_TITLE] = { 0, 0, A_REVERSE },
	[TUI_HEAD] = { 0, 0, A_BOLD },
	[TUI_CURSOR] = { 0, 0, A_REVERSE },
	[TUI_DIM] = { 0, 0, A_DIM },
	[TUI_LESS] = { 1, COLOR_GREEN, A_NORMAL },
	[TUI_MORE] = { 2, COLOR_RED, A_NORMAL },
	[TUI_GLOBAL] = { 3, COLOR_YELLOW, A_NORMAL },
	[TUI_LOCAL] = { 4, COLOR_CYAN, A_NORMAL },
	[TUI_MARK] = { 5, COLOR_MAGENTA, A_BOLD },
};

static attr_t attr_of(const struct screen *s, enum ink_tui ink)
{
	return inks[ink].attr | (s->color ? (attr_t)COLOR_PAIR(inks[ink].pair) : 0);
}

static void open_colors(struct screen *s, enum color wanted)
{
	const char *no_color = getenv("NO_COLOR");

	if (wanted == COLOR_NEVER || (wanted == COLOR_AUTO && no_color && *no_color))
		return;
	if (!has_colors() || start_color() == ERR || use_default_colors() == ERR)
		return;
	for (size_t i = 0; i < TUI_INKS; i++)
		if (inks[i].pair)
			(void)init_pair(inks[i].pair, inks[i].color, -1);
	s->color = true;
}

int screen_open(struct screen *s, enum color color)
{
	bool keys_elsewhere = !isatty(STDIN_FILENO);

	*s = (struct screen){ .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 };
	if (keys_elsewhere) {
		s->keys = fopen("/dev/tty", "re");
		if (!s->keys)
			return -1;
	}
	s->terminal = newterm(NULL, stdout, s->keys ? s->keys : stdin);
	if (!s->terminal) {
		if (s->keys)
			(void)fclose(s->keys);
		return -1;
	}
	(void)cbreak();
	(void)noecho();
	(void)nonl();
	(void)curs_set(0);
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)set_escdelay(25);
	(void)mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	(void)mouseinterval(0);
	open_colors(s, color);
	return 0;
}

void screen_close(struct screen *s)
{
	if (!s->terminal)
		return;
	(void)endwin();
	delscreen(s->terminal);
	if (s->keys)
		(void)fclose(s->keys);
	*s = (struct screen){ .utf8 = false };
}

struct area screen_area(void)
{
	return (struct area){ 0, 0, LINES, COLS };
}

static int at_most(int n, int limit)
{
	if (n < 0 || limit < 0)
		return 0;
	return n < limit ? n : limit;
}

struct area area_top(struct area *a, int rows)
{
	struct area top = *a;

	top.rows = at_most(rows, a->rows);
	a->y += top.rows;
	a->rows -= top.rows;
	return top;
}

struct area area_left(struct area *a, int cols)
{
	struct area left = *a;

	left.cols = at_most(cols, a->cols);
	a->x += left.cols;
	a->cols -= left.cols;
	return left;
}

/*
 * The characters of the text that fit into so many columns: what cannot be printed becomes '?'.
 * Returns the columns that they take.
 */
static int fit(wchar_t *out, int cols, const char *text)
{
	mbstate_t state = { 0 };
	size_t left = strlen(text);
	int used = 0;

	while (left && used < cols && used < MAX_COLUMNS) {
		wchar_t c;
		size_t len = mbrtowc(&c, text, left, &state);
		int width = 1;

		if (len == (size_t)-1 || len == (size_t)-2 || len == 0) {
			state = (mbstate_t){ 0 };
			len = 1;
			c = L'?';
		} else {
			width = wcwidth(c);
		}
		if (width < 1) { /* control and combining characters */
			c = L'?';
			width = 1;
		}
		if (used + width > cols)
			break;
		*out++ = c;
		used += width;
		text += len;
		left -= len;
	}
	*out = L'\0';
	return used;
}

int screen_text(const struct screen *s, const struct area *a, int y, int x, enum ink_tui ink,
		const char *text)
{
	wchar_t chars[MAX_COLUMNS + 1];
	int used;

	if (y < 0 || y >= a->rows || x < 0 || x >= a->cols)
		return 0;
	used = fit(chars, a->cols - x, text);
	(void)attr_set(attr_of(s, ink), s->color ? inks[ink].pair : 0, NULL);
	(void)mvaddwstr(a->y + y, a->x + x, chars);
	(void)attr_set(A_NORMAL, 0, NULL);
	return used;
}

int screen_printf(const struct screen *s, const struct area *a, int y, int x, enum ink_tui ink,
		  const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return screen_text(s, a, y, x, ink, text);
}

void screen_right(const struct screen *s, const struct area *a, int y, int end, enum ink_tui ink,
		  const char *text)
{
	wchar_t chars[MAX_COLUMNS + 1];
	int used = fit(chars, MAX_COLUMNS, text);

	if (end - used >= 0)
		(void)screen_text(s, a, y, end - used, ink, text);
}

void screen_ink_row(const struct screen *s, const struct area *a, int y, enum ink_tui ink)
{
	if (y >= 0 && y < a->rows && a->cols > 0)
		(void)mvchgat(a->y + y, a->x, a->cols, attr_of(s, ink),
			      s->color ? inks[ink].pair : 0, NULL);
}

/* value of max in steps, rounded up so that little is not nothing. */
static int steps_of(uint64_t value, uint64_t max, int steps)
{
	if (max == 0 || value == 0 || steps <= 0)
		return 0;
	if (value >= max)
		return steps;
	return (int)(((unsigned __int128)value * (unsigned)steps + max - 1) / max);
}

void screen_bar(const struct screen *s, const struct area *a, int y, enum ink_tui ink,
		uint64_t value, uint64_t max)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = steps_of(value, max, 8 * a->cols);
	int full = s->utf8 ? eighths / 8 : (eighths + 7) / 8;

	for (int x = 0; x < full; x++)
		(void)screen_text(s, a, y, x, ink, s->utf8 ? "█" : "#");
	if (s->utf8)
		(void)screen_text(s, a, y, full, ink, parts[eighths % 8]);
}

/* The largest of those values that column `col` of so many stands for. */
static uint64_t column_value(const uint64_t *values, size_t n, int col, int cols)
{
	size_t from = (size_t)col * n / (size_t)cols;
	size_t to = ((size_t)col + 1) * n / (size_t)cols;
	uint64_t max = 0;

	if (to == from)
		to = from + 1;
	for (size_t i = from; i < to && i < n; i++)
		if (values[i] > max)
			max = values[i];
	return max;
}

static void draw_column(const struct screen *s, const struct area *a, int col, int eighths,
			enum ink_tui ink)
{
	static const char *const parts[] = { "", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { "", ".", ".", ".", ":", ":", "|", "|", "#" };

	for (int y = a->rows - 1; y >= 0 && eighths > 0; y--) {
		int part = eighths < 8 ? eighths : 8;

		(void)screen_text(s, a, y, col, ink, s->utf8 ? parts[part] : ascii[part]);
		eighths -= part;
	}
}

/* Shades the cells that a column of so many eighths reaches. */
static void shade_column(const struct screen *s, const struct area *a, int col, int eighths)
{
	for (int y = a->rows - 1; y >= 0 && eighths > 0; y--, eighths -= 8)
		(void)screen_text(s, a, y, col, TUI_DIM, s->utf8 ? "░" : "-");
}

void screen_chart_between(const struct screen *s, const struct area *a, const uint64_t *values,
			  const uint64_t *most, size_t n, enum ink_tui ink)
{
	uint64_t max = n ? column_value(most, n, 0, 1) : 0;
	int height = 8 * a->rows;

	for (int col = 0; col < a->cols && n; col++) {
		uint64_t value = column_value(values, n, col, a->cols);
		uint64_t limit = column_value(most, n, col, a->cols);

		if (limit > value)
			shade_column(s, a, col, steps_of(limit, max, height));
		draw_column(s, a, col, steps_of(value, max, height), ink);
	}
}

void screen_chart(const struct screen *s, const struct area *a, const uint64_t *values, size_t n,
		  enum ink_tui ink)
{
	screen_chart_between(s, a, values, values, n, ink);
}

void screen_shade(const struct screen *s, const struct area *a, int y, int x, enum ink_tui ink,
		  uint64_t value, uint64_t max)
{
	static const char *const shades[] = { " ", "░", "▒", "▓", "█" };
	static const char *const ascii[] = { " ", ".", ":", "*", "#" };
	int step = steps_of(value, max, 4);

	(void)screen_text(s, a, y, x, ink, s->utf8 ? shades[step] : ascii[step]);
}

void screen_row(int y, char *buf, size_t size)
{
	wchar_t chars[MAX_COLUMNS + 1] = L"";
	size_t len;

	*buf = '\0';
	if (mvinnwstr(y, 0, chars, MAX_COLUMNS) == ERR)
		return;
	if (wcstombs(buf, chars, size - 1) == (size_t)-1)
		*buf = '\0';
	buf[size - 1] = '\0';
	for (len = strlen(buf); len && buf[len - 1] == ' '; len--)
		buf[len - 1] = '\0';
}
