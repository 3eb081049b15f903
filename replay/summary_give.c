/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_give.c - from a summary's group to a trace as if it had been read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/summary.h"

static unsigned shift_of(uint32_t page_size)
{
	return page_size && (page_size & (page_size - 1)) == 0 ? (unsigned)__builtin_ctz(page_size)
							       : 0;
}

static bool give_kept(const struct summary_group *g, const char *path, struct trace *t)
{
	struct trace_kept *kept = calloc(1, sizeof(*kept));

	t->kept = kept;
	if (!kept)
		return false;
	*kept = g->kept;
	kept->info = g->info;
	kept->info.path = path;
	kept->mms = mm_table_new();
	kept->counts = calloc(g->info.n_counts + 1, sizeof(*kept->counts));
	if (!kept->mms || !kept->counts)
		return false;
	if (g->info.n_counts)
		memcpy(kept->counts, g->events, g->info.n_counts * sizeof(*kept->counts));
	kept->info.counts = kept->counts;
	if (kept->inputs > 1 && kept->truncated)
		(void)snprintf(kept->info.truncated_text, sizeof(kept->info.truncated_text),
			       "%" PRIu64 " of the %" PRIu64 " traces that are added up here",
			       kept->truncated, kept->inputs);
	t->info = &kept->info;
	return true;
}

static bool give_calls(struct class_table *classes, const struct summary_mm *row, uint32_t mm)
{
	for (size_t i = 0; i < FLUSH_CAUSES; i++)
		if ((row->calls[i].promoted_once || row->calls[i].promoted_many) &&
		    !class_put_calls(classes, mm, (enum flush_cause)i, row->calls[i].promoted_once,
				     row->calls[i].promoted_many))
			return false;
	return true;
}

/* mms[i]: the index of row i. */
static bool give_mms(const struct summary_group *g, struct trace *t, uint32_t *mms)
{
	for (size_t i = 0; i < g->n_mms; i++) {
		const struct summary_mm *row = &g->mms[i];
		const struct mm *mm = NULL;

		if (!row->none)
			mm = mm_add_gone(t->kept->mms, row->name, row->tgid, row->members);
		if (!row->none && !mm)
			return false;
		mms[i] = mm ? mm->index : CLASS_NO_MM;
		if (!give_calls(t->classes, row, mms[i]))
			return false;
	}
	return true;
}

static bool give_classes(const struct summary_group *g, struct trace *t)
{
	uint32_t *mms = calloc(g->n_mms + 1, sizeof(*mms));
	bool ok;

	t->classes = class_table_new(shift_of(g->info.page_size));
	ok = mms && t->classes && give_mms(g, t, mms);
	for (size_t i = 0; ok && i < g->n_classes; i++) {
		struct class c;

		memcpy(&c, &g->classes[i], sizeof(c)); /* padding and all: keys are bytes */
		c.key.mm = mms[c.key.mm];
		ok = class_put(t->classes, &c);
	}
	free(mms);
	if (!ok)
		return false;
	class_put_ends(t->classes, g->ends);
	if (g->syscalls)
		class_note_syscalls(t->classes);
	return true;
}

static uint64_t *copy_cpus(const uint64_t *from, uint32_t cpus, bool *ok)
{
	uint64_t *to = calloc(cpus ? cpus : 1, sizeof(*to));

	if (to && cpus)
		memcpy(to, from, cpus * sizeof(*to));
	*ok &= to != NULL;
	return to;
}

static void free_sums(struct follow_sums *s)
{
	for (size_t i = 0; i < TRIMS; i++) {
		free((void *)s->totals[i].trims_to);
		free((void *)s->totals[i].global_to);
		free((void *)s->shots_to[i]);
	}
	free((void *)s->rows);
}

/* NULL where memory is short. */
static struct follower *give_masks(const struct summary_group *g)
{
	struct follow_sums s = g->masks;
	struct lazy_row *rows = calloc(s.n_rows + 1, sizeof(*rows));
	struct follower *f = NULL;
	bool ok = rows != NULL;

	if (rows && s.n_rows)
		memcpy(rows, g->masks.rows, s.n_rows * sizeof(*rows));
	s.rows = rows;
	for (size_t i = 0; i < TRIMS; i++) {
		s.totals[i].trims_to = copy_cpus(g->masks.totals[i].trims_to, s.cpus, &ok);
		s.totals[i].global_to = copy_cpus(g->masks.totals[i].global_to, s.cpus, &ok);
		s.shots_to[i] = copy_cpus(g->masks.shots_to[i], s.cpus, &ok);
	}
	if (ok)
		f = follower_of_sums(&s);
	if (!f)
		free_sums(&s);
	return f;
}

/* NULL where memory is short. */
static struct e500mc *give_vcpus(const struct summary_group *g)
{
	struct e500mc *e = e500mc_new(g->info.cpus);
	bool ok = e != NULL;

	for (size_t i = 0; ok && i < g->n_vms; i++)
		ok = e500mc_add_vm(e, &g->vms[i]);
	for (uint32_t cpu = 0; ok && cpu < g->info.cpus; cpu++)
		e500mc_add_cpu(e, cpu, &g->loads_of_cpu[cpu]);
	if (ok) {
		e500mc_add(e, &g->loads);
		return e;
	}
	e500mc_free(e);
	return NULL;
}

static struct watch *give_watch(const struct summary_group *g, bool vcpus)
{
	struct follower *f = g->has_masks ? give_masks(g) : NULL;
	struct e500mc *e = g->has_vcpus && vcpus ? give_vcpus(g) : NULL;
	struct watch *w = NULL;

	if ((f || !g->has_masks) && (e || !g->has_vcpus || !vcpus))
		w = watch_of(f, e, g->vcpus_guessed);
	if (!w) {
		follower_free(f);
		e500mc_free(e);
	}
	return w;
}

int summary_give(const struct summary_group *g, const char *path, bool vcpus, struct trace *t,
		 struct watch **watch, struct error *err)
{
	*t = (struct trace){
		.first_ns = g->first_ns,
		.last_ns = g->first_ns + g->duration_ns,
		.orphan_fixups = g->orphan_fixups,
		.syscalls = g->syscalls,
		.switches = g->switches,
		.requests = g->requests,
	};
	*watch = NULL;
	if (give_kept(g, path, t) && give_classes(g, t))
		*watch = give_watch(g, vcpus);
	if (*watch)
		return 0;
	trace_close(t);
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
}
