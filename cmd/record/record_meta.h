/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_meta.h - what decides predictions, as lines of text for the recording (analyze/metadata.h).
 */
#ifndef TLBTRACE_RECORD_META_H
#define TLBTRACE_RECORD_META_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/error.h"
#include "cmd/record/record_machine.h"

struct record_meta {
	char **lines; /* owned, each with its newline, each short enough for a trace_marker */
	size_t n;
};

/* The machine's parameters and the tasks that there are. Returns 0, or -1 with *err filled. */
int record_meta_find(struct record_meta *meta, const struct record_machine *m, bool requests_only,
		     struct error *err);
void record_meta_free(struct record_meta *meta);

/* Into the side file of the trace at path. Returns 0, or -1 with *err filled. */
int record_meta_write(char *const *lines, size_t n, const char *path, struct error *err);

/* Removes that side file. */
void record_meta_unlink(const char *path);

#endif
