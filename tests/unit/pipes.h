/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pipes.h - a file in memory, written into a pipe by a thread, as a source reads it. */
#ifndef TLBTRACE_TESTS_PIPES_H
#define TLBTRACE_TESTS_PIPES_H

#include <pthread.h>
#include <stdbool.h>

#include "tracebuild.h"

struct pipe_writer {
	const struct block *file;
	int fd;
	pthread_t thread;
};

/* Begins to write. Returns the end to read from and its path; then as open_pipe(). */
int pipe_writer_start(struct pipe_writer *w, const struct block *file, char path[64]);

/* Opens the pipe, as standard input or by name. Whatever becomes of it: pipe_writer_end(). */
struct source *open_pipe(struct pipe_writer *w, const struct block *file, bool as_stdin,
			 struct error *err);

/* After the source was closed. */
void pipe_writer_end(struct pipe_writer *w);

#endif
