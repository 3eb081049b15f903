/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify_json.c - a comparison as JSON, schema tlbtrace-verify/1: keys only grow. */
#include "cmd/output/json.h"
#include "cmd/verify.h"

static void write_per(struct json_writer *j, const struct verify *v)
{
	static const char *const units[] = { "none", "ns", "event", "call" };

	jw_key(j, "per");
	jw_object_inline(j);
	jw_key_string(j, "unit", units[v->per]);
	if (*v->event)
		jw_key_string(j, "event", v->event);
	jw_object_end(j);
}

static void write_recorded(struct json_writer *j, const struct verify *v,
			   const struct verify_side *side)
{
	struct counts c = verify_recorded(v, side);

	for (size_t i = 0; i < v->n_lines; i++) {
		enum counter id = v->lines[i].counter;

		if (!v->lines[i].derived) {
			jw_key_u64(j, counter_keys[id], c.likely.n[id]);
			continue;
		}
		jw_key(j, counter_keys[id]);
		jw_object_inline(j);
		jw_key_u64(j, "lo", c.lo.n[id]);
		jw_key_u64(j, "hi", c.hi.n[id]);
		jw_object_end(j);
	}
}

static void write_side(struct json_writer *j, const struct verify *v, const struct verify_side *side)
{
	jw_object_inline(j);
	jw_key_string(j, "path", side->result.path);
	jw_key_u64(j, "units", side->units);
	write_recorded(j, v, side);
	jw_object_end(j);
}

static void write_line(struct json_writer *j, const struct verify *v, const struct verify_line *line)
{
	const struct counts *p = &line->predicted;

	jw_key(j, counter_keys[line->counter]);
	jw_object_inline(j);
	jw_key_u64(j, "lo", p->lo.n[line->counter]);
	if (!p->open)
		jw_key_u64(j, "likely", p->likely.n[line->counter]);
	jw_key_u64(j, "hi", p->hi.n[line->counter]);
	if (!v->clock_untold)
		jw_key_u64(j, "clock", (uint64_t)(line->clock * (double)v->recorded.units + 0.5));
	jw_key_bool(j, "ok", line->because < BECAUSE_UNDECIDED);
	jw_key_string(j, "because", verify_because_keys[line->because]);
	jw_object_end(j);
}

static void write_clock(struct json_writer *j, const struct clock_stats *clock)
{
	jw_key(j, "clock");
	jw_object_inline(j);
	jw_key_u64(j, "cpus", clock->cpus);
	jw_key_u64(j, "calls_turned", clock->turned);
	jw_key_u64(j, "tlbiel_made", clock->made.n[COUNT_TLBIEL]);
	jw_key_u64(j, "tlbie_instead", clock->instead.n[COUNT_TLBIE]);
	jw_object_end(j);
}

void verify_json(struct sink *s, const struct verify *v)
{
	struct json_writer j;

	jw_begin(&j, s->f);
	jw_object(&j);
	jw_key_string(&j, "schema", "tlbtrace-verify/1");
	jw_key_string(&j, "policy", v->question.policies[0].text);
	write_per(&j, v);
	jw_key_u64(&j, "tolerance_millionths", (uint64_t)(v->tolerance * 1e6 + 0.5));
	jw_key(&j, "recorded");
	write_side(&j, v, &v->recorded);
	jw_key(&j, "actual");
	jw_array(&j);
	for (size_t i = 0; i < v->n_actual; i++)
		write_side(&j, v, &v->actual[i]);
	jw_array_end(&j);
	jw_key(&j, "predicted");
	jw_object(&j);
	for (size_t i = 0; i < v->n_lines; i++)
		write_line(&j, v, &v->lines[i]);
	jw_object_end(&j);
	if (!v->recorded.result.trace.kept)
		write_clock(&j, &v->clock);
	jw_key_bool(&j, "ok", verify_holds(v));
	jw_object_end(&j);
	jw_end(&j);
}
