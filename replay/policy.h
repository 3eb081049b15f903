/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.h - alternatives as the user names them: "NAME,key=value,…", and the catalogue of names.
 */
#ifndef TLBTRACE_REPLAY_POLICY_H
#define TLBTRACE_REPLAY_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/count.h"
#include "analyze/error.h"
#include "analyze/params.h"

/* What a key of a policy is, where it is not what it is on POWER. */
struct key_text {
	enum param id;
	const char *what;
	const char *values; /* "off|on": these of the names alone; NULL: all */
};

/* A row of the catalogue. */
struct policy_kind {
	const char *name;
	const char *what; /* one line */
	bool x86;	  /* for recordings of an x86, else of a POWER */
	bool any_machine; /* or of any */
	unsigned target;  /* TARGET_*: another architecture's rules */
	/* What can be set, ends with PARAMS; NULL: all that param_applies() to the machine. */
	const enum param *keys;
	const struct key_text *texts; /* of keys that mean something else here; ends with PARAMS */
	const char *models;	      /* kernel versions and functions */
	const char *needs;	      /* what a trace must have, and what makes it better */
	const char *uncertain;	      /* what it cannot tell, or only as an interval */
	const enum counter *counters; /* what it predicts, in order of output; ends with COUNTERS */
};

extern const struct policy_kind policy_kinds[];
extern const size_t n_policy_kinds;

/* One alternative: the recorded policy with changes, which are applied in their order. */
struct policy {
	const struct policy_kind *kind;
	bool native;	/* meant for whatever machine was recorded: policy_adopt() finds the kind */
	char text[256]; /* "radix,ceiling=31": its spelling, which parses to the same policy */
};

/* Parses a SPEC. Returns 0, or -1 with *err (ERROR_USAGE) naming what is valid. */
int policy_parse(struct policy *p, const char *spec, struct error *err);

/* Whether it is about the vCPUs of a host, not about flushes. */
bool policy_is_of_vcpus(const struct policy_kind *kind);

/* Whether what it counts can stand beside what was recorded: instructions of that machine. */
bool policy_is_comparable(const struct policy_kind *kind);

/* False where p changes only what switches tell: a trace without flushes will do. */
bool policy_needs_flushes(const struct policy *p);

/*
 * Fits p to the machine that was recorded: a native policy takes that machine's kind. Returns 0, or -1
 * with *err (ERROR_USAGE) where it is a policy, or has a key, of the other machine.
 */
int policy_adopt(struct policy *p, bool x86, struct error *err);

/* Whether the policy has this key. */
bool policy_takes(const struct policy_kind *kind, enum param id);

/* What the key is under this policy, and the names of its values ("" for a number). */
const char *policy_key_text(const struct policy_kind *kind, enum param id);
const char *policy_key_values(const struct policy_kind *kind, enum param id);

/* Whether an alternative may set it otherwise than it was recorded. */
bool policy_can_change(enum param id);

/* What a kernel of this kind has where nothing is known of it. */
struct params policy_defaults(const struct policy_kind *kind);

/* The kind of this name, or NULL with *err (ERROR_USAGE) naming those that there are. */
const struct policy_kind *policy_kind_of(const char *name, struct error *err);

/* The kind whose policy the machine's recorded one is. */
const struct policy_kind *policy_kind_of_machine(bool x86);

/*
 * The parameters of p for a kernel that was recorded with these. Returns 0, or -1 with *err
 * (ERROR_USAGE) where a change cannot be predicted from such a recording.
 */
int policy_resolve(const struct policy *p, const struct params *recorded, struct params *out,
		   struct error *err);

#endif
