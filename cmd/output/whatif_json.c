/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_json.c - the answer as JSON, schema tlbtrace-whatif/1: keys only grow. */
#include <inttypes.h>
#include <string.h>

#include "cmd/output/json.h"
#include "cmd/whatif.h"

static void write_tally(struct json *j, const struct tally *t, const enum counter *which)
{
	json_object(j);
	for (; *which != COUNTERS; which++)
		json_key_u64(j, counter_keys[*which], t->n[*which]);
	json_object_end(j);
}

static void write_counts(struct json *j, const struct counts *c, const enum counter *which)
{
	json_object(j);
	for (; *which != COUNTERS; which++) {
		json_key(j, counter_keys[*which]);
		json_object_inline(j);
		json_key_u64(j, "lo", c->lo.n[*which]);
		/* Where no reading is to be preferred, the bounds are all there is to say. */
		if (!c->open || c->lo.n[*which] == c->hi.n[*which])
			json_key_u64(j, "likely", c->likely.n[*which]);
		json_key_u64(j, "hi", c->hi.n[*which]);
		json_object_end(j);
	}
	json_object_end(j);
}

static void write_text(struct json *j, const char *key, const char *text)
{
	if (text && *text)
		json_key_string(j, key, text);
}

static void write_input(struct json *j, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	char start[24];

	json_object(j);
	json_key_string(j, "path", r->path);
	write_text(j, "format", info->format);
	write_text(j, "arch", info->arch);
	write_text(j, "mmu", r->mmu);
	write_text(j, "kernel", info->kernel);
	json_key_u64(j, "page_size", r->model.used.v[PARAM_PAGE_SIZE]);
	json_key_u64(j, "cpus", info->cpus);
	if (info->has_time) {
		(void)snprintf(start, sizeof(start), "%" PRIu64, r->trace.first_ns);
		json_key_string(j, "start", start);
		json_key_u64(j, "duration_ns", r->trace.last_ns - r->trace.first_ns);
	}
	json_key(j, "events");
	json_object(j);
	for (size_t i = 0; i < info->n_counts; i++)
		if (info->counts[i].count || strncmp(info->counts[i].name, "ftrace:", 7) != 0)
			json_key_u64(j, info->counts[i].name, info->counts[i].count);
	json_object_end(j);
	json_object_end(j);
}

/* A number as a number, a name as a string. */
static void write_value(struct json *j, const char *key, enum param id, uint64_t value)
{
	char text[64];

	if (!*param_values[id]) {
		json_key_u64(j, key, value);
		return;
	}
	param_format(id, value, text, sizeof(text));
	json_key_string(j, key, text);
}

static void write_fact(struct json *j, const struct model *m, enum param id)
{
	const struct param_fact *fact = &m->fact[id];

	json_key(j, param_keys[id]);
	json_object_inline(j);
	if (fact->lo == fact->hi) {
		write_value(j, "value", id, fact->lo);
	} else {
		write_value(j, "lo", id, fact->lo);
		if (fact->hi != UINT64_MAX)
			write_value(j, "hi", id, fact->hi);
		write_value(j, "used", id, m->used.v[id]);
	}
	json_key_string(j, "evidence", evidence_names[fact->evidence]);
	json_key_string(j, "why", fact->why);
	json_object_end(j);
}

static void write_model(struct json *j, const struct model *m)
{
	json_object(j);
	for (size_t i = 0; i < PARAMS; i++)
		write_fact(j, m, (enum param)i);
	json_object_end(j);
}

static void write_fidelity(struct json *j, const struct fidelity *f)
{
	json_object(j);
	json_key_u64(j, "flushes", f->flushes);
	json_key_u64(j, "exact", f->exact);
	json_key(j, "share");
	json_share(j, f->exact, f->flushes);
	json_key(j, "counters");
	json_object(j);
	for (const enum counter *c = whatif_recorded_counters; *c != COUNTERS; c++) {
		json_key(j, counter_keys[*c]);
		json_object_inline(j);
		json_key_u64(j, "recorded", f->recorded.n[*c]);
		json_key_u64(j, "replayed", f->replayed.n[*c]);
		json_object_end(j);
	}
	json_object_end(j);
	json_object_end(j);
}

static void write_boundaries(struct json *j, const struct whatif_result *r)
{
	const uint64_t *ends = class_ends(r->trace.classes);

	json_object(j);
	json_key_u64(j, "told", ends[RUN_END_REQUEST]);
	json_key_u64(j, "fixup", ends[RUN_END_FIXUP]);
	json_key_u64(j, "syscall", ends[RUN_END_SYSCALL]);
	json_key_u64(j, "switch", ends[RUN_END_SWITCH]);
	json_key_u64(j, "pmd", r->pmd_cuts);
	json_key_u64(j, "gap", ends[RUN_END_LOST]);
	json_key_u64(j, "none", ends[RUN_END_NONE]);
	json_key_u64(j, "record", ends[RUN_END_RECORD]);
	json_key_u64(j, "task", ends[RUN_END_TASK]);
	json_object_end(j);
}

static void write_mm(struct json *j, const struct whatif_mm *mm, const enum counter *which)
{
	json_object(j);
	if (mm->folded) {
		json_key_string(j, "name", "other");
		json_key_u64(j, "mms", mm->folded);
	} else {
		write_text(j, "name", mm->name);
	}
	if (mm->tgid >= 0)
		json_key_u64(j, "tgid", (uint64_t)mm->tgid);
	json_key(j, "counters");
	write_counts(j, &mm->counts, which);
	json_object_end(j);
}

static void write_answer(struct json *j, const struct whatif_answer *a)
{
	json_object(j);
	json_key_string(j, "policy", a->policy->text);
	json_key(j, "counters");
	write_counts(j, &a->total, a->policy->kind->counters);
	json_key(j, "mms");
	json_array(j);
	for (size_t i = 0; i < a->n_mms; i++)
		write_mm(j, &a->mms[i], a->policy->kind->counters);
	json_array_end(j);
	json_object_end(j);
}

static void write_note(void *arg, enum note_kind kind, const char *text)
{
	(void)kind;
	json_string(arg, text);
}

static void write_quality(struct json *j, const struct whatif *w, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;

	json_object(j);
	json_key_u64(j, "lost_events", info->lost_events);
	json_key_bool(j, "truncated", info->truncated);
	json_key_u64(j, "unknown_records", info->unknown_records);
	json_key_u64(j, "ambiguous_flushes", r->fidelity.known[KNOWN_AMBIGUOUS]);
	json_key_u64(j, "censored_flushes", r->fidelity.known[KNOWN_CENSORED]);
	json_key(j, "notes");
	json_array(j);
	whatif_notes(r, w, false, write_note, j);
	json_array_end(j);
	json_object_end(j);
}

static void write_result(struct json *j, const struct whatif *w, const struct whatif_result *r)
{
	json_object(j);
	json_key(j, "input");
	write_input(j, r);
	json_key(j, "model");
	write_model(j, &r->model);
	json_key(j, "recorded");
	write_tally(j, &r->recorded, whatif_recorded_counters);
	json_key(j, "derived");
	write_counts(j, &r->derived, whatif_derived_counters);
	json_key(j, "fidelity");
	write_fidelity(j, &r->fidelity);
	json_key(j, "boundaries");
	write_boundaries(j, r);
	json_key(j, "policies");
	json_array(j);
	for (size_t i = 0; i < w->n_policies; i++)
		write_answer(j, &r->answers[i]);
	json_array_end(j);
	json_key(j, "quality");
	write_quality(j, w, r);
	json_object_end(j);
}

static void write_total(struct json *j, const struct whatif *w)
{
	json_object(j);
	json_key(j, "recorded");
	write_tally(j, &w->recorded, whatif_recorded_counters);
	json_key(j, "policies");
	json_array(j);
	for (size_t i = 0; i < w->n_policies; i++) {
		json_object(j);
		json_key_string(j, "policy", w->policies[i].text);
		json_key(j, "counters");
		write_counts(j, &w->totals[i], w->policies[i].kind->counters);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void whatif_json(struct sink *s, const struct whatif *w)
{
	struct json j;

	json_begin(&j, s->f);
	json_object(&j);
	json_key_string(&j, "schema", "tlbtrace-whatif/1");
	json_key(&j, "results");
	json_array(&j);
	for (size_t i = 0; i < w->n_results; i++)
		write_result(&j, w, &w->results[i]);
	json_array_end(&j);
	json_key(&j, "total");
	write_total(&j, w);
	json_object_end(&j);
	json_end(&j);
}
