/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_jsonl.c - one JSON object a line: keys only grow. */

#include "cmd/export.h"
#include "cmd/output/json.h"

static void write_who(struct json_writer *j, const struct export_row *row)
{
	char mm[EXPORT_MM_LEN];

	export_mm_text(row->mm, mm);
	if (row->has_time)
		jw_key_u64(j, "time_ns", row->time_ns);
	jw_key_u64(j, "cpu", row->cpu);
	jw_key(j, "tid");
	jw_i64(j, row->tid);
	if (*row->comm)
		jw_key_string(j, "comm", row->comm);
	if (row->tgid >= 0)
		jw_key_u64(j, "tgid", (uint64_t)row->tgid);
	if (*mm)
		jw_key_string(j, "mm", mm);
	if (row->has_hw_pid)
		jw_key_u64(j, "hw_pid", row->hw_pid);
	jw_key_string(j, "entry", flush_entry_keys[row->entry]);
	jw_key_string(j, "cause", flush_cause_keys[row->cause]);
}

static void write_pages(struct json_writer *j, const struct export_row *row)
{
	if (row->has_range) {
		if (!row->x86) {
			jw_key_address(j, "start", row->start);
			jw_key_address(j, "end", row->end);
		}
		jw_key_u64(j, "page_size", row->page_bytes);
		jw_key_u64(j, "pages", row->pages);
	} else if (row->known == KNOWN_CENSORED) {
		jw_key_u64(j, "pages_min", row->pages_min);
		if (row->pages_max != PAGES_UNKNOWN)
			jw_key_u64(j, "pages_max", row->pages_max);
	}
}

static void write_recorded(struct json_writer *j, const struct export_row *row)
{
	if (row->asked)
		return;
	jw_key(j, "recorded");
	jw_object_inline(j);
	if (row->x86) {
		jw_key_u64(j, "invlpg", row->recorded.n[COUNT_INVLPG]);
		jw_key_u64(j, "cr3_writes", row->recorded.n[COUNT_CR3_WRITES]);
	} else {
		jw_key_u64(j, "tlbie", row->recorded.n[COUNT_TLBIE]);
		jw_key_u64(j, "tlbiel", row->recorded.n[COUNT_TLBIEL]);
		if (row->recorded.n[COUNT_HCALLS])
			jw_key_u64(j, "hcalls", row->recorded.n[COUNT_HCALLS]);
	}
	jw_object_end(j);
}

static void write_row(void *to, const struct export_row *row)
{
	FILE *f = to;
	struct json_writer j;

	jw_begin(&j, f);
	jw_object_inline(&j);
	write_who(&j, row);
	write_pages(&j, row);
	jw_key_string(&j, "scope", flush_scope_keys[row->scope]);
	jw_key_string(&j, "known", flush_known_keys[row->known]);
	jw_key_string(&j, "ended_by", row_end_keys[row->ended_by]);
	if (row->gaps)
		jw_key_u64(&j, "gaps", row->gaps);
	write_recorded(&j, row);
	jw_object_end(&j);
	jw_end(&j);
}

const struct export_format export_jsonl = { .row = write_row };
