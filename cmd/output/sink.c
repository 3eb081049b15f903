/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink.c - standard output, pager, or file. */
#include "cmd/output/sink.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL_CANNOT_RUN 126 /* or 127: there is no such program */

static int fail(const char *path, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
}

static bool wants_color(enum color color, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return is_terminal && !(no_color && *no_color);
}

/* Mode of a file that is made anew. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return 0666 & ~mask;
}

/* A new file beside the old one, so that it can take its place in one step. */
static int open_temporary(struct sink *s, mode_t mode, struct error *err)
{
	int fd = temporary_file(&s->temporary, s->path, mode);

	if (fd < 0)
		return fail(s->path, err);
	s->f = fdopen(fd, "w");
	if (s->f)
		return 0;
	(void)fail(s->path, err);
	(void)close(fd);
	return -1;
}

/* True for a trace.dat or perf.data: nobody means to write results over what was recorded. */
static bool is_recording(const char *path)
{
	static const char trace_dat[] = "\x17\x08\x44tracing";
	static const char perf_data[] = "PERFILE2";
	char head[sizeof(trace_dat)] = "";
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(head, 1, sizeof(head) - 1, f) : 0;

	if (f)
		(void)fclose(f);
	return (len >= 10 && memcmp(head, trace_dat, 10) == 0) ||
	       (len >= 8 && (memcmp(head, perf_data, 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0));
}

static int open_file(struct sink *s, const char *path, struct error *err)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	if (exists && S_ISREG(st.st_mode) && is_recording(path))
		return error_set(err, ERROR_USAGE,
				 "%s: is a recording, which results must not replace: name another "
				 "output",
				 path);
	/* A link stays a link; a device or a pipe cannot be replaced, only written to. */
	s->path = exists ? realpath(path, NULL) : strdup(path);
	if (!s->path)
		return fail(path, err);
	if (!exists || S_ISREG(st.st_mode))
		return open_temporary(s, exists ? st.st_mode & 07777 : usual_mode(), err);
	s->f = fopen(path, "w");
	return s->f ? 0 : fail(path, err);
}

int sink_open(struct sink *s, const struct sink_options *opt, struct error *err)
{
	*s = (struct sink){ .f = NULL };
	if (opt->path) {
		if (open_file(s, opt->path, err)) {
			sink_abandon(s);
			return -1;
		}
		s->color = opt->color == COLOR_ALWAYS;
		return 0;
	}
	s->is_terminal = isatty(STDOUT_FILENO);
	s->color = wants_color(opt->color, s->is_terminal);
	s->f = stdout;
	if (s->is_terminal && !opt->no_pager)
		s->f = open_memstream(&s->page, &s->page_len);
	return s->f ? 0 : fail("standard output", err);
}

static bool fits_on_screen(const char *text)
{
	struct winsize size = { .ws_row = 0 };
	unsigned lines = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_row == 0)
		return true;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	return lines < size.ws_row;
}

/* In the user's pager, or less, where the text is longer than the screen. */
static int show(const struct sink *s)
{
	const char *pager = getenv("PAGER");
	FILE *to = NULL;
	int status = SHELL_CANNOT_RUN << 8;

	if (!fits_on_screen(s->page))
		to = popen(pager && *pager ? pager : "less -R 2>/dev/null || cat", "w");
	if (to) {
		/* One who has read enough of a page ends the pager, not us. */
		(void)!signal(SIGPIPE, SIG_IGN);
		(void)fwrite(s->page, 1, s->page_len, to);
		status = pclose(to);
		(void)!signal(SIGPIPE, SIG_DFL);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) >= SHELL_CANNOT_RUN)
		(void)fwrite(s->page, 1, s->page_len, stdout);
	return status < 0 ? -1 : 0;
}

static int close_page(struct sink *s, struct error *err)
{
	int status = fclose(s->f);

	s->f = NULL;
	if (status == 0)
		status = show(s);
	if (status)
		(void)fail("standard output", err);
	free(s->page);
	s->page = NULL;
	return status;
}

static int close_file(struct sink *s, struct error *err)
{
	bool bad = ferror(s->f);

	errno = 0;
	bad |= fclose(s->f) != 0;
	s->f = NULL;
	if (!bad && s->temporary.path && temporary_keep(&s->temporary, s->path))
		bad = true;
	if (bad) {
		(void)error_set(err, ERROR_ENVIRONMENT, "%s: %s", s->path,
				errno ? strerror(errno) : "could not be written");
		sink_abandon(s);
		return -1;
	}
	sink_abandon(s);
	return 0;
}

int sink_close(struct sink *s, struct error *err)
{
	if (s->path)
		return close_file(s, err);
	return s->f == stdout ? 0 : close_page(s, err);
}

void sink_abandon(struct sink *s)
{
	if (s->f && s->f != stdout)
		(void)fclose(s->f);
	temporary_drop(&s->temporary);
	free(s->path);
	free(s->page);
	*s = (struct sink){ .f = NULL };
}
