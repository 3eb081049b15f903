/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_add.c - sums of summaries: exact, and the same in whatever order they are added. */
#include <stdlib.h>
#include <string.h>

#include "replay/summary_fields.h"

#define SEVERAL "several" /* stands for texts that are not all the same */

/* What is the same in all is kept. */
static void agree(char *to, const char *from, size_t size)
{
	if (strcmp(to, from) == 0)
		return;
	memset(to, 0, size);
	memcpy(to, SEVERAL, sizeof(SEVERAL));
}

static void sum(uint64_t *to, uint64_t n)
{
	*to = summary_sum(*to, n);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct event_count *)a)->name, ((const struct event_count *)b)->name);
}

static bool grow(void **items, size_t n, size_t more, size_t size)
{
	void *grown = reallocarray(*items, n + more + 1, size);

	if (grown)
		*items = grown;
	return grown != NULL;
}

/* Neighbours of one name become one. */
static void fold_events(struct summary_group *g)
{
	size_t kept = 0;

	if (g->info.n_counts)
		qsort(g->events, g->info.n_counts, sizeof(*g->events), by_name);
	for (size_t i = 0; i < g->info.n_counts; i++) {
		struct event_count *last = kept ? &g->events[kept - 1] : NULL;

		if (last && strcmp(last->name, g->events[i].name) == 0) {
			sum(&last->count, g->events[i].count);
			last->enabled |= g->events[i].enabled;
		} else {
			g->events[kept++] = g->events[i];
		}
	}
	g->info.n_counts = kept;
}

/*
 * What tells one machine from another has no sum: thread groups, VMs and moments. False where memory
 * is short.
 */
static bool forget_machine(struct summary_group *g)
{
	for (size_t i = 0; i < g->n_mms; i++) {
		g->mms[i].tgid = -1;
		if (!g->mms[i].none && !g->mms[i].members)
			g->mms[i].members = 1;
	}
	g->first_ns = 0;
	g->n_vms = 0;
	memset(g->info.truncated_text, 0, sizeof(g->info.truncated_text));
	fold_events(g);
	return summary_fold(g);
}

static bool add_events(struct summary_group *to, const struct summary_group *from)
{
	size_t n = to->info.n_counts;

	if (!grow((void **)&to->events, n, from->info.n_counts, sizeof(*to->events)))
		return false;
	if (from->info.n_counts)
		memcpy(to->events + n, from->events, from->info.n_counts * sizeof(*to->events));
	to->info.n_counts += from->info.n_counts;
	fold_events(to);
	to->info.counts = to->events;
	return true;
}

static void add_info(struct source_info *to, const struct source_info *from)
{
	agree(to->format, from->format, sizeof(to->format));
	agree(to->clock, from->clock, sizeof(to->clock));
	agree(to->tool, from->tool, sizeof(to->tool));
	to->big_endian |= from->big_endian;
	sum(&to->events, from->events);
	sum(&to->lost_events, from->lost_events);
	sum(&to->lost_unknown, from->lost_unknown);
	sum(&to->unknown_records, from->unknown_records);
	to->unknown_offset = larger(to->unknown_offset, from->unknown_offset);
	to->truncated |= from->truncated;
}

static void add_source(struct summary_group *to, const struct summary_group *from)
{
	add_info(&to->info, &from->info);
	to->kept.inputs += from->kept.inputs;
	sum(&to->kept.truncated, from->kept.truncated);
	sum(&to->kept.probable_gaps, from->kept.probable_gaps);
	to->kept.folded |= from->kept.folded;
	sum(&to->kept.strays.switch_flushes, from->kept.strays.switch_flushes);
	sum(&to->kept.strays.wrong_cpu, from->kept.strays.wrong_cpu);
	sum(&to->kept.strays.unknown, from->kept.strays.unknown);
	sum(&to->kept.strays.orphans, from->kept.strays.orphans);
	sum(&to->kept.strays.kernel_requests, from->kept.strays.kernel_requests);
	sum(&to->duration_ns, from->duration_ns);
	sum(&to->orphan_fixups, from->orphan_fixups);
	sum(&to->syscalls, from->syscalls);
	sum(&to->switches, from->switches);
	sum(&to->requests, from->requests);
	for (size_t i = 0; i <= RUN_END_LOST; i++)
		sum(&to->ends[i], from->ends[i]);
	for (size_t i = 0; i < PARAMS; i++)
		agree(to->kept.model.fact[i].why, from->kept.model.fact[i].why,
		      sizeof(to->kept.model.fact[i].why));
}

/* The rows of both, side by side: summary_fold() makes the equal ones one. */
static bool add_rows(struct summary_group *to, const struct summary_group *from)
{
	size_t n = to->n_classes;

	if (!grow((void **)&to->mms, to->n_mms, from->n_mms, sizeof(*to->mms)) ||
	    !grow((void **)&to->classes, n, from->n_classes, sizeof(*to->classes)))
		return false;
	if (from->n_mms)
		memcpy(to->mms + to->n_mms, from->mms, from->n_mms * sizeof(*to->mms));
	if (from->n_classes)
		memcpy(to->classes + n, from->classes, from->n_classes * sizeof(*to->classes));
	for (size_t i = 0; i < from->n_classes; i++)
		to->classes[n + i].key.mm += (uint32_t)to->n_mms;
	to->n_mms += from->n_mms;
	to->n_classes += from->n_classes;
	return true;
}

/* *to has room for as many CPUs as either. */
static bool add_cpus(const uint64_t **to, uint32_t n, const uint64_t *from, uint32_t n_from)
{
	uint64_t *all = calloc(larger(n, n_from) + 1, sizeof(*all));

	if (!all)
		return false;
	for (uint32_t i = 0; i < n; i++)
		all[i] = (*to)[i];
	for (uint32_t i = 0; i < n_from; i++)
		sum(&all[i], from[i]);
	free((void *)*to);
	*to = all;
	return true;
}

static void add_scope(struct mask_scope *to, const struct mask_scope *from)
{
	sum(&to->flushes, from->flushes);
	sum(&to->agree, from->agree);
	sum(&to->same, from->same);
	sum(&to->changes, from->changes);
	sum(&to->changes_predicted, from->changes_predicted);
	sum(&to->changes_false, from->changes_false);
	sum(&to->clock_trims, from->clock_trims);
	sum(&to->trims_recorded, from->trims_recorded);
	sum(&to->trims_predicted, from->trims_predicted);
}

static void add_totals(struct mask_totals *to, const struct mask_totals *from)
{
	for (size_t i = 0; i < MACHINE_SCOPES; i++)
		sum(&to->scope[i], from->scope[i]);
	sum(&to->unsure, from->unsure);
	sum(&to->ipis, from->ipis);
	sum(&to->trims, from->trims);
	sum(&to->ticks, from->ticks);
	sum(&to->clock_ipis, from->clock_ipis);
	sum(&to->hidden_ipis, from->hidden_ipis);
}

static void add_lazy(struct lazy_totals *to, const struct lazy_totals *from)
{
	sum(&to->atomics, from->atomics);
	sum(&to->atomics_lo, from->atomics_lo);
	sum(&to->atomics_hi, from->atomics_hi);
	sum(&to->enter, from->enter);
	sum(&to->leave, from->leave);
	sum(&to->exits, from->exits);
	to->peak = larger(to->peak, from->peak);
	sum(&to->deaths, from->deaths);
	for (size_t i = 0; i < TRIMS; i++) {
		sum(&to->shots[i].ipis_lo, from->shots[i].ipis_lo);
		sum(&to->shots[i].ipis_hi, from->shots[i].ipis_hi);
		sum(&to->shots[i].useful_lo, from->shots[i].useful_lo);
		sum(&to->shots[i].useful_hi, from->shots[i].useful_hi);
	}
}

static int by_row_name(const void *a, const void *b)
{
	return strcmp(((const struct lazy_row *)a)->name, ((const struct lazy_row *)b)->name);
}

/* As lazy_rows() has them. */
static int by_atomics(const void *a, const void *b)
{
	const struct lazy_row *x = a;
	const struct lazy_row *y = b;

	if (x->atomics != y->atomics)
		return x->atomics < y->atomics ? 1 : -1;
	return by_row_name(a, b);
}

static void add_lazy_row(struct lazy_row *to, const struct lazy_row *from)
{
	sum(&to->mms, from->mms);
	sum(&to->atomics, from->atomics);
	to->cpus = to->cpus > from->cpus ? to->cpus : from->cpus;
	to->peak = larger(to->peak, from->peak);
	sum(&to->deaths, from->deaths);
}

static bool add_lazy_rows(struct follow_sums *to, const struct follow_sums *from)
{
	struct lazy_row *rows = (struct lazy_row *)to->rows;
	size_t n = to->n_rows + from->n_rows;
	size_t kept = 0;

	if (!grow((void **)&rows, to->n_rows, from->n_rows, sizeof(*rows)))
		return false;
	to->rows = rows;
	if (from->n_rows)
		memcpy(rows + to->n_rows, from->rows, from->n_rows * sizeof(*rows));
	if (n)
		qsort(rows, n, sizeof(*rows), by_row_name);
	for (size_t i = 0; i < n; i++) {
		if (kept && by_row_name(&rows[kept - 1], &rows[i]) == 0)
			add_lazy_row(&rows[kept - 1], &rows[i]);
		else
			rows[kept++] = rows[i];
	}
	if (kept)
		qsort(rows, kept, sizeof(*rows), by_atomics);
	to->n_rows = kept;
	return true;
}

static bool add_masks(struct follow_sums *to, const struct follow_sums *from)
{
	sum(&to->switches, from->switches);
	sum(&to->incomplete, from->incomplete);
	sum(&to->against, from->against);
	for (size_t i = 0; i < TRIMS; i++) {
		add_scope(&to->scope[i], &from->scope[i]);
		add_totals(&to->totals[i], &from->totals[i]);
		if (!add_cpus(&to->totals[i].trims_to, to->cpus, from->totals[i].trims_to,
			      from->cpus) ||
		    !add_cpus(&to->totals[i].global_to, to->cpus, from->totals[i].global_to,
			      from->cpus) ||
		    !add_cpus(&to->shots_to[i], to->cpus, from->shots_to[i], from->cpus))
			return false;
	}
	to->cpus = to->cpus > from->cpus ? to->cpus : from->cpus;
	add_lazy(&to->lazy, &from->lazy);
	return add_lazy_rows(to, from);
}

static bool add_vcpus(struct summary_group *to, const struct summary_group *from)
{
	uint32_t n = to->info.cpus;
	uint32_t more = from->info.cpus > n ? from->info.cpus - n : 0;

	if (!grow((void **)&to->loads_of_cpu, n, more, sizeof(*to->loads_of_cpu)))
		return false;
	memset(to->loads_of_cpu + n, 0, more * sizeof(*to->loads_of_cpu));
	for (uint32_t cpu = 0; cpu < from->info.cpus; cpu++)
		e500mc_counts_add(&to->loads_of_cpu[cpu], &from->loads_of_cpu[cpu]);
	e500mc_counts_add(&to->loads, &from->loads);
	to->vcpus_guessed += from->vcpus_guessed;
	return true;
}

/* Both have forgotten their machine. */
static bool add_group(struct summary_group *to, const struct summary_group *from)
{
	if (!forget_machine(to) || !add_events(to, from) || !add_rows(to, from) ||
	    (to->has_masks && !add_masks(&to->masks, &from->masks)) ||
	    (to->has_vcpus && !add_vcpus(to, from)))
		return false;
	add_source(to, from);
	to->info.cpus = to->info.cpus > from->info.cpus ? to->info.cpus : from->info.cpus;
	return forget_machine(to);
}

/* Its bytes tell recorded kernels apart. */
struct kernel_key {
	uint8_t *bytes;
	size_t n;
};

static int compare_keys(const struct kernel_key *a, const struct kernel_key *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	int differ = memcmp(a->bytes, b->bytes, n);

	return differ ? differ : (a->n > b->n) - (a->n < b->n);
}

/* To be freed; bytes is NULL where memory is short. */
static struct kernel_key key_of(struct summary_group *g)
{
	struct code c = { .writing = true };

	summary_code_kernel(&c, g);
	if (!code_ok(&c)) {
		free(c.out);
		c.out = NULL;
	}
	return (struct kernel_key){ c.out, c.n };
}

/* Where the group's kernel stands, or would: groups are in the order of their keys. -1: no memory. */
static int find_place(struct summary *s, struct summary_group *g, size_t *place, bool *same)
{
	struct kernel_key wanted = key_of(g);
	int status = wanted.bytes ? 0 : -1;

	*same = false;
	for (*place = 0; status == 0 && *place < s->n_groups && !*same; ++*place) {
		struct kernel_key key = key_of(&s->groups[*place]);
		int differ = key.bytes ? compare_keys(&key, &wanted) : 0;

		if (!key.bytes)
			status = -1;
		free(key.bytes);
		if (differ > 0)
			break;
		*same = differ == 0;
	}
	*place -= *same;
	free(wanted.bytes);
	return status;
}

/* Moves the group to where it belongs, or adds it to the one that is there; *g is left empty. */
static bool take_group(struct summary *to, struct summary_group *g)
{
	size_t place;
	bool same;

	if (find_place(to, g, &place, &same))
		return false;
	if (same)
		return forget_machine(g) && add_group(&to->groups[place], g);
	if (!grow((void **)&to->groups, to->n_groups, 1, sizeof(*to->groups)))
		return false;
	memmove(&to->groups[place + 1], &to->groups[place],
		(to->n_groups - place) * sizeof(*to->groups));
	to->groups[place] = *g;
	to->n_groups++;
	*g = (struct summary_group){ .n_mms = 0 };
	return true;
}

static int by_id(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct summary_id));
}

static bool has_id(const struct summary *s, const struct summary_id *id)
{
	return s->n_ids && bsearch(id, s->ids, s->n_ids, sizeof(*id), by_id);
}

static bool take_ids(struct summary *to, const struct summary *from)
{
	if (!grow((void **)&to->ids, to->n_ids, from->n_ids, sizeof(*to->ids)))
		return false;
	if (from->n_ids)
		memcpy(to->ids + to->n_ids, from->ids, from->n_ids * sizeof(*to->ids));
	to->n_ids += from->n_ids;
	if (to->n_ids)
		qsort(to->ids, to->n_ids, sizeof(*to->ids), by_id);
	return true;
}

static int check(const struct summary *to, const struct summary *from, bool again, const char *name,
		 struct error *err)
{
	for (size_t i = 0; i < from->n_ids && !again; i++)
		if (has_id(to, &from->ids[i]))
			return error_set(err, ERROR_USAGE,
					 "%s: a trace in it was added already: it would count twice "
					 "(--again adds it all the same)",
					 name);
	if (to->n_groups && from->n_groups &&
	    to->groups[0].kept.has_strays != from->groups[0].kept.has_strays)
		return error_set(err, ERROR_USAGE,
				 "%s is of %s: its counters have nothing in common with those of "
				 "the others; merge them apart",
				 name, from->groups[0].kept.has_strays ? "an x86" : "no x86");
	return 0;
}

int summary_add(struct summary *to, struct summary *from, bool again, const char *name,
		struct error *err)
{
	bool ok;

	if (check(to, from, again, name, err))
		return -1;
	to->unknown += from->unknown;
	ok = take_ids(to, from);
	for (size_t i = 0; ok && i < from->n_groups; i++)
		ok = take_group(to, &from->groups[i]);
	return ok ? 0 : error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", name);
}
