/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tui.h - the terminal's view of one trace.
 */
#ifndef TLBTRACE_CMD_TUI_TUI_H
#define TLBTRACE_CMD_TUI_TUI_H

#include <stdbool.h>

#include "analyze/error.h"
#include "cmd/common.h"

/* True where there is a terminal that can move its cursor, and keys to read. */
bool tui_possible(const struct common *c);

/*
 * Reads the one input of c with a progress bar, then shows it until the user has enough, keys end,
 * or SIGTERM or SIGHUP arrives. The terminal is as before afterwards. Returns 0, or -1 with *err.
 */
int tui_run(const struct common *c, struct error *err);

#endif
