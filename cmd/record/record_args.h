/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_args.h - command lines of the programs that record.
 */
#ifndef TLBTRACE_RECORD_ARGS_H
#define TLBTRACE_RECORD_ARGS_H

#include <stdbool.h>
#include <stddef.h>

struct record_session;

struct record_args {
	char **words; /* owned; ends with NULL */
	size_t n;
	bool failed; /* memory was short */
};

void record_args_add(struct record_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void record_args_free(struct record_args *args);

/* The session's events, each with its filter after that option; its probes. */
void record_args_add_events(struct record_args *args, const struct record_session *s,
			    const char *filter_option);
void record_args_add_probes(struct record_args *args, const struct record_session *s);

/* What the backends run, for --dry-run too. */
void record_perf_args(struct record_args *args, const struct record_session *s);
void record_tracecmd_args(struct record_args *args, const struct record_session *s);

#endif
