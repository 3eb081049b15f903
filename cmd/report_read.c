/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_read.c - reads a trace for all tables. */
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"

static int out_of_memory(const char *path, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
}

struct named_mm {
	struct report_mm mm;
	uint32_t index;
};

/* 0: the same program and process, or both are what is left of those of that name. */
static int by_owner(const struct named_mm *x, const struct named_mm *y)
{
	int order = strcmp(x->mm.name, y->mm.name);

	if (!order)
		order = (x->mm.tgid > y->mm.tgid) - (x->mm.tgid < y->mm.tgid);
	return order ? order : (x->mm.ended > 0) - (y->mm.ended > 0);
}

static int by_name(const void *a, const void *b)
{
	const struct named_mm *x = a;
	const struct named_mm *y = b;
	int order = by_owner(x, y);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Those of the same program and process become one. */
static void number_mms(struct report *r, const struct named_mm *named, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || by_owner(&named[i - 1], &named[i]) != 0)
			r->mms[r->n_mms++] = named[i].mm;
		r->mm_of[named[i].index] = r->n_mms - 1;
	}
	r->mms[r->n_mms++] = (struct report_mm){ "", -1, 0 };
}

static int find_mms(struct report *r)
{
	const struct mm_table *mms = trace_mms(&r->base.trace);
	size_t n = mm_count(mms);
	struct named_mm *named = calloc(n + 1, sizeof(*named));

	r->mms = calloc(n + 1, sizeof(*r->mms));
	r->mm_of = calloc(n + 1, sizeof(*r->mm_of));
	if (!named || !r->mms || !r->mm_of) {
		free(named);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		const struct mm *mm = mm_by_index(mms, (uint32_t)i);

		named[i].index = (uint32_t)i;
		named[i].mm.tgid = mm ? mm->tgid : -1;
		named[i].mm.ended = mm ? mm->members : 0;
		if (mm)
			memcpy(named[i].mm.name, mm->name, COMM_LEN);
		named[i].mm.name[COMM_LEN - 1] = '\0';
	}
	qsort(named, n, sizeof(*named), by_name);
	number_mms(r, named, n);
	free(named);
	return 0;
}

static void take_flushes(struct profile *profile, struct trace_options *trace)
{
	trace->flush = profile_flush;
	trace->fold = profile_fold;
	trace->flush_arg = profile;
	trace->no_times = true;
}

int report_read(struct report *r, const struct common *c, const char *path, uint64_t interval_ns,
		bool classes_only, struct error *err)
{
	const struct whatif no_policies = { .results = &r->base, .n_results = 1 };
	struct common with_profile = *c;

	*r = (struct report){ .common = c, .interval_ns = interval_ns };
	r->profile = profile_new(&r->base.trace, interval_ns);
	if (!r->profile)
		return out_of_memory(path, err);
	if (!classes_only)
		take_flushes(r->profile, &with_profile.trace);
	if (whatif_answer(&r->base, &no_policies, &with_profile, path, err))
		return -1;
	if ((classes_only || r->base.trace.kept) && !profile_classes_only(r->profile))
		return out_of_memory(path, err);
	if (find_mms(r) || report_price(r))
		return out_of_memory(path, err);
	return 0;
}

bool report_has(const struct report *r, enum report_by by)
{
	return !r->base.trace.kept || (by != BY_TASK && by != BY_CPU && by != BY_TIME);
}

void report_free(struct report *r)
{
	static const struct whatif no_policies;

	whatif_result_free(&r->base, &no_policies);
	profile_free(r->profile);
	kinds_free(&r->kinds);
	free(r->kind_of);
	free(r->prices);
	free(r->selected);
	free(r->mms);
	free(r->mm_of);
	report_callers_free(&r->callers);
	*r = (struct report){ .n_mms = 0 };
}
