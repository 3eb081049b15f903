/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_ctf.h - `tlbtrace export --format=ctf`: a directory instead of a file of rows. */
#ifndef TLBTRACE_CMD_EXPORT_CTF_H
#define TLBTRACE_CMD_EXPORT_CTF_H

#include "analyze/observer.h"
#include "analyze/tasknotes.h"
#include "analyze/trace.h"
#include "cmd/export.h"

/* Puts rows down as struct ctf_row, with times since the trace began. */
extern const struct export_format export_ctf;

/* What is collected while the rows are made. */
struct export_ctf {
	FILE *rows;
	struct task_note *seen; /* tids */
	struct observer observer;
};

/* Checks that dir can be made, before a long trace is read. Returns 0, or -1 with *err filled. */
int export_ctf_check(const char *dir, struct error *err);

/* Returns 0, or -1 with *err filled; export_ctf_free() either way. */
int export_ctf_begin(struct export_ctf *x, struct error *err);

/*
 * Writes dir, whole or not at all: the rows, and the events of the trace at path, of which first is a
 * reading. Returns 0, or -1 with *err filled.
 */
int export_ctf_write(struct export_ctf *x, const char *dir, const char *path,
		     const struct trace *first, struct error *err);

void export_ctf_free(struct export_ctf *x);

#endif
