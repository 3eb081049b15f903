/* SPDX-License-Identifier: GPL-2.0-or-later */
/* intervals.c - what is predicted without the requests must leave room for what they tell. */
#include <inttypes.h>
#include <stdio.h>

#include "replay/policy.h"
#include "replay/predict.h"
#include "truth.h"

struct reading {
	struct trace trace;
	struct model model;
};

static int read_trace(struct reading *r, const char *path, uint32_t ignore, const char *recorded)
{
	struct trace_options opt = { .ignore = ignore };
	struct error err = { .class = ERROR_NONE };

	if (trace_read(&r->trace, path, &opt, &err) == 0) {
		if (infer_model(&r->model, &r->trace, recorded, &err) == 0)
			return 0;
		trace_close(&r->trace);
	}
	(void)fprintf(stderr, "%s\n", err.text);
	return -1;
}

static int predict_ceiling(struct counts *out, const struct reading *r, enum param which,
			   uint64_t ceiling)
{
	struct params alt = r->model.used;
	struct prediction p;

	alt.v[which] = ceiling;
	if (predict(&p, &r->trace, &r->model, &alt, NULL, NULL))
		return -1;
	*out = p.total;
	prediction_free(&p);
	return 0;
}

static bool leaves_room(const char *path, const struct counts *told, const struct counts *found,
			enum counter counter, const char *key, uint64_t ceiling, bool quiet)
{
	uint64_t truth = told->likely.n[counter];

	if (truth >= found->lo.n[counter] && truth <= found->hi.n[counter])
		return true;
	if (!quiet)
		(void)fprintf(stderr,
			      "%s: %s=%" PRIu64 ": %s is %" PRIu64 ", outside of %" PRIu64
			      " ... %" PRIu64 "\n",
			      path, key, ceiling, counter_keys[counter], truth,
			      found->lo.n[counter], found->hi.n[counter]);
	return false;
}

/* Every ceiling up to two PMDs of 64K pages, then some up to more than one of 4K pages. */
static int check_ceilings(const char *path, const struct reading *with,
			  const struct reading *without, enum param which)
{
	int outside = 0;

	for (uint64_t c = 0; c <= 600; c += c < 66 ? 1 : 53) {
		struct counts told;
		struct counts found;

		if (predict_ceiling(&told, with, which, c) ||
		    predict_ceiling(&found, without, which, c))
			return -1;
		outside += !leaves_room(path, &told, &found, COUNT_TLBIE, param_keys[which], c,
					outside > 0);
		outside += !leaves_room(path, &told, &found, COUNT_TLBIEL, param_keys[which], c,
					outside > 0);
	}
	return outside;
}

static bool contains(const char *path, const char *spec, enum counter counter,
		     const struct counts *told, const struct counts *found, unsigned slack,
		     bool quiet)
{
	uint64_t lo = told->lo.n[counter];
	uint64_t hi = told->hi.n[counter];
	uint64_t room = hi * slack / 100;

	if (lo + room >= found->lo.n[counter] && hi <= found->hi.n[counter] + room)
		return true;
	if (!quiet)
		(void)fprintf(stderr,
			      "%s: %s: %s is %" PRIu64 " ... %" PRIu64 ", outside of %" PRIu64
			      " ... %" PRIu64 "\n",
			      path, spec, counter_keys[counter], lo, hi, found->lo.n[counter],
			      found->hi.n[counter]);
	return false;
}

static int predict_policy(struct counts *out, const struct reading *r, const char *spec)
{
	struct error err = { .class = ERROR_NONE };
	struct policy policy;
	struct params alt;
	struct prediction p;

	if (policy_parse(&policy, spec, &err) ||
	    policy_resolve(&policy, &r->model.used, &alt, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	if (predict(&p, &r->trace, &r->model, &alt, NULL, NULL))
		return -1;
	*out = p.total;
	prediction_free(&p);
	return 0;
}

/* Rules beside the ceilings: the whole interval with the requests lies in that without. */
static int check_policies(const char *path, const struct reading *with,
			  const struct reading *without, bool calls, unsigned slack)
{
	static const char *const specs[] = {
		"radix,era=v4.13",
		"radix,era=v4.15",
		"radix,era=v5.4",
		"radix,pwc=on",
		"radix,thp-pass=on",
		"radix,tables=all",
		"radix,barriers=page",
		"radix,promote=pmd",
		"radix,compare=ge,ceiling=32",
		"radix,gtse=off",
		"radix,local-ceiling=4096",
		"radix,ceiling=4096",
		"radix,ceiling=0",
		"radix,sets=1",
		/* with system calls */
		"radix,range=mm",
		"radix,range=mm,ceiling=0",
		"radix,pwc=off",
		"radix,thp-pass=off",
	};
	enum {
		OF_CALLS = 4
	};
	static const enum counter counters[] = { COUNT_TLBIE, COUNT_TLBIEL };
	size_t n = sizeof(specs) / sizeof(*specs) - (calls ? 0 : OF_CALLS);
	int outside = 0;

	for (size_t i = 0; i < n; i++) {
		struct counts told;
		struct counts found;

		if (predict_policy(&told, with, specs[i]) ||
		    predict_policy(&found, without, specs[i]))
			return -1;
		for (size_t j = 0; j < sizeof(counters) / sizeof(*counters); j++)
			outside += !contains(path, specs[i], counters[j], &told, &found, slack,
					     outside > 9);
	}
	return outside;
}

int intervals_check(const char *path, uint32_t ignore, const char *recorded, unsigned slack)
{
	struct reading with;
	struct reading without;
	int global;
	int local;
	int policies;

	if (read_trace(&with, path, 0, recorded))
		return -1;
	if (read_trace(&without, path, ignore, recorded)) {
		trace_close(&with.trace);
		return -1;
	}
	global = check_ceilings(path, &with, &without, PARAM_CEILING);
	local = check_ceilings(path, &with, &without, PARAM_LOCAL_CEILING);
	policies = check_policies(path, &with, &without, !(ignore & IGNORE_SYSCALLS), slack);
	trace_close(&with.trace);
	trace_close(&without.trace);
	return global < 0 || local < 0 || policies < 0 ? -1 : global + local + policies;
}
