/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.h - what keys do: the one table from which keys are looked up and help is written.
 */
#ifndef TLBTRACE_CMD_TUI_KEYS_H
#define TLBTRACE_CMD_TUI_KEYS_H

#include <curses.h>

#define TUI_CTRL(c) ((c)&0x1f)

/* X(id, code, second code or 0, as shown, what it does) */
#define TUI_KEYS_X(X)                                                                              \
	X(DO_OVERVIEW, '1', KEY_F(1), "1", "overview")                                             \
	X(DO_MMS, '2', KEY_F(2), "2", "address spaces")                                            \
	X(DO_FLUSHES, '3', KEY_F(3), "3", "flushes, one by one")                                   \
	X(DO_WHATIF, '4', KEY_F(4), "4", "what if: other policies")                                \
	X(DO_CPUS, '5', KEY_F(5), "5", "CPUs: who flushes and who is hit")                         \
	X(DO_NEXT_VIEW, '\t', 0, "Tab", "the next view")                                           \
	X(DO_ENTER, '\r', KEY_ENTER, "Enter", "go into what the cursor is on")                     \
	X(DO_BACK, KEY_BACKSPACE, 127, "Backspace", "go back")                                     \
	X(DO_UP, KEY_UP, 'k', "Up k", "cursor up; in what-if: the local ceiling")                  \
	X(DO_DOWN, KEY_DOWN, 'j', "Down j", "cursor down; in what-if: the local ceiling")          \
	X(DO_LEFT, KEY_LEFT, 'h', "Left h", "in what-if: the ceiling down; elsewhere scroll")      \
	X(DO_RIGHT, KEY_RIGHT, 'l', "Right l", "in what-if: the ceiling up; elsewhere scroll")     \
	X(DO_PAGE_UP, KEY_PPAGE, TUI_CTRL('b'), "PgUp", "a page up; in what-if: 10 more")          \
	X(DO_PAGE_DOWN, KEY_NPAGE, TUI_CTRL('d'), "PgDn", "a page down; in what-if: 10 less")      \
	X(DO_FIRST, KEY_HOME, 'g', "Home g", "the first row")                                      \
	X(DO_LAST, KEY_END, 'G', "End G", "the last row")                                          \
	X(DO_SORT, 's', 0, "s", "sort by the next column")                                         \
	X(DO_SORT_BACK, 'S', 0, "S", "sort by the column before")                                  \
	X(DO_REVERSE, 'R', 0, "R", "turn the order round")                                         \
	X(DO_SEARCH, '/', 0, "/", "search in the names of the rows")                               \
	X(DO_SEARCH_NEXT, 'n', 0, "n", "search again")                                             \
	X(DO_FILTER, 'f', 0, "f", "filter: mm= cpu= cause= size= time=FROM,TO; empty: all")        \
	X(DO_COMPARE, 'c', 0, "c", "in what-if: comparison, > or >=")                              \
	X(DO_ERA, 'e', 0, "e", "in what-if: the kernel's era")                                     \
	X(DO_LAZY, 'z', 0, "z", "in what-if: the lazy TLB scheme")                                 \
	X(DO_MULTICAST, 'm', 0, "m", "in what-if: tlbie, or multicast tlbiel")                     \
	X(DO_KEEP, 'a', 0, "a", "in what-if: keep this alternative in a column")                   \
	X(DO_RESET, 'r', 0, "r", "in what-if: back to the recorded policy")                        \
	X(DO_WRITE, 'w', 0, "w", "write this view to a file (.csv: as CSV)")                       \
	X(DO_HELP, '?', 0, "?", "these keys")                                                      \
	X(DO_REDRAW, TUI_CTRL('l'), 0, "Ctrl-L", "draw the screen anew")                           \
	X(DO_QUIT, 'q', 0, "q", "quit")

#define TUI_KEYS_ENUM(id, code, other, shown, what) id,
enum tui_do {
	DO_NOTHING,
	TUI_KEYS_X(TUI_KEYS_ENUM)
};
#undef TUI_KEYS_ENUM

struct tui_key {
	enum tui_do what_to_do;
	int code;
	int other;
	const char *shown;
	const char *what;
};

extern const struct tui_key tui_keys[];
extern const size_t n_tui_keys;

/* DO_NOTHING where the key means nothing. */
enum tui_do tui_key_meaning(int code);

#endif
