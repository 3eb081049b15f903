/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_ops.h - what a trace format implements; private to the sources (analyze/source*.c).
 *
 * An implementation embeds struct source as the first member of its own structure. source.c calls
 * its operations and nothing else does.
 */
#ifndef TLBTRACE_SOURCE_OPS_H
#define TLBTRACE_SOURCE_OPS_H

#include "analyze/source.h"
#include "analyze/source_file.h"

struct source_ops {
	/* Whether the first bytes are this format's. */
	bool (*matches)(const struct source_file *file);

	/*
	 * Takes the file over: *file is owned by the source from then on, whether this succeeds or
	 * not. Returns NULL with *err filled.
	 */
	struct source *(*open)(struct source_file *file, struct error *err);

	/*
	 * As source_next_or_quiet(), with the time in ev->time_ns; cpu is below info->cpus. Called from
	 * one thread per CPU.
	 */
	int (*next)(struct source *src, uint32_t cpu, struct event *ev, struct error *err);

	/* As source_skip(); NULL: passes over none. */
	struct source_skipped (*skip)(struct source *src, uint32_t cpu, uint64_t step, uint64_t max);

	/* As source_is_parallel(); NULL: true. */
	bool (*is_parallel)(const struct source *src);

	/* Brings *src->info up to date with what was read so far. */
	void (*update_info)(const struct source *src);

	/* As source_stack() and source_kallsyms(); NULL: there are none. */
	const struct stack *(*stack)(const struct source *src, uint32_t number);
	const char *(*kallsyms)(const struct source *src, uint64_t *len);

	const char *(*comm)(const struct source *src, int32_t tid);
	int32_t (*tgid)(const struct source *src, int32_t tid);

	/* Frees everything, src included. */
	void (*close)(struct source *src);
};

struct source {
	const struct source_ops *ops;
	struct source_info *info; /* owned by the implementation */
	struct task_note *noted;  /* source.c: source_note_task() */
	uint64_t as_of_ns;	  /* source_as_of() */
};

extern const struct source_ops source_tracedat_ops;
extern const struct source_ops source_perf_ops;
extern const struct source_ops source_ctf_ops;

#endif
