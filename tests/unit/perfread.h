/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfread.h - recordings read whole, and whether two readings are the same. */
#ifndef TLBTRACE_TESTS_PERFREAD_H
#define TLBTRACE_TESTS_PERFREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/source.h"
#include "perfbuild.h"

#define PERF_KINDS (EVENT_LOST + 1)
#define PERF_RECORDINGS 2

/* Files of tests/data: of powerpc, of x86. */
extern const char *const perf_recordings[PERF_RECORDINGS];

/* Everything that a source gives. */
struct reading {
	struct event *list; /* CPU after CPU */
	size_t n;
	size_t room;
	uint64_t kinds[PERF_KINDS];
	struct source *src; /* at its end */
	const struct source_info *info;
};

/* Reads to the end; fails the test where that cannot be done, with `why` if there is no source. */
struct reading read_source(struct source *src, const struct error *why);
struct reading read_path(const char *path);
struct reading read_block(const struct block *file);
void reading_free(struct reading *r);

uint64_t count_of(const struct source_info *info, const char *name);

/* What was sampled must be equal; where it was and how a container is called may differ. */
void assert_same_events(const struct reading *a, const struct reading *b);
void assert_same_info(const struct source_info *a, const struct source_info *b);

/* late: what names tasks had before they were renamed comes too late, or not at all. */
void assert_same_names(const struct reading *a, const struct reading *b, bool late);

/* A recording as perf wrote it, and its parts. */
struct recording {
	struct reading original;
	struct perf_parts parts;
};

struct recording take_recording(const char *name);
void recording_free(struct recording *rec);

/* Puts the changed parts together as files and pipes: all read as the original. Frees *rec. */
void check_changed(struct recording *rec, bool late);

#endif
