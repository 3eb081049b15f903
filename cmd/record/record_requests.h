/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_requests.h - dynamic probes on the kernel's flush functions: what was asked for.
 *
 * The events are in group "tlbtrace_PID" and have the names that analyze/event_names.c knows. Which
 * fields a probe fetches depends on what the kernel accepts: members by name where it has BTF
 * (CONFIG_PROBE_EVENTS_BTF_ARGS, v6.6 and later), else registers and the offsets that are the same
 * in every kernel since v4.9.
 */
#ifndef TLBTRACE_RECORD_REQUESTS_H
#define TLBTRACE_RECORD_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "cmd/record/record_machine.h"

#define RECORD_PROBES 24

struct tracefs_dynevent;

struct record_probe {
	char name[32];
	const char *function;
	const char *fields; /* as accepted */
	struct tracefs_dynevent *event;
	uint64_t hits;
	uint64_t missed; /* hits that were not recorded */
};

struct record_probes {
	char group[40];
	struct record_probe list[RECORD_PROBES];
	size_t n;
	const char *refused[RECORD_PROBES]; /* functions that may not be probed here */
	size_t n_refused;
};

/* Whether this kernel has dynamic probes at all; -1 with *err telling why not. */
int record_probes_possible(struct error *err);

/* What would be defined: calls fn for each function and its definitions, best first. */
void record_probes_describe(const struct record_machine *m,
			    void (*fn)(void *arg, const char *function, const char *fields),
			    void *arg);

/*
 * Defines what the kernel accepts, not enabled. Returns 0, or -1 with *err filled and nothing
 * defined if it accepts none of those that tell a flush.
 */
int record_probes_define(struct record_probes *p, const struct record_machine *m, const char *group,
			 struct error *err);

/* Reads how often each was hit, from the kernel's own profile. */
void record_probes_count(struct record_probes *p);

/* Removes them; no instance may have them enabled any more. Returns 0, or -1 if some are left. */
int record_probes_remove(struct record_probes *p);

#endif
