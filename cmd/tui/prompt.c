/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.c - asks for a line of text at the bottom of the screen. */
#include <string.h>

#include "cmd/tui/state.h"

static void draw_prompt(struct tui *t, const char *question, const char *text)
{
	struct area all = screen_area();
	struct area line;
	int used;

	tui_draw(t);
	(void)area_top(&all, all.rows - 1);
	line = all;
	(void)screen_printf(&t->screen, &line, 0, 0, TUI_PLAIN, "%*s", line.cols, "");
	used = screen_text(&t->screen, &line, 0, 0, TUI_HEAD, question);
	used += screen_text(&t->screen, &line, 0, used, TUI_PLAIN, text);
	(void)screen_text(&t->screen, &line, 0, used, TUI_CURSOR, " ");
}

/* Takes the last character away, all bytes of it. */
static void rub_out(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		text[--len] = '\0';
	if (len)
		text[len - 1] = '\0';
}

bool tui_ask(struct tui *t, const char *question, char *buf, size_t size)
{
	for (;;) {
		size_t len = strlen(buf);
		int key;

		draw_prompt(t, question, buf);
		key = tui_wait_key(t, -1);
		if (t->quit || key == 27 || key == TUI_CTRL('c'))
			return false;
		if (key == '\r' || key == '\n' || key == KEY_ENTER)
			return true;
		if (key == KEY_BACKSPACE || key == 127 || key == '\b')
			rub_out(buf);
		else if (key == TUI_CTRL('u'))
			*buf = '\0';
		else if (key >= ' ' && key < 256 && len + 1 < size)
			memcpy(buf + len, (char[]){ (char)key, '\0' }, 2);
	}
}
