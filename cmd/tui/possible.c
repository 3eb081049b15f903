/* SPDX-License-Identifier: GPL-2.0-or-later */
/* possible.c - whether there is a terminal to draw on. In a file of its own because of term.h, which
 * makes macros of common words. */
#include <curses.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "cmd/tui/tui.h"

bool tui_possible(const struct common *c)
{
	bool trace_on_stdin = c->n_inputs == 1 && strcmp(c->inputs[0], "-") == 0;
	bool possible = false;
	int problem;

	if (!isatty(STDOUT_FILENO) || (!isatty(STDIN_FILENO) && !trace_on_stdin))
		return false;
	if (setupterm(NULL, STDOUT_FILENO, &problem) != OK)
		return false;
	possible = cursor_address && *cursor_address;
	(void)del_curterm(cur_term);
	return possible;
}
