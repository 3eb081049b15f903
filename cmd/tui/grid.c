/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid.c - a table on the screen: cursor, scrolling, sorting, searching. */
#include <string.h>

#include "cmd/tui/state.h"

#define LABEL_LEAST 6
#define LABEL_MOST 24

int grid_fill(struct grid *g, const struct report *r, enum report_by by, const struct selection *sel)
{
	struct report_sort usual = report_usual_sort(by);
	const struct report_row *old = grid_row(g);
	uint32_t key = old ? old->key : ANY;
	bool first = g->fields.n == 0;

	if (made_already(&g->made, sel))
		return 0;
	report_table_free(&g->table);
	g->made.known = report_table(&g->table, r, by, sel) == 0;
	if (!g->made.known)
		return -1;
	if (first) {
		g->fields = fields_usual(r->base.x86);
		g->sort = usual;
	}
	report_sort(&g->table, &g->sort);
	g->cursor = 0;
	for (size_t i = 0; i < g->table.n; i++)
		if (g->table.rows[i].key == key)
			g->cursor = i;
	return 0;
}

void grid_free(struct grid *g)
{
	report_table_free(&g->table);
}

const struct report_row *grid_row(const struct grid *g)
{
	return g->cursor < g->table.n ? &g->table.rows[g->cursor] : NULL;
}

bool cursor_key(size_t *cursor, size_t n, int shown, enum tui_do what)
{
	size_t page = shown > 1 ? (size_t)shown - 1 : 1;
	size_t last = n ? n - 1 : 0;

	switch (what) {
	case DO_UP:
		*cursor -= *cursor > 0;
		return true;
	case DO_DOWN:
		*cursor += *cursor < last;
		return true;
	case DO_PAGE_UP:
		*cursor -= *cursor < page ? *cursor : page;
		return true;
	case DO_PAGE_DOWN:
		*cursor = last - *cursor < page ? last : *cursor + page;
		return true;
	case DO_FIRST:
		*cursor = 0;
		return true;
	case DO_LAST:
		*cursor = last;
		return true;
	default:
		return false;
	}
}

void cursor_scroll(size_t *top, size_t cursor, size_t n, int shown)
{
	size_t rows = shown > 0 ? (size_t)shown : 1;

	if (*top + rows > n)
		*top = n > rows ? n - rows : 0;
	if (cursor < *top)
		*top = cursor;
	if (cursor >= *top + rows)
		*top = cursor - rows + 1;
}

/* The next or last column as the order; before the first is the table's own. */
static void sort_by(struct grid *g, int step)
{
	int at = -1;
	int n = (int)g->fields.n;

	for (int i = 0; i < n; i++)
		if (g->fields.f[i] == g->sort.field)
			at = i;
	at += step;
	if (at < -1)
		at = n - 1;
	g->sort.field = at < 0 || at >= n ? NULL : g->fields.f[at];
}

static void reorder(struct grid *g)
{
	const struct report_row *row = grid_row(g);
	uint32_t key;

	if (!row)
		return;
	key = row->key;
	report_sort(&g->table, &g->sort);
	for (size_t i = 0; i < g->table.n; i++)
		if (g->table.rows[i].key == key)
			g->cursor = i;
}

bool grid_key(struct grid *g, enum tui_do what)
{
	switch (what) {
	case DO_SORT:
	case DO_SORT_BACK:
		sort_by(g, what == DO_SORT ? 1 : -1);
		reorder(g);
		return true;
	case DO_REVERSE:
		g->sort.ascending = !g->sort.ascending;
		reorder(g);
		return true;
	case DO_LEFT:
		g->left -= g->left > 0;
		return true;
	case DO_RIGHT:
		g->left += g->left + 1 < g->fields.n;
		return true;
	default:
		return cursor_key(&g->cursor, g->table.n, g->shown, what);
	}
}

void grid_click(struct grid *g, int y)
{
	size_t row = g->top + (size_t)(y > 0 ? y - 1 : 0);

	if (y > 0 && row < g->table.n)
		g->cursor = row;
}

bool grid_search(struct grid *g, const char *text)
{
	for (size_t i = 1; i <= g->table.n; i++) {
		size_t row = (g->cursor + i) % g->table.n;

		if (strstr(g->table.rows[row].label, text)) {
			g->cursor = row;
			return true;
		}
	}
	return false;
}

static int field_columns(const struct grid *g, const struct field *f)
{
	int head = (int)strlen(field_head(f)) + 1; /* room for the mark of sorting */
	int total = (int)strlen(field_text(f, &g->table.total, &g->table.total, true).text);

	return (head > total ? head : total) + 1;
}

static int label_columns(const struct grid *g)
{
	size_t longest = LABEL_LEAST;

	for (size_t i = 0; i < g->table.n; i++)
		if (strlen(g->table.rows[i].label) > longest)
			longest = strlen(g->table.rows[i].label);
	return longest < LABEL_MOST ? (int)longest : LABEL_MOST;
}

static void draw_head(struct tui *t, const struct grid *g, const struct area *area)
{
	int end = label_columns(g);

	(void)screen_text(&t->screen, area, 0, 0, TUI_HEAD, report_by_keys[g->table.by]);
	for (size_t i = g->left; i < g->fields.n; i++) {
		const struct field *f = g->fields.f[i];
		char text[48];
		const char *mark = "";

		if (f == g->sort.field)
			mark = g->sort.ascending ? "^" : "v";
		end += field_columns(g, f);
		(void)snprintf(text, sizeof(text), "%s%s", field_head(f), mark);
		screen_right(&t->screen, area, 0, end, TUI_HEAD, text);
	}
}

static void draw_row(struct tui *t, const struct grid *g, const struct area *area, int y,
		     const char *label, const struct sums *s)
{
	struct area names = *area;
	int end = label_columns(g);

	if (names.cols > end)
		names.cols = end;
	(void)screen_text(&t->screen, &names, y, 0, TUI_PLAIN, label);
	for (size_t i = g->left; i < g->fields.n; i++) {
		end += field_columns(g, g->fields.f[i]);
		if (end > area->cols)
			break;
		screen_right(&t->screen, area, y, end, TUI_PLAIN,
			     field_text(g->fields.f[i], s, &g->table.total, true).text);
	}
}

void grid_draw(struct tui *t, struct grid *g, struct area area)
{
	int y = 1;

	g->shown = area.rows - 2; /* head and total */
	cursor_scroll(&g->top, g->cursor, g->table.n, g->shown);
	draw_head(t, g, &area);
	for (size_t i = g->top; i < g->table.n && y <= g->shown; i++, y++) {
		draw_row(t, g, &area, y, g->table.rows[i].label, &g->table.rows[i].s);
		if (i == g->cursor)
			screen_ink_row(&t->screen, &area, y, TUI_CURSOR);
	}
	if (g->table.n == 0)
		(void)screen_text(&t->screen, &area, y++, 0, TUI_DIM, "nothing is selected");
	draw_row(t, g, &area, y, "total", &g->table.total);
}
