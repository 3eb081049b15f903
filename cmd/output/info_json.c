/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info_json.c - what a trace is as JSON, schema tlbtrace-info/1: keys only grow. */
#include "cmd/info.h"
#include "cmd/output/blocks.h"

static void write_recorder(struct json_writer *j, const struct source_info *info)
{
	jw_object(j);
	block_text(j, "tool", info->tool);
	block_text(j, "clock", info->clock);
	jw_key_bool(j, "big_endian", info->big_endian);
	jw_object_end(j);
}

static void write_has(struct json_writer *j, const struct info_facts *f)
{
	jw_object(j);
	for (size_t i = 0; i < f->n_has; i++)
		jw_key_u64(j, f->has[i].what, f->has[i].events);
	jw_object_end(j);
}

static void write_lacks(struct json_writer *j, const struct info_facts *f)
{
	jw_array(j);
	for (size_t i = 0; i < f->n_lacks; i++) {
		jw_object(j);
		jw_key_string(j, "what", f->lacks[i].what);
		jw_key_string(j, "cost", f->lacks[i].cost);
		block_text(j, "record", f->lacks[i].record);
		jw_object_end(j);
	}
	jw_array_end(j);
}

static void write_open(struct json_writer *j, const struct info_facts *f)
{
	jw_object(j);
	for (size_t i = 0; i < f->n_open; i++)
		jw_key_string(j, param_keys[f->open[i].id], f->open[i].tells);
	jw_object_end(j);
}

static void write_contradictions(struct json_writer *j, const struct info_facts *f)
{
	jw_array(j);
	for (size_t i = 0; i < f->n_contradictions; i++)
		jw_string(j, f->contradictions[i]);
	jw_array_end(j);
}

static void write_result(struct json_writer *j, const struct info_result *result)
{
	static const struct whatif no_policies;
	const struct whatif_result *r = &result->read;

	jw_object(j);
	jw_key(j, "input");
	block_input(j, r);
	jw_key(j, "recorder");
	write_recorder(j, r->trace.info);
	jw_key(j, "has");
	write_has(j, &result->facts);
	jw_key(j, "lacks");
	write_lacks(j, &result->facts);
	jw_key(j, "model");
	block_model(j, &r->model, r->x86);
	jw_key(j, "open");
	write_open(j, &result->facts);
	jw_key(j, "contradictions");
	write_contradictions(j, &result->facts);
	block_base(j, r);
	jw_key(j, "boundaries");
	block_boundaries(j, r);
	jw_key(j, "quality");
	block_quality(j, &no_policies, r);
	jw_object_end(j);
}

void info_json(struct sink *s, const struct info *info)
{
	struct json_writer j;

	jw_begin(&j, s->f);
	jw_object(&j);
	jw_key_string(&j, "schema", "tlbtrace-info/1");
	jw_key(&j, "results");
	jw_array(&j);
	for (size_t i = 0; i < info->n_results; i++)
		write_result(&j, &info->results[i]);
	jw_array_end(&j);
	jw_object_end(&j);
	jw_end(&j);
}
