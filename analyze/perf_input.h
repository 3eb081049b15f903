/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_input.h - the files that a perf.data consists of: one, or a directory of `perf record --threads`.
 */
#ifndef TLBTRACE_PERF_INPUT_H
#define TLBTRACE_PERF_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/source_file.h"

/* [0] has the header (in a directory: "data"), the others only records ("data.0", "data.1", …). */
struct perf_inputs {
	char *path; /* for messages */
	struct source_file *files;
	uint32_t n;
	bool is_directory;
};

/* Whether the input is a perf.data: by its own first bytes, or by those of "data" in a directory. */
bool perf_inputs_match(const struct source_file *file);

/* Takes *file over and opens all files. -1 with *err filled; free in either case. */
int perf_inputs_open(struct perf_inputs *inputs, struct source_file *file, struct error *err);

void perf_inputs_free(struct perf_inputs *inputs);

#endif
