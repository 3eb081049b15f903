/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_csv.c - rows as CSV (RFC 4180, \n line ends): the columns of the JSON lines. */
#include <inttypes.h>

#include "cmd/export.h"
#include "cmd/output/csv.h"

static void write_begin(FILE *f)
{
	(void)fputs("time_ns,cpu,tid,comm,tgid,mm,hw_pid,entry,cause,start,end,page_size,pages,"
		    "pages_min,pages_max,scope,known,ended_by,gaps,tlbie,tlbiel,invlpg,cr3_writes\n",
		    f);
}

/* A number and its comma; nothing but the comma where it is not known. */
static void write_number(FILE *f, bool known, uint64_t n)
{
	if (known)
		(void)fprintf(f, "%" PRIu64, n);
	(void)fputc(',', f);
}

static void write_address(FILE *f, bool known, uint64_t address)
{
	if (known)
		(void)fprintf(f, "0x%" PRIx64, address);
	(void)fputc(',', f);
}

static void write_who(FILE *f, const struct export_row *row)
{
	char mm[EXPORT_MM_LEN];

	export_mm_text(row->mm, mm);
	write_number(f, row->has_time, row->time_ns);
	(void)fprintf(f, "%" PRIu32 ",%" PRId32 ",", row->cpu, row->tid);
	csv_quoted(f, row->comm);
	(void)fputc(',', f);
	write_number(f, row->tgid >= 0, (uint64_t)row->tgid);
	csv_quoted(f, mm);
	(void)fputc(',', f);
	write_number(f, row->has_hw_pid, row->hw_pid);
	(void)fprintf(f, "%s,%s,", flush_entry_keys[row->entry], flush_cause_keys[row->cause]);
}

static void write_pages(FILE *f, const struct export_row *row)
{
	bool censored = !row->has_range && row->known == KNOWN_CENSORED;

	write_address(f, row->has_range && !row->x86, row->start);
	write_address(f, row->has_range && !row->x86, row->end);
	write_number(f, row->has_range, row->page_bytes);
	write_number(f, row->has_range, row->pages);
	write_number(f, censored, row->pages_min);
	write_number(f, censored && row->pages_max != PAGES_UNKNOWN, row->pages_max);
}

static void write_row(void *to, const struct export_row *row)
{
	FILE *f = to;
	const uint64_t *n = row->recorded.n;

	write_who(f, row);
	write_pages(f, row);
	(void)fprintf(f, "%s,%s,%s,%" PRIu64, flush_scope_keys[row->scope],
		      flush_known_keys[row->known], row_end_keys[row->ended_by], row->gaps);
	if (row->asked)
		(void)fputs(",,,,\n", f);
	else
		(void)fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			      n[COUNT_TLBIE], n[COUNT_TLBIEL], n[COUNT_INVLPG], n[COUNT_CR3_WRITES]);
}

const struct export_format export_csv = { .begin = write_begin, .row = write_row };
