/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tui.c - the loop: read the trace, then draw and take keys until it is enough. */
#include "cmd/tui/tui.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/tui/state.h"

static const struct view *const numbered[] = { &view_overview, &view_mms, &view_flushes,
					       &view_whatif, &view_cpus };
#define NUMBERED ((size_t)(DO_CPUS - DO_OVERVIEW + 1))

void tui_say(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(t->message, sizeof(t->message), fmt, ap);
	va_end(ap);
}

const struct view *tui_view(const struct tui *t)
{
	return t->views[t->depth - 1];
}

static void enter(struct tui *t)
{
	tui_filter_text(t, t->filter, sizeof(t->filter));
	if (tui_view(t)->enter(t))
		tui_say(t, "out of memory: not all of this is shown");
}

bool made_already(struct made *m, const struct selection *sel)
{
	if (m->known && memcmp(&m->of, sel, sizeof(*sel)) == 0)
		return true;
	m->known = true;
	m->of = *sel;
	return false;
}

/* The list of flushes was made with another filter. */
static void select_flushes(struct tui *t, const struct selection *sel)
{
	if (memcmp(&t->sel, sel, sizeof(*sel)) != 0)
		t->flushes.read = false;
	t->sel = *sel;
}

/* The stack is full. */
static void forget_lowest(struct tui *t)
{
	t->depth--;
	for (size_t i = 0; i < t->depth; i++) {
		t->views[i] = t->views[i + 1];
		t->before[i] = t->before[i + 1];
	}
}

void tui_push(struct tui *t, const struct view *view, const struct selection *sel)
{
	struct selection with = *sel; /* sel may be t->sel */

	if (t->depth == TUI_DEPTH)
		forget_lowest(t);
	t->before[t->depth] = t->sel;
	t->views[t->depth++] = view;
	select_flushes(t, &with);
	enter(t);
}

void tui_show(struct tui *t, const struct view *view)
{
	if (tui_view(t) == view)
		return;
	t->depth = 0;
	tui_push(t, view, &t->sel);
}

static void go_back(struct tui *t)
{
	if (t->depth > 1) {
		t->depth--;
		select_flushes(t, &t->before[t->depth]);
		enter(t);
	} else {
		tui_show(t, &view_overview);
	}
}

void tui_refilter(struct tui *t)
{
	t->flushes.read = false;
	enter(t);
}

static void next_view(struct tui *t)
{
	size_t at = 0;

	for (size_t i = 0; i < NUMBERED; i++)
		if (numbered[i] == t->views[0])
			at = i + 1;
	tui_show(t, numbered[at % NUMBERED]);
}

/* Its end where not all fits: that tells traces apart. */
static void draw_path(struct tui *t, const struct area *a)
{
	int len = (int)strlen(t->path);

	if (len <= a->cols)
		(void)screen_text(&t->screen, a, 0, 0, TUI_TITLE, t->path);
	else
		(void)screen_printf(&t->screen, a, 0, 0, TUI_TITLE, "<%s",
				    t->path + len - a->cols + 1);
}

static void draw_title(struct tui *t, const struct area *line)
{
	int x = 0;

	(void)screen_printf(&t->screen, line, 0, 0, TUI_TITLE, "%*s", line->cols, "");
	for (size_t i = 0; i < NUMBERED; i++) {
		bool here = numbered[i] == tui_view(t);

		x += screen_printf(&t->screen, line, 0, x, here ? TUI_HEAD : TUI_TITLE, " %zu %s ",
				   i + 1, numbered[i]->name);
	}
	if (tui_view(t) == &view_mm || tui_view(t) == &view_help)
		x += screen_printf(&t->screen, line, 0, x, TUI_HEAD, " %s ", tui_view(t)->name);
	if (x + 2 < line->cols) {
		struct area rest = *line;

		(void)area_left(&rest, x + 1);
		draw_path(t, &rest);
	}
}

static void draw_bottom(struct tui *t, const struct area *line)
{
	(void)screen_text(&t->screen, line, 0, 0, TUI_DIM, tui_view(t)->hints);
	if (*t->filter) {
		char text[192];

		(void)snprintf(text, sizeof(text), "  filter: %s", t->filter);
		screen_right(&t->screen, line, 0, line->cols, TUI_HEAD, text);
	}
}

/* Over the lowest lines, as many as it needs. */
static void draw_message(struct tui *t)
{
	struct area all = screen_area();
	int len = (int)strlen(t->message);
	int rows = all.cols > 0 ? (len + all.cols - 1) / all.cols : 0;

	if (rows > all.rows)
		rows = all.rows;
	for (int y = 0; y < rows; y++)
		(void)screen_printf(&t->screen, &all, all.rows - rows + y, 0, TUI_MARK, "%-*s",
				    all.cols, t->message + (size_t)y * (size_t)all.cols);
}

void tui_draw(struct tui *t)
{
	struct area body = screen_area();
	struct area title;
	struct area bottom;

	(void)erase();
	title = area_top(&body, body.rows > 1 ? 1 : 0);
	bottom = body;
	if (body.rows > 1) {
		body.rows--;
		bottom = (struct area){ body.y + body.rows, body.x, 1, body.cols };
	} else {
		bottom.rows = 0;
	}
	tui_view(t)->draw(t, body);
	draw_title(t, &title);
	draw_bottom(t, &bottom);
	draw_message(t);
	(void)move(LINES > 0 ? LINES - 1 : 0, 0);
}

/* SIGTERM and SIGHUP end it; SIGINT only stops what is going on. */
static bool take_signal(struct tui *t)
{
	struct signalfd_siginfo info;

	if (read(t->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	if (info.ssi_signo != SIGINT)
		t->quit = true;
	return true;
}

void tui_take_signals(struct tui *t)
{
	while (take_signal(t))
		;
}

static int key_fd(const struct tui *t)
{
	return t->screen.keys ? fileno(t->screen.keys) : STDIN_FILENO;
}

int tui_wait_key(struct tui *t, int timeout_ms)
{
	struct pollfd fds[2] = { { .fd = key_fd(t), .events = POLLIN },
				 { .fd = t->signals, .events = POLLIN } };
	int key = getch(); /* curses may have some; it also shows what was drawn */
	int ready;

	if (key != ERR)
		return key;
	ready = poll(fds, 2, timeout_ms);
	if (ready < 0)
		return errno == EINTR ? getch() : ERR; /* a new size comes as a key */
	if (fds[1].revents) {
		if (take_signal(t) && !t->quit)
			return TUI_CTRL('c');
		return ERR;
	}
	if (!fds[0].revents)
		return ERR;
	key = getch();
	if (key == ERR && (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL | POLLIN)))
		t->quit = true; /* readable, and nothing there: the end */
	return key;
}

bool tui_interrupted(struct tui *t)
{
	int key = tui_wait_key(t, 0);

	return t->quit || key == TUI_CTRL('c') || key == 'q' || key == 27;
}

uint64_t tui_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void tui_progress(struct tui *t, const char *what, uint64_t events)
{
	struct area all = screen_area();
	struct area bar = all;

	(void)erase();
	(void)screen_printf(&t->screen, &all, 0, 0, TUI_PLAIN, "%s %s: %.1f million events", what,
			    t->path, (double)events / 1e6);
	if (bar.cols > 4) /* how much there is nobody knows: something moves */
		(void)area_left(&bar, (int)(tui_now_ns() / 100000000 % (uint64_t)(bar.cols - 4)));
	(void)screen_text(&t->screen, &bar, 1, 0, TUI_GLOBAL, t->screen.utf8 ? "████" : "####");
	(void)screen_text(&t->screen, &all, 2, 0, TUI_DIM,
			  "q or Ctrl-C: enough, keep what was read");
	(void)refresh();
}

static bool reading(void *arg, uint64_t events)
{
	struct tui *t = arg;

	tui_progress(t, "reading", events);
	return !tui_interrupted(t);
}

/* Keys that mean the same in every view. */
static bool common_key(struct tui *t, enum tui_do what)
{
	switch (what) {
	case DO_OVERVIEW:
	case DO_MMS:
	case DO_FLUSHES:
	case DO_WHATIF:
	case DO_CPUS:
		tui_show(t, numbered[what - DO_OVERVIEW]);
		return true;
	case DO_NEXT_VIEW:
		next_view(t);
		return true;
	case DO_BACK:
		go_back(t);
		return true;
	case DO_HELP:
		if (tui_view(t) != &view_help)
			tui_push(t, &view_help, &t->sel);
		return true;
	case DO_WRITE:
		tui_write(t);
		return true;
	case DO_REDRAW:
		(void)clearok(curscr, TRUE);
		return true;
	case DO_QUIT:
		t->quit = true;
		return true;
	default:
		return false;
	}
}

static void ask_search(struct tui *t, bool again)
{
	struct grid *g = tui_view(t)->grid ? tui_view(t)->grid(t) : NULL;

	if (!g)
		tui_say(t, "there are no rows with names here");
	else if (!again && !tui_ask(t, "search: ", t->search, sizeof(t->search)))
		return;
	else if (*t->search && !grid_search(g, t->search))
		tui_say(t, "not found: %s", t->search);
}

static void ask_filter(struct tui *t)
{
	char text[sizeof(t->filter)];

	memcpy(text, t->filter, sizeof(text));
	if (tui_ask(t, "filter (mm= cpu= cause= size= time=FROM,TO): ", text, sizeof(text)) &&
	    tui_parse_filter(t, text))
		tui_refilter(t);
}

/* A click on the title line: the view whose name is there. */
static void click_title(struct tui *t, int x)
{
	for (size_t i = 0; i < NUMBERED; i++) {
		x -= (int)strlen(numbered[i]->name) + 4; /* as draw_title() writes it */
		if (x < 0) {
			tui_show(t, numbered[i]);
			return;
		}
	}
}

static void take_mouse(struct tui *t)
{
	MEVENT event;

	if (getmouse(&event) == ERR)
		return;
	if (event.bstate & BUTTON4_PRESSED)
		(void)(tui_view(t)->key && tui_view(t)->key(t, DO_UP));
	else if (event.bstate & BUTTON5_PRESSED)
		(void)(tui_view(t)->key && tui_view(t)->key(t, DO_DOWN));
	else if (event.y == 0)
		click_title(t, event.x);
	else if (tui_view(t)->click)
		tui_view(t)->click(t, event.y - 1);
}

static void take_key(struct tui *t, int key)
{
	enum tui_do what = tui_key_meaning(key);

	if (key == KEY_RESIZE)
		return;
	*t->message = '\0';
	if (key == KEY_MOUSE)
		take_mouse(t);
	else if (key == TUI_CTRL('c'))
		tui_say(t, "q quits");
	else if (what == DO_SEARCH || what == DO_SEARCH_NEXT)
		ask_search(t, what == DO_SEARCH_NEXT);
	else if (what == DO_FILTER)
		ask_filter(t);
	else if (what != DO_NOTHING && !(tui_view(t)->key && tui_view(t)->key(t, what)))
		(void)common_key(t, what);
}

static void loop(struct tui *t)
{
	tui_push(t, &view_overview, &select_all);
	while (!t->quit) {
		bool idle = true;
		int key;

		tui_draw(t);
		while ((key = tui_wait_key(t, idle ? 0 : -1)) == ERR && !t->quit && idle)
			idle = tui_view(t)->idle && tui_view(t)->idle(t);
		for (; key != ERR && !t->quit; key = getch()) /* all that wait, then draw */
			take_key(t, key);
	}
}

static int read_and_show(struct tui *t, struct error *err)
{
	struct common c = *t->common;

	c.quiet = true; /* the progress is ours */
	c.trace.progress = reading;
	c.trace.progress_arg = t;
	c.trace.stop_fd = t->signals;
	tui_progress(t, "reading", 0);
	if (report_read(&t->report, &c, t->path, 0, false, err))
		return -1;
	tui_take_signals(t);
	if (t->report.base.trace.interrupted)
		tui_say(t, "interrupted: this is what was read until then");
	loop(t);
	return 0;
}

static void free_state(struct tui *t)
{
	grid_free(&t->mms);
	grid_free(&t->sizes);
	grid_free(&t->causes);
	grid_free(&t->tasks);
	grid_free(&t->periods);
	flushes_free(&t->flushes);
	whatif_view_free(&t->whatif);
	free(t->cpus.hits);
	free(t->strips.n);
	report_free(&t->report);
}

static int run_on_terminal(struct tui *t, struct error *err)
{
	int status;

	if (screen_open(&t->screen, t->common->sink.color))
		return error_set(err, ERROR_ENVIRONMENT,
				 "the terminal cannot be used; --stdio gives text");
	status = read_and_show(t, err);
	screen_close(&t->screen);
	free_state(t);
	return status;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 ||
	       (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

int tui_run(const struct common *c, struct error *err)
{
	struct tui t = { .common = c,
			 .path = c->inputs[0],
			 .from_pipe = is_pipe(c->inputs[0]),
			 .sel = select_all };
	sigset_t wanted;
	sigset_t before;
	int status;

	(void)sigemptyset(&wanted);
	(void)sigaddset(&wanted, SIGINT);
	(void)sigaddset(&wanted, SIGTERM);
	(void)sigaddset(&wanted, SIGHUP);
	t.signals = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
	if (t.signals < 0)
		return error_set(err, ERROR_ENVIRONMENT, "signalfd: %s", strerror(errno));
	(void)sigprocmask(SIG_BLOCK, &wanted, &before);
	status = run_on_terminal(&t, err);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	(void)close(t.signals);
	return status;
}
