/* SPDX-License-Identifier: GPL-2.0-or-later */
/* infer.c - parameters of the recorded kernel. */
#include "analyze/infer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/geometry.h"
#include "analyze/observer.h"
#include "analyze/split.h"
#include "analyze/x86_infer.h"

static void set_fact(struct model *m, enum param id, uint64_t lo, uint64_t hi,
		     enum evidence evidence, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

static void set_fact(struct model *m, enum param id, uint64_t lo, uint64_t hi,
		     enum evidence evidence, const char *fmt, ...)
{
	struct param_fact *fact = &m->fact[id];
	va_list ap;

	fact->lo = lo;
	fact->hi = hi;
	fact->evidence = evidence;
	va_start(ap, fmt);
	(void)vsnprintf(fact->why, sizeof(fact->why), fmt, ap);
	va_end(ap);
	/* The default stays where the evidence allows it. */
	if (m->used.v[id] < lo)
		m->used.v[id] = lo;
	if (m->used.v[id] > hi)
		m->used.v[id] = hi;
}

/* Starts from the kernel's release where the file has it, else from the commonest era. */
static void start_from_release(struct model *m, const struct trace *t)
{
	unsigned era = era_of_release(t->info->kernel);
	enum evidence evidence = EVIDENCE_UNAME;
	const char *why = t->info->kernel;

	if (era == ERAS) {
		era = ERA_V5_14;
		evidence = EVIDENCE_DEFAULT;
		why = "the file does not name its kernel";
	}
	m->used = params_of_era(era);
	for (size_t i = 0; i < PARAMS; i++)
		set_fact(m, (enum param)i, m->used.v[i], m->used.v[i], evidence, "%s", why);
}

/* What `tlbtrace record` noted of the machine beats its release. */
static void take_metadata(struct model *m, const struct trace *t)
{
	for (size_t i = 0; i < PARAMS; i++) {
		uint64_t value;

		if (!metadata_param(&t->metadata, (enum param)i, &value))
			continue;
		m->used.v[i] = value;
		set_fact(m, (enum param)i, value, value, EVIDENCE_METADATA, "noted when recorded");
	}
}

/* Instructions of a process: what tells of the code that wrote them. */
static bool is_process_scoped(const struct class_key *k)
{
	return k->shape != SHAPE_FOREIGN && k->shape != SHAPE_HCALL;
}

static void infer_page_size(struct model *m, const struct trace *t)
{
	uint64_t pages[2] = { 0 };
	const struct class *c = NULL;

	if (t->info->page_size == 4096 || t->info->page_size == 65536) {
		set_fact(m, PARAM_PAGE_SIZE, t->info->page_size, t->info->page_size,
			 EVIDENCE_METADATA, "the file's header");
		return;
	}
	while ((c = class_next_recorded(t->classes, c))) {
		if (c->key.shape == SHAPE_VA && c->key.shift == 16)
			pages[1] += c->count;
		if (c->key.shape == SHAPE_VA && c->key.shift == 12)
			pages[0] += c->count;
	}
	if (pages[0] + pages[1]) {
		uint64_t size = pages[1] >= pages[0] ? 65536 : 4096;

		set_fact(m, PARAM_PAGE_SIZE, size, size, EVIDENCE_TRACE, "page size of the records");
	}
}

/* Global operations that a POWER9 follows by fixups: all but a PWC flush alone. */
static bool takes_fixups(const struct class_key *k)
{
	return is_process_scoped(k) && !k->local && !k->irq && k->shape != SHAPE_PWC;
}

static void infer_fixups(struct model *m, const struct trace *t)
{
	uint64_t by_kind[FIXUPS_OLD + 1] = { 0 };
	uint64_t all = 0;
	unsigned best = 0;
	const struct class *c = NULL;

	while ((c = class_next_recorded(t->classes, c))) {
		const struct class_key *k = &c->key;

		if (!takes_fixups(k))
			continue;
		all += c->count;
		if (k->fix_old)
			by_kind[FIXUPS_OLD] += c->count;
		else if (k->fix_stq)
			by_kind[FIXUPS_ERAT_STQ] += c->count;
		else
			by_kind[k->fix_erat ? FIXUPS_ERAT : FIXUPS_NONE] += c->count;
	}
	if (all == 0)
		return;
	for (unsigned i = 1; i <= FIXUPS_OLD; i++)
		if (by_kind[i] > by_kind[best])
			best = i;
	set_fact(m, PARAM_FIXUPS, best, best, EVIDENCE_TRACE,
		 "%" PRIu64 " of %" PRIu64 " global flushes", by_kind[best], all);
}

/* What flush_tlb_range did with ranges of whole PMDs: only it makes the second pass. */
static void infer_range(struct model *m, const struct trace *t)
{
	uint64_t passes[2] = { 0 };
	uint64_t without = 0;
	const struct class *c = NULL;

	while ((c = class_next_recorded(t->classes, c))) {
		const struct class_key *k = &c->key;

		if (k->shape != SHAPE_VA || k->irq)
			continue;
		if (k->pages_2m)
			passes[k->pwc] += c->count;
		else if (k->told && k->entry == ENTRY_RANGE && k->first == 0 &&
			 k->pages >= pages_per_pmd(k->shift))
			without += c->count;
	}
	if (passes[0] + passes[1]) {
		set_fact(m, PARAM_RANGE, RANGE_VA, RANGE_VA, EVIDENCE_TRACE,
			 "%" PRIu64 " ranges by page", passes[0] + passes[1]);
		set_fact(m, PARAM_THP_PASS, 1, 1, EVIDENCE_TRACE, "%" PRIu64 " second passes",
			 passes[0] + passes[1]);
		set_fact(m, PARAM_PWC, passes[1] > passes[0], passes[1] > passes[0], EVIDENCE_TRACE,
			 "%" PRIu64 " of %" PRIu64 " ranges of 2M and more", passes[1],
			 passes[0] + passes[1]);
	} else if (without) {
		set_fact(m, PARAM_THP_PASS, 0, 0, EVIDENCE_TRACE, "%" PRIu64 " ranges without",
			 without);
	}
}

/*
 * The ric of a promoted flush_tlb_range, where a probe says that it was one: 2 since v5.14, which also
 * put a PWC flush before long ranges; 0 from v4.15 to v5.13.
 */
static void infer_range_ric(struct model *m, const struct trace *t)
{
	uint64_t by_ric[2] = { 0 };
	const struct class *c = NULL;

	if (m->fact[PARAM_PWC].evidence == EVIDENCE_TRACE)
		return;
	while ((c = class_next_recorded(t->classes, c))) {
		const struct class_key *k = &c->key;

		if (k->told && k->entry == ENTRY_RANGE && k->pages &&
		    (k->shape == SHAPE_PID || k->shape == SHAPE_ALL))
			by_ric[k->shape == SHAPE_ALL] += c->count;
	}
	if (by_ric[0] + by_ric[1])
		set_fact(m, PARAM_PWC, by_ric[1] > by_ric[0], by_ric[1] > by_ric[0], EVIDENCE_TRACE,
			 "%" PRIu64 " of %" PRIu64 " promoted ranges with ric 2", by_ric[1],
			 by_ric[0] + by_ric[1]);
}

/* Freed page tables: a PWC flush before the pages, or the whole PID. */
static void infer_tables(struct model *m, const struct trace *t)
{
	uint64_t pwc = 0;
	const struct class *c = NULL;

	while ((c = class_next_recorded(t->classes, c)))
		if (c->key.shape == SHAPE_VA && c->key.pwc && !c->key.pages_2m)
			pwc += c->count;
	if (pwc)
		set_fact(m, PARAM_TABLES, TABLES_PWC, TABLES_PWC, EVIDENCE_TRACE,
			 "%" PRIu64 " flushes of pages and page walk cache", pwc);
}

/* The commonest number of tlbiel in a local flush of a PID; interrupted recordings have others. */
static void infer_sets(struct model *m, const struct trace *t)
{
	uint64_t counts[4097] = { 0 };
	uint64_t all = 0;
	uint32_t best = 0;
	const struct class *c = NULL;

	while ((c = class_next_recorded(t->classes, c))) {
		const struct class_key *k = &c->key;

		if (k->local && (k->shape == SHAPE_PID || k->shape == SHAPE_ALL) && k->sets < 4097) {
			counts[k->sets] += c->count;
			all += c->count;
		}
	}
	for (uint32_t i = 1; i < 4097; i++)
		if (counts[i] > counts[best])
			best = i;
	if (best)
		set_fact(m, PARAM_SETS, best, best, EVIDENCE_TRACE,
			 "%" PRIu64 " of %" PRIu64 " local PID flushes", counts[best], all);
}

/*
 * Fixups and sets are both marks of the processor: one tells of the other where it was not seen.
 * POWER9 has fixups and 128 sets; POWER10 has no fixups, and 1 set from v5.11 on.
 */
static void infer_processor(struct model *m)
{
	bool fixups_seen = m->fact[PARAM_FIXUPS].evidence >= EVIDENCE_METADATA;
	bool sets_seen = m->fact[PARAM_SETS].evidence >= EVIDENCE_METADATA;
	bool new_era = m->used.v[PARAM_ERA] >= ERA_V5_12 &&
		       m->fact[PARAM_ERA].evidence != EVIDENCE_DEFAULT;

	if (!fixups_seen && sets_seen && m->used.v[PARAM_SETS] == 1)
		set_fact(m, PARAM_FIXUPS, FIXUPS_NONE, FIXUPS_NONE, EVIDENCE_TRACE,
			 "1 tlbiel per local PID flush: a POWER10");
	else if (!fixups_seen && sets_seen && new_era)
		set_fact(m, PARAM_FIXUPS, FIXUPS_ERAT, FIXUPS_ERAT_STQ, EVIDENCE_DEFAULT,
			 "no global flush to see it by; more than 1 tlbiel per local PID flush: a "
			 "POWER9");
	else if (!fixups_seen)
		set_fact(m, PARAM_FIXUPS, FIXUPS_NONE, FIXUPS_OLD, EVIDENCE_DEFAULT,
			 "no global flush to see it by");
	if (!sets_seen && fixups_seen && m->used.v[PARAM_FIXUPS] == FIXUPS_NONE) {
		m->used.v[PARAM_SETS] = m->used.v[PARAM_ERA] >= ERA_V5_12 ? 1 : 128;
		set_fact(m, PARAM_SETS, 1, 128, EVIDENCE_DEFAULT,
			 "no local PID flush to see it by; no fixups: a POWER10");
	}
}

/*
 * A guest without GTSE: H_RPT_INVALIDATE and no broadcast. tlbie_enabled=0: nothing of a process is
 * broadcast, kernel addresses still are, and interrupt handlers flush pages or PIDs with ric 0.
 */
static void infer_tlbie(struct model *m, const struct trace *t)
{
	uint64_t global = 0;
	uint64_t kernel = 0;
	uint64_t shares = 0;
	uint64_t hcalls = 0;
	const struct class *c = NULL;

	while ((c = class_next_recorded(t->classes, c))) {
		const struct class_key *k = &c->key;

		if (k->shape == SHAPE_KERNEL && !k->local)
			kernel += c->count;
		else if (is_process_scoped(k) && !k->local)
			global += c->count;
		if (k->irq && (k->shape == SHAPE_VA || k->shape == SHAPE_PID))
			shares += c->count;
		if (k->shape == SHAPE_HCALL)
			hcalls += c->count;
	}
	/* A guest that may not execute tlbie has none. */
	if (global + kernel)
		set_fact(m, PARAM_GTSE, 1, 1, EVIDENCE_TRACE, "%" PRIu64 " broadcasts",
			 global + kernel);
	if (global) {
		set_fact(m, PARAM_TLBIE, 1, 1, EVIDENCE_TRACE, "%" PRIu64 " broadcasts", global);
	} else if (hcalls && !kernel) {
		m->used.v[PARAM_GTSE] = 0;
		set_fact(m, PARAM_GTSE, 0, 0, EVIDENCE_TRACE,
			 "no broadcast, %" PRIu64 " calls of H_RPT_INVALIDATE", hcalls);
	} else if (shares) {
		m->used.v[PARAM_TLBIE] = 0;
		set_fact(m, PARAM_TLBIE, 0, 0, EVIDENCE_TRACE,
			 "no broadcast of a process, %" PRIu64 " flushes run by IPI", shares);
	}
}

/* Shaped like flush_tlb_collapsed_pmd, which asks no ceiling. */
static bool may_ask_no_ceiling(const struct class_key *k)
{
	return k->entry == ENTRY_COLLAPSED ||
	       (k->pwc && k->pages == pages_per_pmd(k->shift) && k->first == 0);
}

/*
 * Pages of one request that a run which may hide several surely holds, unless something rare
 * happened; 0 where it tells nothing. mprotect flushes base pages once for the whole call since
 * v6.0, and once for each mapping before. Calls that zap flush at PMD edges: a run over three PMDs
 * of 64K pages has all of the middle one, which would have been promoted under a lower ceiling.
 */
static uint64_t likely_request(const struct class_key *k)
{
	if (k->context != CONTEXT_CALL || k->shift >= PMD_SHIFT)
		return 0;
	if (k->cause == CAUSE_MPROTECT)
		return k->pages;
	return k->shift == 16 && pmds_touched(k->first, k->pages, k->shift) > 2
		       ? pages_per_pmd(k->shift)
		       : 0;
}

/* What flushes say of a ceiling: the longest that went by page, the shortest that took the PID. */
struct ceiling_evidence {
	uint64_t sure;	   /* pages of the longest run that is one request */
	uint64_t likely;   /* the same, of runs that are one request unless mappings met */
	uint64_t promoted; /* most pages that the shortest promoted request can have had */
	uint64_t any;	   /* pages of the longest run, which may have been several requests */
};

static void note_class(struct ceiling_evidence *e, const struct class_key *k)
{
	bool known_range = k->shape == SHAPE_PID || (k->shape == SHAPE_ALL && k->pages);

	if (known_range && k->pages_max < e->promoted)
		e->promoted = k->pages_max;
	if (k->shape != SHAPE_VA || may_ask_no_ceiling(k))
		return;
	if (k->pages > e->any)
		e->any = k->pages;
	if (!k->may_hide && k->pages - split_head(k) > e->sure)
		e->sure = k->pages - split_head(k);
	if (likely_request(k) > e->likely)
		e->likely = likely_request(k);
}

/* With tlbie off: a task's flush of which no mask, or an unsure one, tells whether it was local. */
static bool is_open_share(const struct class_key *k, const struct params *p)
{
	bool followed = k->scope[params_trim_kind(p)] != MACHINE_UNASKED;

	return !p->v[PARAM_TLBIE] && k->local && !k->irq && (!followed || split_share_unsure(k, p));
}

static struct ceiling_evidence find_ceiling(const struct model *m, const struct trace *t, bool local)
{
	struct ceiling_evidence e = { .promoted = UINT64_MAX };
	enum param id = local ? PARAM_LOCAL_CEILING : PARAM_CEILING;
	const struct class *c = NULL;

	while ((c = class_next_recorded(t->classes, c))) {
		const struct class_key *k = &c->key;

		if (split_ceiling(k, &m->used) == id && !is_open_share(k, &m->used))
			note_class(&e, k);
	}
	return e;
}

/*
 * Somebody has raised this ceiling above mainline's, who knows how far: nothing that was seen is then
 * too long to have been one request.
 */
static void use_raised(struct model *m, enum param id, const struct ceiling_evidence *e)
{
	const struct param_fact *fact = &m->fact[id];

	if (m->used.v[id] < e->any)
		m->used.v[id] = e->any < fact->hi ? e->any : fact->hi;
}

/*
 * Bounds of a ceiling: not below the longest request that went by address, below the smallest that
 * took the whole PID. Only a ric 0 flush inside a call that zaps is surely a promoted range.
 */
static void infer_ceiling(struct model *m, const struct trace *t, bool local)
{
	enum param id = local ? PARAM_LOCAL_CEILING : PARAM_CEILING;
	struct ceiling_evidence e = find_ceiling(m, t, local);
	uint64_t usual = m->used.v[id];
	uint64_t longest = e.sure;

	if (e.likely > longest && e.likely < e.promoted)
		longest = e.likely;
	/* A value that was noted is exact; the trace's bounds only have to allow it. */
	if (m->fact[id].evidence == EVIDENCE_METADATA && usual >= longest && usual < e.promoted)
		return;
	if (e.promoted <= longest)
		set_fact(m, id, longest, UINT64_MAX, EVIDENCE_TRACE,
			 "contradictory: by page up to %" PRIu64 ", whole PID from %" PRIu64,
			 longest, e.promoted);
	else if (longest && e.promoted != UINT64_MAX)
		set_fact(m, id, longest, e.promoted - 1, EVIDENCE_TRACE,
			 "by page up to %" PRIu64 ", whole PID from %" PRIu64, longest, e.promoted);
	else if (e.promoted != UINT64_MAX)
		set_fact(m, id, 0, e.promoted - 1, EVIDENCE_TRACE, "whole PID from %" PRIu64,
			 e.promoted);
	else if (longest)
		set_fact(m, id, longest, UINT64_MAX,
			 longest > usual ? EVIDENCE_TRACE : EVIDENCE_DEFAULT,
			 "by page up to %" PRIu64, longest);
	else
		set_fact(m, id, 0, UINT64_MAX, EVIDENCE_DEFAULT,
			 "mainline has %" PRIu64 "; the trace does not tell", usual);
	if (longest > usual && e.promoted > longest)
		use_raised(m, id, &e);
}

static bool is_of_power(const void *arg, enum param id)
{
	(void)arg;
	return param_applies(id, false);
}

static bool is_of_x86(const void *arg, enum param id)
{
	(void)arg;
	return param_applies(id, true);
}

static int override(struct model *m, bool x86, const char *key, const char *value, struct error *err)
{
	struct params before = m->used;
	enum param which = param_by_key(key);

	if (which == PARAMS)
		return params_unknown_key(key, x86 ? is_of_x86 : is_of_power, NULL, err);
	if (!param_applies(which, x86))
		return error_set(err, ERROR_USAGE,
				 "--recorded=%s: %s was recorded, which has no such key", key,
				 x86 ? "an x86" : "a POWER");
	if (params_set(&m->used, key, value, &which, err))
		return -1;
	for (size_t i = 0; i < PARAMS; i++)
		if (i == which || m->used.v[i] != before.v[i])
			set_fact(m, (enum param)i, m->used.v[i], m->used.v[i], EVIDENCE_OPTION,
				 "--recorded=%s=%s", key, value);
	return 0;
}

static int apply_overrides(struct model *m, bool x86, const char *overrides, struct error *err)
{
	char *copy = strdup(overrides);
	char *rest = copy;
	char *item;
	int status = 0;

	if (!copy)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	while (status == 0 && (item = strsep(&rest, ","))) {
		char *value = strchr(item, '=');

		if (!value) {
			status = error_set(err, ERROR_USAGE, "--recorded=%s: must be key=value,…",
					   overrides);
			break;
		}
		*value++ = '\0';
		status = override(m, x86, item, value, err);
	}
	free(copy);
	return status;
}

/* What param_applies() to POWER. */
static void infer_radix(struct model *m, const struct trace *t)
{
	infer_page_size(m, t);
	infer_fixups(m, t);
	infer_range(m, t);
	infer_range_ric(m, t);
	infer_tables(m, t);
	infer_sets(m, t);
	infer_processor(m);
	infer_tlbie(m, t);
	infer_ceiling(m, t, false);
	infer_ceiling(m, t, true);
}

/* An era says enough, but for that of v5.14 to v6.2. */
static enum mprotect mprotect_of(const struct model *m, const char *kernel)
{
	if (m->used.v[PARAM_ERA] != ERA_V5_14)
		return m->used.v[PARAM_ERA] < ERA_V5_14 ? MPROTECT_RANGE : MPROTECT_GATHER;
	if (era_of_release(kernel) != ERA_V5_14)
		return MPROTECT_EITHER;
	return kernel[*kernel == 'v'] == '6' ? MPROTECT_GATHER : MPROTECT_RANGE;
}

/* Requests alone: no probe told their scope, or nothing was broadcast, and each had many CPUs. */
static bool has_open_scopes(const struct model *m, const struct trace *t)
{
	const struct class *c = NULL;

	while ((c = class_next(t->classes, c)))
		if (c->key.scope_open || (c->key.asked && !m->used.v[PARAM_TLBIE]))
			return true;
	return false;
}

int infer_model(struct model *m, const struct trace *t, const char *overrides, struct error *err)
{
	bool x86 = trace_is_x86(t);

	if (t->kept) {
		*m = t->kept->model;
		if (overrides && apply_overrides(m, x86, overrides, err))
			return -1;
		m->mprotect = mprotect_of(m, t->info->kernel);
		return 0;
	}
	start_from_release(m, t);
	take_metadata(m, t);
	if (x86)
		x86_infer(m, t);
	else
		infer_radix(m, t);
	if (overrides && apply_overrides(m, x86, overrides, err))
		return -1;
	m->mprotect = mprotect_of(m, t->info->kernel);
	m->open_scopes = has_open_scopes(m, t);
	return 0;
}
