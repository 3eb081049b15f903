/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_json.c - two recordings side by side as JSON, schema tlbtrace-diff/1: keys only grow. */
#include "cmd/diff.h"
#include "cmd/output/json.h"

/* What a likely number is between; without "_hi" there is no limit. */
static void write_bounds(struct json_writer *j, const char *lo, const char *hi,
			 const struct field *f, const struct sums *s)
{
	struct field_bounds b = field_bounds(f, s);

	if (b.least == b.most)
		return;
	jw_key_u64(j, lo, b.least);
	if (b.most != NO_LIMIT)
		jw_key_u64(j, hi, b.most);
}

static void write_counters(struct json_writer *j, const struct diff *d, const struct sums *a,
			   const struct sums *b)
{
	jw_object(j);
	for (size_t i = 0; i < d->fields.n; i++) {
		const struct field *f = d->fields.f[i];

		if (f->kind != FIELD_NUMBER)
			continue;
		jw_key(j, f->key);
		jw_object_inline(j);
		jw_key_u64(j, "a", field_value(f, a, a));
		jw_key_u64(j, "b", field_value(f, b, b));
		jw_key(j, "change");
		jw_i64(j, diff_change(f, a, b));
		write_bounds(j, "a_lo", "a_hi", f, a);
		write_bounds(j, "b_lo", "b_hi", f, b);
		jw_object_end(j);
	}
	jw_object_end(j);
}

static void write_table(struct json_writer *j, const struct diff *d, const struct diff_table *t)
{
	jw_object(j);
	jw_key_string(j, "by", report_by_keys[t->by]);
	jw_key(j, "rows");
	jw_array(j);
	for (size_t i = 0; i < t->n; i++) {
		jw_object(j);
		jw_key_string(j, report_by_keys[t->by], t->rows[i].label);
		jw_key(j, "counters");
		write_counters(j, d, &t->rows[i].a, &t->rows[i].b);
		jw_object_end(j);
	}
	jw_array_end(j);
	jw_object_end(j);
}

void diff_json(struct sink *s, const struct diff *d)
{
	struct json_writer j;

	jw_begin(&j, s->f);
	jw_object(&j);
	jw_key_string(&j, "schema", "tlbtrace-diff/1");
	jw_key_string(&j, "a", d->paths[0]);
	jw_key_string(&j, "b", d->paths[1]);
	jw_key(&j, "total");
	write_counters(&j, d, &d->total[0], &d->total[1]);
	jw_key(&j, "tables");
	jw_array(&j);
	for (size_t i = 0; i < d->n_tables; i++)
		write_table(&j, d, &d->tables[i]);
	jw_array_end(&j);
	jw_object_end(&j);
	jw_end(&j);
}
