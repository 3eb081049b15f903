/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_take.c - from a trace that was read to its summary. */
#include <stdlib.h>
#include <string.h>

#include "replay/summary_fields.h"

static void *copy_of(const void *from, size_t n, size_t size, bool *ok)
{
	void *to = calloc(n ? n : 1, size);

	if (to && n)
		memcpy(to, from, n * size);
	*ok &= to != NULL;
	return to;
}

/* Events that never fired are of interest where all of this is made of them. */
static bool is_told(const struct event_count *event)
{
	return event->count || strcmp(event->name, "powerpc:tlbie") == 0 ||
	       strcmp(event->name, "tlb:tlb_flush") == 0;
}

static bool take_events(struct summary_group *g, const struct source_info *info)
{
	g->events = calloc(info->n_counts + 1, sizeof(*g->events));
	g->info.n_counts = 0;
	g->info.counts = g->events;
	for (size_t i = 0; g->events && i < info->n_counts; i++)
		if (is_told(&info->counts[i]))
			g->events[g->info.n_counts++] = info->counts[i];
	return g->events;
}

static bool take_source(struct summary_group *g, const struct trace *t, const char *selection)
{
	const struct x86_strays *strays = trace_x86_strays(t);

	g->info = *t->info;
	g->info.path = NULL;
	g->kept.inputs = 1;
	g->kept.truncated = t->info->truncated;
	g->kept.probable_gaps = trace_probable_gaps(t);
	g->kept.has_strays = strays != NULL;
	if (strays)
		g->kept.strays = *strays;
	text_copy(g->kept.selection, sizeof(g->kept.selection), selection, strlen(selection));
	g->first_ns = t->first_ns;
	g->duration_ns = t->last_ns - t->first_ns;
	g->orphan_fixups = t->orphan_fixups;
	g->syscalls = t->syscalls;
	g->switches = t->switches;
	g->requests = t->requests;
	memcpy(g->ends, class_ends(t->classes), sizeof(g->ends));
	return take_events(g, t->info);
}

static void take_mm(struct summary_mm *out, const struct trace *t, uint32_t index)
{
	const struct mm *mm = mm_by_index(trace_mms(t), index);

	out->none = index == CLASS_NO_MM;
	out->tgid = mm ? mm->tgid : -1;
	if (mm) {
		memcpy(out->name, mm->name, strnlen(mm->name, COMM_LEN - 1));
		out->members = mm->members;
	}
	for (size_t i = 0; i < FLUSH_CAUSES; i++) {
		const struct call_evidence *calls = class_calls(t->classes, index,
								(enum flush_cause)i);

		out->calls[i].promoted_once = calls->promoted_once;
		out->calls[i].promoted_many = calls->promoted_many;
	}
}

/* The mms of classes, in order of their first; row[i] is that of mm i plus one, the last of none. */
static bool take_classes(struct summary_group *g, const struct trace *t)
{
	size_t n = mm_count(trace_mms(t));
	uint32_t *row = calloc(n + 1, sizeof(*row));
	const struct class *c = NULL;

	g->mms = calloc(n + 1, sizeof(*g->mms));
	g->classes = calloc(class_count(t->classes) + 1, sizeof(*g->classes));
	while (row && g->mms && g->classes && (c = class_next(t->classes, c))) {
		size_t mm = c->key.mm < n ? c->key.mm : n;

		if (!row[mm]) {
			row[mm] = (uint32_t)++g->n_mms;
			take_mm(&g->mms[row[mm] - 1], t, mm < n ? (uint32_t)mm : CLASS_NO_MM);
		}
		g->classes[g->n_classes] = *c;
		g->classes[g->n_classes++].key.mm = row[mm] - 1;
	}
	free(row);
	return row && g->mms && g->classes;
}

static bool take_masks(struct summary_group *g, const struct follower *f)
{
	struct follow_sums *s = &g->masks;
	bool ok = true;

	if (!f)
		return true;
	g->has_masks = true;
	*s = *follower_sums(f);
	for (size_t i = 0; i < TRIMS; i++) {
		s->totals[i].trims_to = copy_of(s->totals[i].trims_to, s->cpus, sizeof(uint64_t),
						&ok);
		s->totals[i].global_to = copy_of(s->totals[i].global_to, s->cpus, sizeof(uint64_t),
						 &ok);
		s->shots_to[i] = copy_of(s->shots_to[i], s->cpus, sizeof(uint64_t), &ok);
	}
	s->rows = copy_of(s->rows, s->n_rows, sizeof(*s->rows), &ok);
	return ok;
}

static bool take_vcpus(struct summary_group *g, const struct watch *w)
{
	const struct e500mc *e = watch_vcpus(w);
	const struct e500mc_vm *vm = NULL;
	size_t n = 0;

	if (!e)
		return true;
	g->has_vcpus = true;
	g->loads = *e500mc_total(e);
	g->vcpus_guessed = watch_guessed(w);
	while ((vm = e500mc_next_vm(e, vm)))
		n++;
	g->vms = calloc(n + 1, sizeof(*g->vms));
	g->loads_of_cpu = calloc(g->info.cpus + UINT64_C(1), sizeof(*g->loads_of_cpu));
	if (!g->vms || !g->loads_of_cpu)
		return false;
	while ((vm = e500mc_next_vm(e, vm)))
		g->vms[g->n_vms++] = *vm;
	for (uint32_t cpu = 0; cpu < g->info.cpus; cpu++)
		g->loads_of_cpu[cpu] = *e500mc_of_cpu(e, cpu);
	return true;
}

/* FNV-1a of 128 bits. */
static struct summary_id hash(const uint8_t *data, size_t n)
{
	const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;
	unsigned __int128 h = (unsigned __int128)UINT64_C(0x6c62272e07bb0142) << 64 |
			      UINT64_C(0x62b821756295c58d);
	struct summary_id id;

	for (size_t i = 0; i < n; i++)
		h = (h ^ data[i]) * prime;
	for (size_t i = 0; i < sizeof(id.byte); i++)
		id.byte[i] = (uint8_t)(h >> 8 * (sizeof(id.byte) - 1 - i));
	return id;
}

static bool take_id(struct summary *s)
{
	struct code c = { .writing = true };

	summary_code_identity(&c, &s->groups[0]);
	s->ids = calloc(1, sizeof(*s->ids));
	if (s->ids && code_ok(&c))
		s->ids[s->n_ids++] = hash(c.out, c.n);
	free(c.out);
	return s->n_ids == 1;
}

int summary_take(struct summary *out, const struct trace *t, const struct watch *watch,
		 const struct model *model, const char *selection, struct error *err)
{
	struct summary_group *g;

	*out = (struct summary){ .groups = calloc(1, sizeof(*out->groups)) };
	g = out->groups;
	if (!g)
		goto no_memory;
	out->n_groups = 1;
	g->kept.model = *model;
	if (!take_source(g, t, selection) || !take_classes(g, t) ||
	    !take_masks(g, watch_follower(watch)) || !take_vcpus(g, watch) || !summary_fold(g) ||
	    !take_id(out))
		goto no_memory;
	return 0;
no_memory:
	summary_free(out);
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", t->info->path);
}
