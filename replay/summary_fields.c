/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_fields.c - the layout of a summary, for writing and reading alike. */
#include "replay/summary_fields.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/params.h"

#define CPUS_MOST 65536u
#define EVENT_LEAST 3u /* bytes of an event in the file */

/* Whoever adds a field that a policy looks at, adds it here and to SUMMARY_KEY_X, and a version. */
/* asked and scope_open are of traces that are not summarized. */
_Static_assert(sizeof(struct class_key) == 128, "SUMMARY_KEY_X lacks a field of struct class_key");
_Static_assert(sizeof(struct mask_scope) == 9 * sizeof(uint64_t), "code_scope() lacks a field");
_Static_assert(sizeof(struct mask_totals) ==
		       (MACHINE_SCOPES + 6) * sizeof(uint64_t) + 2 * sizeof(void *),
	       "code_totals() lacks one");
_Static_assert(sizeof(struct lazy_totals) == (8 + 4 * TRIMS) * sizeof(uint64_t),
	       "code_lazy() lacks a field");
_Static_assert(sizeof(struct lazy_row) == COMM_LEN + 5 * sizeof(uint64_t),
	       "code_lazy_rows() lacks a field");
_Static_assert(sizeof(struct e500mc_counts) == (3 + 2 * E500MC_VARIANTS) * sizeof(uint64_t),
	       "code_loads()");
_Static_assert(sizeof(struct x86_strays) == 5 * sizeof(uint64_t), "code_strays() lacks a field");
_Static_assert(RUN_END_LOST == 7, "code_group_source() has each mark");

static void code_events(struct code *c, struct summary_group *g)
{
	code_items(c, (void **)&g->events, &g->info.n_counts, sizeof(*g->events), EVENT_LEAST,
		   "number of events");
	g->info.counts = g->events;
	for (size_t i = 0; i < g->info.n_counts; i++) {
		CODE_TEXT(c, g->events[i].name);
		CODE_ANY(c, g->events[i].count);
		CODE_FLAG(c, g->events[i].enabled);
	}
}

static void code_strays(struct code *c, struct x86_strays *s)
{
	CODE_ANY(c, s->switch_flushes);
	CODE_ANY(c, s->wrong_cpu);
	CODE_ANY(c, s->unknown);
	CODE_ANY(c, s->orphans);
	CODE_ANY(c, s->kernel_requests);
}

static void code_file(struct code *c, struct summary_group *g)
{
	struct source_info *info = &g->info;

	CODE_TEXT(c, info->format);
	CODE_TEXT(c, info->kernel);
	CODE_TEXT(c, info->arch);
	CODE_TEXT(c, info->clock);
	CODE_TEXT(c, info->tool);
	CODE_ANY(c, info->page_size);
	CODE(c, info->cpus, CPUS_MOST);
	CODE_FLAG(c, info->big_endian);
	CODE_FLAG(c, info->has_time);
	CODE_FLAG(c, info->has_irq_flags);
	CODE_ANY(c, info->events);
	CODE_ANY(c, info->lost_events);
	CODE_ANY(c, info->lost_unknown);
	CODE_ANY(c, info->unknown_records);
	CODE_ANY(c, info->unknown_offset);
	CODE_FLAG(c, info->truncated);
	CODE_TEXT(c, info->truncated_text);
	code_events(c, g);
}

/* What the file was, and how good. */
static void code_source(struct code *c, struct summary_group *g)
{
	struct code_part part = code_begin(c, "SRC_");

	code_file(c, g);
	CODE_TEXT(c, g->kept.selection);
	CODE(c, g->kept.inputs, UINT64_MAX);
	CODE_ANY(c, g->kept.truncated);
	CODE_FLAG(c, g->kept.folded);
	CODE_ANY(c, g->kept.probable_gaps);
	CODE_FLAG(c, g->kept.has_strays);
	code_strays(c, &g->kept.strays);
	CODE_ANY(c, g->first_ns);
	CODE(c, g->duration_ns, UINT64_MAX - g->first_ns);
	CODE_ANY(c, g->orphan_fixups);
	CODE_ANY(c, g->syscalls);
	CODE_ANY(c, g->switches);
	CODE_ANY(c, g->requests);
	for (size_t i = 0; i <= RUN_END_LOST; i++)
		CODE_ANY(c, g->ends[i]);
	CODE_FLAG(c, g->has_masks);
	CODE_FLAG(c, g->has_vcpus);
	code_end(c, part);
	if (!c->writing && code_ok(c) && g->kept.inputs == 0)
		code_fail(c, "number of inputs");
}

/* The largest value of a parameter that has names for its values. */
static uint64_t most_of(enum param id)
{
	const char *names = param_values[id];
	uint64_t most = 0;

	if (!*names)
		return UINT64_MAX;
	while ((names = strchr(names, '|'))) {
		names++;
		most++;
	}
	return most;
}

static void code_fact(struct code *c, struct model *m, enum param id)
{
	struct param_fact *fact = &m->fact[id];
	uint64_t most = most_of(id);
	uint8_t evidence = (uint8_t)fact->evidence;
	bool named = params_is_named(&m->used, id);

	CODE(c, m->used.v[id], most);
	CODE_FLAG(c, named);
	if (named)
		params_name(&m->used, id);
	CODE(c, fact->lo, most);
	CODE_ANY(c, fact->hi);
	if (!c->writing && fact->hi > most && fact->hi != UINT64_MAX)
		code_fail(c, "fact->hi");
	CODE(c, evidence, EVIDENCE_OPTION);
	fact->evidence = (enum evidence)evidence;
	CODE_TEXT(c, fact->why);
}

/* Parameters stand by their keys: versions to come may have more of them. */
static void code_model(struct code *c, struct model *m)
{
	struct code_part part = code_begin(c, "MODL");
	uint32_t n = PARAMS;

	if (!c->writing) {
		m->used = params_of_era(ERA_V5_14);
		m->used.named = 0;
		for (size_t i = 0; i < PARAMS; i++)
			m->fact[i].lo = m->fact[i].hi = m->used.v[i];
	}
	CODE_ANY(c, n);
	for (uint32_t i = 0; i < n && code_ok(c); i++) {
		char key[32] = "";
		enum param id = (enum param)i;

		if (c->writing)
			(void)strncpy(key, param_keys[i], sizeof(key) - 1);
		CODE_TEXT(c, key);
		if (!c->writing)
			id = param_by_key(key);
		if (id < PARAMS)
			code_fact(c, m, id);
		else
			code_fail(c, "a parameter that this version does not know");
	}
	code_end(c, part);
}

static void code_calls(struct code *c, struct summary_mm *mm)
{
	uint32_t which = 0;

	for (size_t i = 0; i < FLUSH_CAUSES; i++)
		if (mm->calls[i].promoted_once || mm->calls[i].promoted_many)
			which |= UINT32_C(1) << i;
	CODE(c, which, (UINT32_C(1) << FLUSH_CAUSES) - 1);
	for (size_t i = 0; i < FLUSH_CAUSES; i++) {
		if (!(which >> i & 1))
			continue;
		CODE_ANY(c, mm->calls[i].promoted_once);
		CODE_ANY(c, mm->calls[i].promoted_many);
	}
}

/* Column by column: what is alike stands together, which compresses well. */
static void code_mms(struct code *c, struct summary_group *g)
{
	struct code_part part = code_begin(c, "MMS_");

	code_items(c, (void **)&g->mms, &g->n_mms, sizeof(*g->mms), 5, "number of mms");
	for (size_t i = 0; i < g->n_mms; i++)
		CODE_TEXT(c, g->mms[i].name);
	for (size_t i = 0; i < g->n_mms; i++)
		CODE_SIGNED(c, g->mms[i].tgid);
	for (size_t i = 0; i < g->n_mms; i++)
		CODE_ANY(c, g->mms[i].members);
	for (size_t i = 0; i < g->n_mms; i++)
		CODE_FLAG(c, g->mms[i].none);
	for (size_t i = 0; i < g->n_mms; i++)
		code_calls(c, &g->mms[i]);
	code_end(c, part);
}

#define KEY_FIELDS(field, most) +1
#define CLASS_LEAST ((0 SUMMARY_KEY_X(KEY_FIELDS)) + 1 + 5 * TRIMS) /* bytes in the file */

static void check_classes(struct code *c, const struct summary_group *g)
{
	for (size_t i = 0; i < g->n_classes && code_ok(c); i++) {
		const struct class_key *k = &g->classes[i].key;

		if (k->mm >= g->n_mms)
			code_fail(c, "mm of a class");
		else if (k->shape == SHAPE_VA && k->pages == 0)
			code_fail(c, "number of pages of a class");
	}
}

static void code_classes(struct code *c, struct summary_group *g)
{
	struct code_part part = code_begin(c, "CLAS");

	code_items(c, (void **)&g->classes, &g->n_classes, sizeof(*g->classes), CLASS_LEAST,
		   "number of classes");
#define KEY_COLUMN(field, most)                                                                    \
	for (size_t i = 0; i < g->n_classes; i++)                                                  \
		code_number(c, &g->classes[i].key.field, sizeof(g->classes[i].key.field), most,    \
			    #field);
	SUMMARY_KEY_X(KEY_COLUMN)
#undef KEY_COLUMN
	for (size_t i = 0; i < g->n_classes; i++)
		CODE_ANY(c, g->classes[i].count);
	for (size_t kind = 0; kind < TRIMS; kind++)
		for (size_t i = 0; i < g->n_classes; i++) {
			CODE_ANY(c, g->classes[i].ipis[kind]);
			CODE_ANY(c, g->classes[i].trims[kind]);
			CODE_ANY(c, g->classes[i].targets[kind]);
			CODE_ANY(c, g->classes[i].targets_most[kind]);
			CODE_ANY(c, g->classes[i].reached[kind]);
		}
	if (!c->writing)
		check_classes(c, g);
	code_end(c, part);
}

/* A number for each CPU, at *per_cpu, which is allocated when reading. */
static void code_per_cpu(struct code *c, const uint64_t **per_cpu, uint32_t cpus)
{
	uint64_t *n = (uint64_t *)*per_cpu;

	if (!c->writing) {
		if (code_ok(c) && cpus > bytes_left(&c->in))
			code_fail(c, "numbers of CPUs");
		n = code_ok(c) ? calloc(cpus ? cpus : 1, sizeof(*n)) : NULL;
		c->no_memory |= code_ok(c) && !n;
		*per_cpu = n;
	}
	for (uint32_t cpu = 0; n && cpu < cpus; cpu++)
		CODE_ANY(c, n[cpu]);
}

static void code_scope(struct code *c, struct mask_scope *s)
{
	CODE_ANY(c, s->flushes);
	CODE(c, s->agree, s->flushes);
	CODE_ANY(c, s->same);
	CODE_ANY(c, s->changes);
	CODE_ANY(c, s->changes_predicted);
	CODE_ANY(c, s->changes_false);
	CODE_ANY(c, s->clock_trims);
	CODE_ANY(c, s->trims_recorded);
	CODE_ANY(c, s->trims_predicted);
}

static void code_totals(struct code *c, struct mask_totals *t, uint32_t cpus)
{
	for (size_t i = 0; i < MACHINE_SCOPES; i++)
		CODE_ANY(c, t->scope[i]);
	CODE_ANY(c, t->unsure);
	CODE_ANY(c, t->ipis);
	CODE_ANY(c, t->trims);
	CODE_ANY(c, t->ticks);
	CODE_ANY(c, t->clock_ipis);
	CODE_ANY(c, t->hidden_ipis);
	code_per_cpu(c, &t->trims_to, cpus);
	code_per_cpu(c, &t->global_to, cpus);
}

static void code_lazy(struct code *c, struct lazy_totals *l)
{
	CODE_ANY(c, l->atomics);
	CODE_ANY(c, l->atomics_lo);
	CODE_ANY(c, l->atomics_hi);
	CODE_ANY(c, l->enter);
	CODE_ANY(c, l->leave);
	CODE_ANY(c, l->exits);
	CODE_ANY(c, l->peak);
	CODE_ANY(c, l->deaths);
	for (size_t i = 0; i < TRIMS; i++) {
		CODE_ANY(c, l->shots[i].ipis_lo);
		CODE_ANY(c, l->shots[i].ipis_hi);
		CODE_ANY(c, l->shots[i].useful_lo);
		CODE_ANY(c, l->shots[i].useful_hi);
	}
}

static void code_lazy_rows(struct code *c, struct follow_sums *s)
{
	struct lazy_row *rows = (struct lazy_row *)s->rows;

	code_items(c, (void **)&rows, &s->n_rows, sizeof(*rows), 6, "number of names");
	s->rows = rows;
	for (size_t i = 0; i < s->n_rows; i++) {
		CODE_TEXT(c, rows[i].name);
		CODE_ANY(c, rows[i].mms);
		CODE_ANY(c, rows[i].atomics);
		CODE_ANY(c, rows[i].cpus);
		CODE_ANY(c, rows[i].peak);
		CODE_ANY(c, rows[i].deaths);
	}
}

static void code_masks(struct code *c, struct summary_group *g)
{
	struct code_part part = code_begin(c, "MASK");
	struct follow_sums *s = &g->masks;

	CODE(c, s->cpus, CPUS_MOST);
	CODE_ANY(c, s->switches);
	CODE_FLAG(c, s->multicast);
	CODE_ANY(c, s->incomplete);
	CODE_ANY(c, s->against);
	for (size_t i = 0; i < TRIMS; i++) {
		CODE(c, s->fits[i], TRIMS - 1);
		code_scope(c, &s->scope[i]);
		code_totals(c, &s->totals[i], s->cpus);
		code_per_cpu(c, &s->shots_to[i], s->cpus);
	}
	code_lazy(c, &s->lazy);
	code_lazy_rows(c, s);
	code_end(c, part);
}

static void code_loads(struct code *c, struct e500mc_counts *n)
{
	CODE_ANY(c, n->loads);
	CODE_ANY(c, n->migration);
	CODE_ANY(c, n->pollution);
	for (size_t i = 0; i < E500MC_VARIANTS; i++) {
		CODE_ANY(c, n->invalidations[i]);
		CODE_ANY(c, n->missed[i]);
	}
}

static void code_vcpus(struct code *c, struct summary_group *g)
{
	struct code_part part = code_begin(c, "VCPU");
	size_t cpus = g->loads_of_cpu ? g->info.cpus : 0;

	code_loads(c, &g->loads);
	CODE_ANY(c, g->vcpus_guessed);
	code_items(c, (void **)&g->vms, &g->n_vms, sizeof(*g->vms), 10, "number of VMs");
	for (size_t i = 0; i < g->n_vms; i++) {
		CODE_ANY(c, g->vms[i].vm);
		code_loads(c, &g->vms[i].counts);
	}
	code_items(c, (void **)&g->loads_of_cpu, &cpus, sizeof(*g->loads_of_cpu), 9,
		   "number of CPUs");
	if (!c->writing && cpus != g->info.cpus)
		code_fail(c, "number of CPUs");
	for (size_t i = 0; i < cpus; i++)
		code_loads(c, &g->loads_of_cpu[i]);
	code_end(c, part);
}

static void code_group(struct code *c, struct summary_group *g)
{
	struct code_part part = code_begin(c, "GRP_");

	code_source(c, g);
	code_model(c, &g->kept.model);
	code_mms(c, g);
	code_classes(c, g);
	if (g->has_masks)
		code_masks(c, g);
	if (g->has_vcpus)
		code_vcpus(c, g);
	code_end(c, part);
}

static void code_ids(struct code *c, struct summary *s)
{
	struct code_part part = code_begin(c, "IDS_");

	code_items(c, (void **)&s->ids, &s->n_ids, sizeof(*s->ids), sizeof(*s->ids),
		   "number of traces");
	for (size_t i = 0; i < s->n_ids; i++)
		code_bytes(c, s->ids[i].byte, sizeof(s->ids[i].byte), "a trace's id");
	code_end(c, part);
}

void summary_code(struct code *c, struct summary *s)
{
	code_ids(c, s);
	code_items(c, (void **)&s->groups, &s->n_groups, sizeof(*s->groups), 12, "number of groups");
	for (size_t i = 0; i < s->n_groups && code_ok(c); i++)
		code_group(c, &s->groups[i]);
	if (!c->writing && code_ok(c) && (s->n_ids == 0 || s->n_groups == 0))
		code_fail(c, "number of traces");
}

void summary_code_identity(struct code *c, struct summary_group *g)
{
	code_source(c, g);
	code_mms(c, g);
	code_classes(c, g);
}

/* Whether anything was recorded of this kind. */
static void code_any(struct code *c, uint64_t n)
{
	bool any = n > 0;

	CODE_FLAG(c, any);
}

static bool has_flush_event(const struct source_info *info)
{
	for (size_t i = 0; i < info->n_counts; i++)
		if (strcmp(info->counts[i].name, "powerpc:tlbie") == 0 ||
		    strcmp(info->counts[i].name, "tlb:tlb_flush") == 0)
			if (info->counts[i].enabled || info->counts[i].count)
				return true;
	return false;
}

/* Hash, radix, or neither is known. */
static uint8_t mmu_of(const struct summary_group *g)
{
	uint8_t mmu = 0;

	for (size_t i = 0; i < g->n_classes && mmu != 2; i++) {
		const struct class_key *k = &g->classes[i].key;
		bool hash = k->shape == SHAPE_FOREIGN &&
			    (k->foreign == TLBIE_HASH || k->foreign == TLBIE_HASH_PARTITION);

		if (!k->hidden)
			mmu = hash ? 1 : 2;
	}
	return mmu;
}

void summary_code_kernel(struct code *c, struct summary_group *g)
{
	uint8_t mmu = mmu_of(g);

	CODE_TEXT(c, g->info.arch);
	CODE_TEXT(c, g->info.kernel);
	CODE_ANY(c, g->info.page_size);
	CODE_FLAG(c, g->info.has_time);
	CODE_FLAG(c, g->info.has_irq_flags);
	CODE_ANY(c, mmu);
	CODE_TEXT(c, g->kept.selection);
	CODE_FLAG(c, g->kept.has_strays);
	code_any(c, has_flush_event(&g->info));
	code_any(c, g->syscalls);
	code_any(c, g->switches);
	code_any(c, g->requests);
	for (size_t i = 0; i < PARAMS; i++) {
		struct param_fact *fact = &g->kept.model.fact[i];
		uint8_t evidence = (uint8_t)fact->evidence;

		CODE_ANY(c, g->kept.model.used.v[i]);
		code_any(c, params_is_named(&g->kept.model.used, (enum param)i));
		CODE_ANY(c, fact->lo);
		CODE_ANY(c, fact->hi);
		CODE_ANY(c, evidence);
	}
	CODE_FLAG(c, g->has_masks);
	CODE_FLAG(c, g->masks.multicast);
	code_any(c, g->masks.switches);
	for (size_t i = 0; i < TRIMS; i++) {
		CODE_ANY(c, g->masks.fits[i]);
		code_any(c, g->masks.scope[i].flushes);
	}
	CODE_FLAG(c, g->has_vcpus);
}
