/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - what the views share: the report, the filter, the stack of views, the message line.
 */
#ifndef TLBTRACE_CMD_TUI_STATE_H
#define TLBTRACE_CMD_TUI_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/report.h"
#include "cmd/tui/keys.h"
#include "cmd/tui/screen.h"
#include "replay/sweep.h"

struct tui;

/*
 * A view is one file. Members that may be NULL say so.
 */
struct view {
	const char *name;  /* in the title line */
	const char *hints; /* keys worth a mention in the last line */
	/* Makes what is drawn from the report and t->sel; called when the view is shown and when
	 * the filter has changed. Returns -1 where memory is short. */
	int (*enter)(struct tui *t);
	void (*draw)(struct tui *t, struct area area);
	/* True where the key was this view's. NULL: no keys of its own. */
	bool (*key)(struct tui *t, enum tui_do what);
	/* A click on row y of its area. NULL: nothing happens. */
	void (*click)(struct tui *t, int y);
	/* Does a little of what is left to do while no key waits; true where more is left. NULL: never. */
	bool (*idle)(struct tui *t);
	/* Its rows, for searching and CSV. NULL: it has none. */
	struct grid *(*grid)(struct tui *t);
};

extern const struct view view_overview;
extern const struct view view_mms;
extern const struct view view_mm;
extern const struct view view_flushes;
extern const struct view view_whatif;
extern const struct view view_cpus;
extern const struct view view_help;

/* What something was last made of: the trace stays as it is, so the same need not be made again. */
struct made {
	bool known;
	struct selection of;
};

/* A table with a cursor; rows are the table's. */
struct grid {
	struct made made;
	struct report_table table;
	struct field_list fields;
	struct report_sort sort;
	size_t cursor;
	size_t top;  /* first row shown */
	int shown;   /* rows that fitted when it was last drawn */
	size_t left; /* first field shown */
};

#define TUI_KEPT 3u /* alternatives beside the one that moves */

/* A parameter that the what-if view can change; `changed` where it is not as recorded. */
struct slide {
	uint64_t value;
	bool changed;
};

/*
 * What a counter costs under each ceiling. Long traces take longer for it than a key may: it is worked
 * out by and by while no key waits, and the one before is shown until then.
 */
struct curve {
	uint64_t *shown; /* [2 * n_shown]: what is certain or likely, then the most there can be */
	size_t n_shown;	 /* ceilings 1 … n_shown */
	uint64_t *next;	 /* the same of the policy that is being worked out; NULL: none is */
	size_t n;
	size_t done;	    /* ceilings of `next` that are known */
	size_t slice;	    /* ceilings that are worked out at a time */
	struct params base; /* of `next`, or if NULL of `shown`; its ceiling means nothing */
	bool known;	    /* base is set */
};

struct whatif_view {
	struct made made_of;
	struct slide slides[PARAMS];
	bool made;  /* the slides begin at the recorded values */
	bool stale; /* params have changed since the prediction */
	struct policy policy;
	struct params params;
	struct counts recorded; /* the recorded policy, of what the filter selects */
	struct counts counts;
	struct counts kept[TUI_KEPT];
	char kept_names[TUI_KEPT][64];
	size_t n_kept;
	struct prediction by_mm; /* of the alternative */
	struct prediction was;	 /* of the recorded policy */
	struct kinds kinds;	 /* of what the filter selects */
	struct curve curve;
	enum counter shown; /* whose curve is drawn */
};

struct flush_line;

struct flushes_view {
	struct flush_line *lines;
	size_t n;
	size_t room;
	uint64_t left_out; /* beyond the most that are kept */
	bool folds;	   /* mms end and are counted together: left_out is perhaps of others */
	bool read;	   /* with the filter as it is */
	bool interrupted;
	size_t cursor;
	size_t top;
	int shown;
	unsigned order;
	bool reversed;
};

struct cpus_view {
	struct made made;
	uint64_t *hits; /* [n + 1][n]: by who flushed (the last row: by IPI) on whom */
	uint32_t n;
	uint32_t top;
	uint32_t left;
};

/* Instructions of each CPU in each period. */
struct strips {
	struct made made;
	uint64_t *n; /* [cpus][periods] */
	uint32_t cpus;
	uint32_t periods;
};

#define TUI_DEPTH 16u

struct tui {
	const struct common *common;
	const char *path;
	bool from_pipe; /* it cannot be read again */
	struct report report;
	struct screen screen;
	int signals; /* a signalfd: SIGINT, SIGTERM, SIGHUP */
	struct selection sel;
	char filter[160]; /* sel as text */
	const struct view *views[TUI_DEPTH];
	struct selection before[TUI_DEPTH]; /* what sel was under each view, to go back to */
	size_t depth;			    /* > 0 once running */
	char message[256];
	char search[64];
	bool quit;
	struct grid mms;
	struct grid sizes;
	struct grid causes;
	struct grid tasks;
	struct grid periods;
	struct strips strips;
	struct whatif_view whatif;
	struct flushes_view flushes;
	struct cpus_view cpus;
	size_t help_top;
};

/* Shows a view above the present one, of what sel selects; Backspace goes back to both. */
void tui_push(struct tui *t, const struct view *view, const struct selection *sel);
/* Shows a view in place of all that are open; the filter stays. */
void tui_show(struct tui *t, const struct view *view);
const struct view *tui_view(const struct tui *t);

/* True where m was made of this selection; else it is noted that it now is. */
bool made_already(struct made *m, const struct selection *sel);

/* The filter has changed: all that was made with the old one is made again. */
void tui_refilter(struct tui *t);

void tui_say(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Draws everything; the terminal shows it when keys are next waited for. */
void tui_draw(struct tui *t);

/* Waits for a key, or until timeout_ms (-1: for ever). ERR: none came; t->quit may be set by then. */
int tui_wait_key(struct tui *t, int timeout_ms);

/* True where the user wants the present work to stop: any of Ctrl-C, q, Esc, or the end. */
bool tui_interrupted(struct tui *t);

/* Those that ended a reading (trace_options.stop_fd), which are not to stop what comes then. */
void tui_take_signals(struct tui *t);

/* A progress line over the whole screen, at most ten times a second. */
void tui_progress(struct tui *t, const char *what, uint64_t events);

/* The monotonic clock. */
uint64_t tui_now_ns(void);

/* Asks for a line of text; false where it was given up. */
bool tui_ask(struct tui *t, const char *question, char *buf, size_t size);

/* "cause=munmap cpu=1": sets t->sel. False with a message where it makes no sense. */
bool tui_parse_filter(struct tui *t, const char *text);
/* The filter as tui_parse_filter takes it. */
void tui_filter_text(const struct tui *t, char *buf, size_t size);

/* Writes the present view to a file. */
void tui_write(struct tui *t);

/* grid.c */
int grid_fill(struct grid *g, const struct report *r, enum report_by by,
	      const struct selection *sel);
void grid_free(struct grid *g);
void grid_draw(struct tui *t, struct grid *g, struct area area);
/* Moving, sorting and searching; true where the key was one of these. */
bool grid_key(struct grid *g, enum tui_do what);
void grid_click(struct grid *g, int y);
/* The row under the cursor, or NULL. */
const struct report_row *grid_row(const struct grid *g);
/* Moves the cursor to the next row whose label contains the text. */
bool grid_search(struct grid *g, const char *text);

/* A cursor that stays within n rows of which `shown` fit on the screen; false for other keys. */
bool cursor_key(size_t *cursor, size_t n, int shown, enum tui_do what);
void cursor_scroll(size_t *top, size_t cursor, size_t n, int shown);

void flushes_free(struct flushes_view *v);
void whatif_view_free(struct whatif_view *v);

/* curve.c */
/* The curve of these parameters is wanted; `anew` where what the filter selects has changed. */
void curve_want(struct tui *t, const struct params *base, bool anew);
/* A view's idle(). */
bool curve_work(struct tui *t);
void curve_draw(struct tui *t, struct area a);
void curve_free(struct curve *c);

#endif
