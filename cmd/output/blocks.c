/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blocks.c - the parts that the JSON of several commands has in common. */
#include "cmd/output/blocks.h"

#include <inttypes.h>
#include <string.h>

void block_tally(struct json_writer *j, const struct tally *t, const enum counter *which)
{
	jw_object(j);
	for (; *which != COUNTERS; which++)
		jw_key_u64(j, counter_keys[*which], t->n[*which]);
	jw_object_end(j);
}

void block_counts(struct json_writer *j, const struct counts *c, const enum counter *which)
{
	jw_object(j);
	for (; *which != COUNTERS; which++) {
		jw_key(j, counter_keys[*which]);
		jw_object_inline(j);
		jw_key_u64(j, "lo", c->lo.n[*which]);
		/* Where no reading is to be preferred, the bounds are all there is to say. */
		if (!c->open || c->lo.n[*which] == c->hi.n[*which])
			jw_key_u64(j, "likely", c->likely.n[*which]);
		jw_key_u64(j, "hi", c->hi.n[*which]);
		jw_object_end(j);
	}
	jw_object_end(j);
}

void block_text(struct json_writer *j, const char *key, const char *text)
{
	if (text && *text)
		jw_key_string(j, key, text);
}

/* Events that never fired are noise, but for those that everything here is made of. */
static bool is_told(const struct event_count *event)
{
	return event->count || strcmp(event->name, "powerpc:tlbie") == 0 ||
	       strcmp(event->name, "tlb:tlb_flush") == 0;
}

void block_input(struct json_writer *j, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	char start[24];

	jw_object(j);
	jw_key_string(j, "path", r->path);
	block_text(j, "format", info->format);
	block_text(j, "arch", info->arch);
	block_text(j, "mmu", r->mmu);
	block_text(j, "kernel", info->kernel);
	jw_key_u64(j, "page_size", r->model.used.v[PARAM_PAGE_SIZE]);
	jw_key_u64(j, "cpus", info->cpus);
	if (r->trace.kept && r->trace.kept->inputs > 1)
		jw_key_u64(j, "inputs", r->trace.kept->inputs);
	if (r->trace.kept)
		block_text(j, "selection", r->trace.kept->selection);
	if (info->has_time && (!r->trace.kept || r->trace.kept->inputs == 1)) {
		(void)snprintf(start, sizeof(start), "%" PRIu64, r->trace.first_ns);
		jw_key_string(j, "start", start);
	}
	if (info->has_time)
		jw_key_u64(j, "duration_ns", r->trace.last_ns - r->trace.first_ns);
	jw_key(j, "events");
	jw_object(j);
	for (size_t i = 0; i < info->n_counts; i++)
		if (is_told(&info->counts[i]))
			jw_key_u64(j, info->counts[i].name, info->counts[i].count);
	jw_object_end(j);
	jw_object_end(j);
}

/* A number as a number, a name as a string. */
static void write_value(struct json_writer *j, const char *key, enum param id, uint64_t value)
{
	char text[64];

	if (!*param_values[id]) {
		jw_key_u64(j, key, value);
		return;
	}
	param_format(id, value, text, sizeof(text));
	jw_key_string(j, key, text);
}

static void write_fact(struct json_writer *j, const struct model *m, enum param id)
{
	const struct param_fact *fact = &m->fact[id];

	jw_key(j, param_keys[id]);
	jw_object_inline(j);
	if (fact->lo == fact->hi) {
		write_value(j, "value", id, fact->lo);
	} else {
		write_value(j, "lo", id, fact->lo);
		if (fact->hi != UINT64_MAX)
			write_value(j, "hi", id, fact->hi);
		write_value(j, "used", id, m->used.v[id]);
	}
	jw_key_string(j, "evidence", evidence_names[fact->evidence]);
	jw_key_string(j, "why", fact->why);
	jw_object_end(j);
}

void block_model(struct json_writer *j, const struct model *m, bool x86)
{
	jw_object(j);
	for (size_t i = 0; i < PARAMS; i++)
		if (param_applies((enum param)i, x86))
			write_fact(j, m, (enum param)i);
	jw_object_end(j);
}

static void block_fidelity(struct json_writer *j, const struct fidelity *f, bool x86)
{
	jw_object(j);
	jw_key_u64(j, "flushes", f->flushes);
	jw_key_u64(j, "exact", f->exact);
	jw_key(j, "share");
	jw_share(j, f->exact, f->flushes);
	if (f->unmodelled)
		jw_key_u64(j, "unmodelled", f->unmodelled);
	jw_key(j, "counters");
	jw_object(j);
	for (const enum counter *c = whatif_recorded_counters(x86); *c != COUNTERS; c++) {
		jw_key(j, counter_keys[*c]);
		jw_object_inline(j);
		jw_key_u64(j, "recorded", f->recorded.n[*c]);
		jw_key_u64(j, "replayed", f->replayed.n[*c]);
		jw_object_end(j);
	}
	jw_object_end(j);
	jw_object_end(j);
}

void block_base(struct json_writer *j, const struct whatif_result *r)
{
	const struct counts *derived = &r->derived;

	if (r->trace.asked) {
		jw_key_bool(j, "computed", true);
		jw_key(j, "derived");
		block_counts(j, derived, policy_kind_of_machine(r->x86)->counters);
		return;
	}
	jw_key(j, "recorded");
	block_tally(j, &r->recorded, whatif_recorded_counters(r->x86));
	jw_key(j, "derived");
	block_counts(j, derived, whatif_derived_counters(r->x86));
	jw_key(j, "fidelity");
	block_fidelity(j, &r->fidelity, r->x86);
}

void block_boundaries(struct json_writer *j, const struct whatif_result *r)
{
	const uint64_t *ends = class_ends(r->trace.classes);

	jw_object(j);
	jw_key_u64(j, "told", ends[RUN_END_REQUEST]);
	jw_key_u64(j, "fixup", ends[RUN_END_FIXUP]);
	jw_key_u64(j, "syscall", ends[RUN_END_SYSCALL]);
	jw_key_u64(j, "switch", ends[RUN_END_SWITCH]);
	jw_key_u64(j, "pmd", r->pmd_cuts);
	jw_key_u64(j, "gap", trace_probable_gaps(&r->trace));
	jw_key_u64(j, "none", ends[RUN_END_NONE]);
	jw_key_u64(j, "record", ends[RUN_END_RECORD]);
	jw_key_u64(j, "task", ends[RUN_END_TASK]);
	jw_object_end(j);
}

void block_scope(struct json_writer *j, const struct whatif_result *r)
{
	const struct follower *f = watch_follower(r->watch);
	const struct mask_scope *s;

	if (!f || follower_sums(f)->multicast)
		return;
	s = &follower_sums(f)->scope[stateful_kind(&r->model.used)];
	jw_key(j, "scope");
	jw_object(j);
	jw_key_u64(j, "flushes", s->flushes);
	jw_key_u64(j, "agree", s->agree);
	jw_key_u64(j, "same_as_last", s->same);
	jw_key_u64(j, "changes", s->changes);
	jw_key_u64(j, "changes_predicted", s->changes_predicted);
	jw_key_u64(j, "changes_false", s->changes_false);
	jw_key_u64(j, "clock_trims", s->clock_trims);
	jw_object_end(j);
}

static void write_note(void *arg, enum note_kind kind, const char *text)
{
	(void)kind;
	jw_string(arg, text);
}

void block_quality(struct json_writer *j, const struct whatif *w, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;

	jw_object(j);
	jw_key_u64(j, "lost_events", info->lost_events);
	jw_key_bool(j, "truncated", info->truncated);
	if (r->trace.interrupted)
		jw_key_bool(j, "interrupted", true);
	jw_key_u64(j, "unknown_records", info->unknown_records);
	jw_key_u64(j, "ambiguous_flushes", r->fidelity.known[KNOWN_AMBIGUOUS]);
	jw_key_u64(j, "censored_flushes", r->fidelity.known[KNOWN_CENSORED]);
	jw_key(j, "notes");
	jw_array(j);
	whatif_notes(r, w, false, write_note, j);
	jw_array_end(j);
	jw_object_end(j);
}
