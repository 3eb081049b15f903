/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_file.h - the bytes of an input, before anything is known about its format.
 */
#ifndef TLBTRACE_SOURCE_FILE_H
#define TLBTRACE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyze/error.h"

#define SOURCE_HEAD_LEN 64

struct source_file {
	const char *name; /* as the user gave it, for messages */
	int fd;		  /* -1: nothing is open */
	int stop_fd;	  /* > 0: once this is readable, the input ends where it is */
	bool is_pipe;	  /* cannot seek: after head[], read on from fd */
	bool is_directory;
	uint8_t head[SOURCE_HEAD_LEN]; /* the first bytes */
	size_t head_len;	       /* fewer only where the input is shorter */
	const uint8_t *data;	       /* everything, once source_file_load() was called */
	uint64_t size;
	bool mapped;
};

/* Opens path ("-": standard input) and reads the head. Returns 0, or -1 with *err filled. */
int source_file_open(struct source_file *file, const char *path, struct error *err);
/* The same, with its stop_fd; 0: none. */
int source_file_open_until(struct source_file *file, const char *path, int stop_fd,
			   struct error *err);

/* At most n bytes of a pipe: how many, 0 at the end or where stop_fd says so, -1 with errno set. */
ssize_t source_file_read(const struct source_file *file, void *to, size_t n);

/* Makes data and size valid: maps a regular file, reads a pipe to its end into memory. */
int source_file_load(struct source_file *file, struct error *err);

/* Accepts a file that source_file_open() failed on. */
void source_file_close(struct source_file *file);

#endif
