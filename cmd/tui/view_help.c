/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_help.c - all keys, from the table that gives them their meaning. */
#include "cmd/tui/state.h"

#define KEY_COLUMNS 12

static int enter(struct tui *t)
{
	t->help_top = 0;
	return 0;
}

static void draw(struct tui *t, struct area area)
{
	int y = 0;

	if (t->help_top >= n_tui_keys)
		t->help_top = n_tui_keys - 1;
	for (size_t i = t->help_top; i < n_tui_keys && y < area.rows; i++, y++) {
		(void)screen_text(&t->screen, &area, y, 1, TUI_HEAD, tui_keys[i].shown);
		(void)screen_text(&t->screen, &area, y, KEY_COLUMNS, TUI_PLAIN, tui_keys[i].what);
	}
}

static bool key(struct tui *t, enum tui_do what)
{
	if (what == DO_ENTER)
		return true;
	return cursor_key(&t->help_top, n_tui_keys, 10, what);
}

const struct view view_help = {
	.name = "keys",
	.hints = "Backspace back  q quit",
	.enter = enter,
	.draw = draw,
	.key = key,
};
