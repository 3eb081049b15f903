/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_writer.h - writes a trace, its tasks and its flushes as CTF, through libbabeltrace2.
 *
 * A source component of ours with a port per stream, utils.muxer and sink.ctf.fs in one graph.
 */
#ifndef TLBTRACE_CMD_OUTPUT_CTF_WRITER_H
#define TLBTRACE_CMD_OUTPUT_CTF_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "analyze/error.h"
#include "analyze/source.h"
#include "cmd/output/ctf_schema.h"

struct ctf_content {
	const char *name;		/* for errors */
	struct source *events;		/* opened anew: read to its end here */
	const struct source_info *info; /* of the same trace when all of it was read */
	const struct ctf_own_task *tasks;
	size_t n_tasks;
	FILE *rows; /* struct ctf_row after struct ctf_row, by time; at its beginning */
};

/*
 * Makes dir, which must not exist, and writes to it. Returns 0, or -1 with *err filled. To be called in a
 * process of its own, which then ends: where there is no room, libbabeltrace2 2.0 may abort it, and
 * what it holds cannot be freed.
 */
int ctf_write(const char *dir, const struct ctf_content *content, struct error *err);

#endif
