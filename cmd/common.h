/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common.h - the options that every command has, and reading a trace as they say.
 */
#ifndef TLBTRACE_CMD_COMMON_H
#define TLBTRACE_CMD_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/class.h"
#include "analyze/error.h"
#include "analyze/trace.h"
#include "cmd/options.h"
#include "cmd/output/sink.h"
#include "cmd/values.h"

/* Ids of the common options; those of a command begin at OPTION_IDS. */
enum {
	OPTION_COMMON = 4096,
};

struct common {
	const char **inputs; /* owned; the strings are argv's, or in owned */
	size_t n_inputs;
	char **owned;
	size_t n_owned;
	struct trace_options trace;
	struct period share; /* of the duration; becomes trace.filter's time once that is known */
	const char *mm;	     /* --mm: a tgid or a name; NULL: all */
	char *recorded;	     /* owned: "key=value,…", NULL where nothing is given */
	const char *format;  /* NULL: text */
	struct sink_options sink;
	bool quiet;
	bool verbose;
	bool strict;
	bool help; /* --help was given: nothing else matters */
	bool whole; /* set by commands that a part of a trace tells nothing: Ctrl-C is an error of reading */
};

extern const struct option_group common_input_options;
extern const struct option_group common_output_options;

/* An option_fn for ids >= OPTION_COMMON; arg is the struct common. */
int common_option(void *arg, int id, const char *value, struct error *err);

/* After the options: takes the operands as inputs, or the default input. */
int common_operands(struct common *c, int argc, char **argv, struct error *err);
void common_free(struct common *c);

/*
 * Reads one input as the filters say, with progress on a terminal. Ctrl-C ends the reading, and what was
 * read is kept (trace.interrupted), unless trace.stop_fd says that someone else takes care of that.
 * Returns 0, or -1 with *err: ERROR_INTERRUPTED where nothing is kept.
 */
int common_read(const struct common *c, const char *path, struct trace *t, struct error *err);

/* --mm: whether it selects the address space (NULL: none), and the class. */
bool common_selects_mm(const struct common *c, const struct mm *mm);
bool common_selects(const struct common *c, const struct trace *t, const struct class *class);

struct common_selection {
	const struct common *common;
	const struct trace *trace;
};

/* The same as a predict_filter, whose argument is a struct common_selection. */
bool common_filter(void *arg, const struct class *class);

/* Where to write: '-' is standard output. Returns 0, or -1 with *err (ERROR_USAGE): it names nothing. */
int common_set_output(struct common *c, const char *value, struct error *err);

/*
 * That a trace with CPUs 0 to n-1 has those that the option names. Returns 0, or -1 with *err
 * (ERROR_USAGE): a CPU that is not there must not pass for one on which nothing happened.
 */
int common_check_cpus(const char *option, const struct trace_filter *filter, const char *path,
		      uint32_t n, struct error *err);

/* The duration of what the filters select, in ns; 0 where the trace has no times. */
uint64_t common_duration(const struct common *c, const struct trace *t);

/* -1 with *err where reading was interrupted, or with --strict where events are missing from the trace. */
int common_check_whole(const struct common *c, const struct trace *t, struct error *err);

/* What the trace lacks, on standard error unless -q: where it is cut off, and that events were lost. */
void common_warn_of_damage(const struct common *c, const struct source_info *info);

/* One line on standard error, unless -q. */
void common_warn(const struct common *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
