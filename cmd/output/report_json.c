/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.c - the tables of a report as JSON, schema tlbtrace-report/1: keys only grow. */
#include <inttypes.h>
#include <string.h>

#include "cmd/output/json.h"
#include "cmd/report.h"

static void write_input(struct json_writer *j, const struct whatif_result *b)
{
	const struct source_info *info = b->trace.info;
	char start[24];

	jw_object(j);
	jw_key_string(j, "path", b->path);
	jw_key_string(j, "format", info->format);
	if (*info->arch)
		jw_key_string(j, "arch", info->arch);
	if (b->mmu)
		jw_key_string(j, "mmu", b->mmu);
	if (*info->kernel)
		jw_key_string(j, "kernel", info->kernel);
	jw_key_u64(j, "cpus", info->cpus);
	if (b->trace.kept && b->trace.kept->inputs > 1)
		jw_key_u64(j, "inputs", b->trace.kept->inputs);
	if (b->trace.kept && *b->trace.kept->selection)
		jw_key_string(j, "selection", b->trace.kept->selection);
	if (info->has_time && (!b->trace.kept || b->trace.kept->inputs == 1)) {
		(void)snprintf(start, sizeof(start), "%" PRIu64, b->trace.first_ns);
		jw_key_string(j, "start", start);
	}
	if (info->has_time)
		jw_key_u64(j, "duration_ns", b->trace.last_ns - b->trace.first_ns);
	jw_object_end(j);
}

static void write_fidelity(struct json_writer *j, const struct fidelity *f)
{
	jw_object_inline(j);
	jw_key_u64(j, "flushes", f->flushes);
	jw_key_u64(j, "exact", f->exact);
	jw_key(j, "share");
	jw_share(j, f->exact, f->flushes);
	if (f->unmodelled)
		jw_key_u64(j, "unmodelled", f->unmodelled);
	jw_object_end(j);
}

static void write_quality(struct json_writer *j, const struct whatif_result *b)
{
	const struct source_info *info = b->trace.info;

	jw_object(j);
	jw_key_u64(j, "lost_events", info->lost_events);
	jw_key_bool(j, "truncated", info->truncated);
	if (b->trace.interrupted)
		jw_key_bool(j, "interrupted", true);
	jw_key_u64(j, "unknown_records", info->unknown_records);
	jw_key_u64(j, "ambiguous_flushes", b->fidelity.known[KNOWN_AMBIGUOUS]);
	jw_key_u64(j, "censored_flushes", b->fidelity.known[KNOWN_CENSORED]);
	jw_object_end(j);
}

/* "bounds", where numbers are likely and not certain; "hi" is absent where there is no limit. */
static void write_bounds(struct json_writer *j, const struct field_list *list, const struct sums *s)
{
	bool any = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct field *f = list->f[i];
		struct field_bounds b = field_bounds(f, s);

		if (f->kind != FIELD_NUMBER || b.least == b.most)
			continue;
		if (!any) {
			jw_key(j, "bounds");
			jw_object(j);
			any = true;
		}
		jw_key(j, f->key);
		jw_object_inline(j);
		jw_key_u64(j, "lo", b.least);
		if (b.most != NO_LIMIT)
			jw_key_u64(j, "hi", b.most);
		jw_object_end(j);
	}
	if (any)
		jw_object_end(j);
}

static void write_fields(struct json_writer *j, const struct field_list *list, const struct sums *s,
			 const struct sums *total)
{
	for (size_t i = 0; i < list->n; i++) {
		uint64_t n = field_value(list->f[i], s, total);

		jw_key(j, list->f[i]->key);
		if (list->f[i]->kind == FIELD_SHARE)
			jw_share(j, n, 10000);
		else
			jw_u64(j, n);
	}
	write_bounds(j, list, s);
}

/* What the row is about, in parts that need no parsing. */
static void write_key(struct json_writer *j, const struct report *r, enum report_by by,
		      const struct report_row *row)
{
	uint64_t period = profile_period_ns(r->profile);
	const struct profile_task *task;

	jw_key_string(j, report_by_keys[by], row->label);
	if (row->key == ANY)
		return;
	if (by == BY_MM && *r->mms[row->key].name)
		jw_key_string(j, "name", r->mms[row->key].name);
	if (by == BY_MM && r->mms[row->key].tgid >= 0)
		jw_key_u64(j, "tgid", (uint64_t)r->mms[row->key].tgid);
	if (by == BY_MM && r->mms[row->key].ended)
		jw_key_u64(j, "mms", r->mms[row->key].ended);
	task = by == BY_TASK ? profile_task(r->profile, row->key) : NULL;
	if (task && task->tid >= 0) {
		jw_key_string(j, "comm", task->comm);
		jw_key(j, "tid");
		jw_i64(j, task->tid);
	}
	if (by == BY_TIME) {
		jw_key_u64(j, "start_ns", row->key * period);
		jw_key_u64(j, "end_ns", (row->key + UINT64_C(1)) * period);
	}
}

static int write_table(struct json_writer *j, const struct report *r, const struct report_request *q)
{
	struct field_list list = q->fields.n ? q->fields : fields_all(r->base.x86);
	struct report_table t;

	if (report_asked(&t, r, q))
		return -1;
	jw_key_string(j, "by", report_by_keys[q->by]);
	jw_key(j, "total");
	jw_object(j);
	write_fields(j, &list, &t.total, &t.total);
	jw_object_end(j);
	jw_key(j, "rows");
	jw_array(j);
	for (size_t i = 0; i < t.n; i++) {
		jw_object(j);
		write_key(j, r, q->by, &t.rows[i]);
		write_fields(j, &list, &t.rows[i].s, &t.total);
		jw_object_end(j);
	}
	jw_array_end(j);
	report_table_free(&t);
	return 0;
}

static int write_report(struct json_writer *j, const struct report *r,
			const struct report_request *q)
{
	int status;

	jw_object(j);
	jw_key(j, "input");
	write_input(j, &r->base);
	if (r->base.trace.asked) {
		jw_key_bool(j, "computed", true);
	} else {
		jw_key(j, "fidelity");
		write_fidelity(j, &r->base.fidelity);
	}
	status = write_table(j, r, q);
	jw_key(j, "quality");
	write_quality(j, &r->base);
	jw_object_end(j);
	return status;
}

int report_json(struct sink *s, const struct report_request *q)
{
	struct json_writer j;
	int status = 0;

	jw_begin(&j, s->f);
	jw_object(&j);
	jw_key_string(&j, "schema", "tlbtrace-report/1");
	jw_key(&j, "results");
	jw_array(&j);
	for (size_t i = 0; i < q->n_reports && status == 0; i++)
		status = write_report(&j, &q->reports[i], q);
	jw_array_end(&j);
	jw_object_end(&j);
	jw_end(&j);
	return status;
}
