/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - what is left of a trace when its events are gone: its classes with their mms, what
 * following it came to, the model of its kernel, and how good it is. A few KB, and sums of them.
 *
 * Policies are arithmetic on classes, so a summary answers what a trace does, but for what needs the
 * events themselves. Several traces are added up where every prediction of the sum is the sum of the
 * predictions: in groups, each of one recorded kernel. The file is specified in tlbsum(5).
 */
#ifndef TLBTRACE_REPLAY_SUMMARY_H
#define TLBTRACE_REPLAY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/trace.h"
#include "replay/watch.h"

#define SUMMARY_MMS 4096u /* address spaces of one trace; the smallest beyond it are added up */

/* An address space, or several that no prediction tells apart. */
struct summary_mm {
	char name[COMM_LEN];
	int32_t tgid;	  /* -1 unknown, or of several processes */
	uint64_t members; /* mm.members: > 0: of so many mms */
	bool none;	  /* of no address space: CLASS_NO_MM */
	struct {
		uint64_t promoted_once; /* as struct call_evidence */
		uint64_t promoted_many;
	} calls[FLUSH_CAUSES];
};

/* Traces of one recorded kernel. */
struct summary_group {
	struct source_info info; /* path is NULL; counts is owned here */
	struct event_count *events;
	struct trace_kept kept; /* mms, info and counts are not used */
	uint64_t first_ns;	/* 0 where inputs > 1 */
	uint64_t duration_ns;	/* the sum of all */
	uint64_t orphan_fixups;
	uint64_t syscalls;
	uint64_t switches;
	uint64_t requests;
	uint64_t ends[RUN_END_LOST + 1];
	struct summary_mm *mms;
	size_t n_mms;
	struct class *classes; /* key.mm is an index of mms */
	size_t n_classes;
	bool has_masks;
	struct follow_sums masks; /* its arrays and rows are owned here */
	bool has_vcpus;
	struct e500mc_counts loads;
	struct e500mc_vm *vms; /* none where inputs > 1: numbers of VMs mean nothing elsewhere */
	size_t n_vms;
	struct e500mc_counts *loads_of_cpu; /* [info.cpus] */
	uint32_t vcpus_guessed;
};

/* What a trace is known by: a hash of what it holds, wherever it lies. */
struct summary_id {
	uint8_t byte[16];
};

struct summary {
	struct summary_id *ids; /* sorted */
	size_t n_ids;
	struct summary_group *groups;
	size_t n_groups;
	uint64_t unknown; /* parts that this version does not know, passed over */
};

/*
 * The summary of one trace, read with all of its mask machines (watch; NULL: none). model: as
 * infer_model() found it. Returns 0, or -1 with *err.
 */
int summary_take(struct summary *out, const struct trace *t, const struct watch *watch,
		 const struct model *model, const char *selection, struct error *err);

/*
 * Moves what is in `from` to `to`, which may be all zero, and adds up what belongs together. Order and
 * grouping do not matter. name is that of `from`, for errors. A trace that both have is refused
 * (ERROR_USAGE) unless `again`. Returns 0, or -1 with *err; both are to be freed either way.
 */
int summary_add(struct summary *to, struct summary *from, bool again, const char *name,
		struct error *err);

void summary_free(struct summary *s);

/*
 * A group as a trace that was read: *t and *watch (vCPUs only where asked for) are owned by the caller
 * and outlive the group; path must outlive them. Returns 0, or -1 with *err.
 */
int summary_give(const struct summary_group *g, const char *path, bool vcpus, struct trace *t,
		 struct watch **watch, struct error *err);

/* The file's bytes, to be freed; NULL with *err (ERROR_ENVIRONMENT) where memory is short. */
uint8_t *summary_pack(const struct summary *s, size_t *size, struct error *err);

/* From the bytes of a file; name is for errors. Returns 0, or -1 with *err and nothing to free. */
int summary_unpack(struct summary *out, const uint8_t *data, uint64_t size, const char *name,
		   struct error *err);

/* True where the file begins as a summary does. path may have a suffix "#N": its Nth group. */
bool summary_is(const char *path);

/*
 * Reads the file at path. *group is the index of the group that a suffix asks for, or n_groups.
 * Returns 0, or -1 with *err and nothing to free.
 */
int summary_read(struct summary *out, const char *path, size_t *group, struct error *err);

#endif
