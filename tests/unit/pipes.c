/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pipes.c - a file in memory, written into a pipe by a thread. */
#include "pipes.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

static void *write_all(void *arg)
{
	const struct pipe_writer *w = arg;

	for (size_t at = 0; at < w->file->size;) {
		ssize_t n = write(w->fd, w->file->data + at, w->file->size - at);

		if (n < 0)
			break; /* the reader has read enough */
		at += (size_t)n;
	}
	close(w->fd);
	return NULL;
}

int pipe_writer_start(struct pipe_writer *w, const struct block *file, char path[64])
{
	int fds[2];

	assert_true(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	assert_int_equal(pipe(fds), 0);
	*w = (struct pipe_writer){ .file = file, .fd = fds[1] };
	assert_int_equal(pthread_create(&w->thread, NULL, write_all, w), 0);
	snprintf(path, 64, "/proc/self/fd/%d", fds[0]);
	return fds[0];
}

struct source *open_pipe(struct pipe_writer *w, const struct block *file, bool as_stdin,
			 struct error *err)
{
	int saved = as_stdin ? dup(STDIN_FILENO) : -1;
	struct source *src;
	char path[64];
	int fd = pipe_writer_start(w, file, path);

	if (as_stdin)
		assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	src = source_open(as_stdin ? "-" : path, err);
	if (as_stdin) {
		if (saved >= 0)
			dup2(saved, STDIN_FILENO);
		else
			close(STDIN_FILENO);
		close(saved);
	}
	close(fd);
	return src;
}

void pipe_writer_end(struct pipe_writer *w)
{
	pthread_join(w->thread, NULL);
}
