/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_perfetto.c - rows as slices and counters, in the Trace Event Format. */
#include "cmd/export_perfetto.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/output/blocks.h"
#include "config.h"

/* The format has processes and threads: here one process, and a thread for each track. */
#define PROCESS 1

enum track {
	TRACK_TASKS,
	TRACK_INTERRUPTS,
};

/* 0 is the idle thread to viewers. */
static uint64_t thread_of(uint32_t cpu, enum track track)
{
	return 2 * (uint64_t)cpu + track + 1;
}

static void begin_event(struct json_writer *j, const char *phase, const char *name, uint64_t thread)
{
	jw_object_inline(j);
	jw_key_string(j, "ph", phase);
	jw_key_string(j, "name", name);
	jw_key_u64(j, "pid", PROCESS);
	jw_key_u64(j, "tid", thread);
}

static void begin_args(struct json_writer *j)
{
	jw_key(j, "args");
	jw_object(j);
}

static void end_event(struct json_writer *j)
{
	jw_object_end(j);
	jw_object_end(j);
}

static void name_process(struct json_writer *j)
{
	begin_event(j, "M", "process_name", 0);
	begin_args(j);
	jw_key_string(j, "name", "TLB flushes by CPU");
	end_event(j);
}

static void name_track(struct json_writer *j, uint32_t cpu, enum track track)
{
	char name[40];

	(void)snprintf(name, sizeof(name), "CPU %" PRIu32 "%s", cpu,
		       track == TRACK_INTERRUPTS ? " interrupts" : "");
	begin_event(j, "M", "thread_name", thread_of(cpu, track));
	begin_args(j);
	jw_key_string(j, "name", name);
	end_event(j);
	begin_event(j, "M", "thread_sort_index", thread_of(cpu, track));
	begin_args(j);
	jw_key_u64(j, "sort_index", thread_of(cpu, track));
	end_event(j);
}

static void write_about(struct json_writer *j, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	char start[24];

	(void)snprintf(start, sizeof(start), "%" PRIu64, r->trace.first_ns);
	jw_object(j);
	jw_key_string(j, "program", "tlbtrace " TLBTRACE_VERSION);
	jw_key_string(j, "path", r->path);
	block_text(j, "kernel", info->kernel);
	block_text(j, "arch", info->arch);
	block_text(j, "clock", info->clock);
	jw_key_string(j, "start_ns", start);
	jw_key_u64(j, "lost_events", info->lost_events);
	jw_key_bool(j, "truncated", info->truncated);
	jw_object_end(j);
}

int perfetto_begin(struct perfetto *p, FILE *f, const struct whatif_result *r, struct error *err)
{
	const struct source_info *info = r->trace.info;

	*p = (struct perfetto){ .n_cpus = info->cpus };
	if (!info->has_time)
		return error_set(err, ERROR_INPUT,
				 "%s: its clock (%s) does not tell the time, and a timeline needs "
				 "that: use another format",
				 info->path, *info->clock ? info->clock : "unknown");
	p->cpus = calloc(info->cpus + 1, sizeof(*p->cpus));
	if (!p->cpus)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	jw_begin(&p->json, f);
	jw_object(&p->json);
	jw_key_string(&p->json, "displayTimeUnit", "ns");
	jw_key(&p->json, "otherData");
	write_about(&p->json, r);
	jw_key(&p->json, "traceEvents");
	jw_array(&p->json);
	name_process(&p->json);
	return 0;
}

static void write_who(struct json_writer *j, const struct export_row *row)
{
	char mm[EXPORT_MM_LEN];

	export_mm_text(row->mm, mm);
	block_text(j, "mm", mm);
	block_text(j, "comm", row->comm);
	jw_key(j, "tid");
	jw_i64(j, row->tid);
	if (row->tgid >= 0)
		jw_key_u64(j, "tgid", (uint64_t)row->tgid);
	if (row->has_hw_pid)
		jw_key_u64(j, "hw_pid", row->hw_pid);
}

static void write_pages(struct json_writer *j, const struct export_row *row)
{
	if (row->has_range && !row->x86) {
		jw_key_address(j, "start", row->start);
		jw_key_address(j, "end", row->end);
	}
	if (row->has_range) {
		jw_key_u64(j, "page_size", row->page_bytes);
		jw_key_u64(j, "pages", row->pages);
	} else if (row->known == KNOWN_CENSORED) {
		jw_key_u64(j, "pages_min", row->pages_min);
		if (row->pages_max != PAGES_UNKNOWN)
			jw_key_u64(j, "pages_max", row->pages_max);
	}
}

static void write_instructions(struct json_writer *j, const struct tally *n, bool x86)
{
	static const enum counter power[] = { COUNT_TLBIE, COUNT_TLBIEL, COUNTERS };
	static const enum counter intel[] = { COUNT_INVLPG, COUNT_CR3_WRITES, COUNTERS };

	for (const enum counter *c = x86 ? intel : power; *c != COUNTERS; c++)
		jw_key_u64(j, counter_keys[*c], n->n[*c]);
}

/* "munmap: gather, 32 pages": what viewers show on the slice and colour it by. */
static void slice_name(const struct export_row *row, char *to, size_t size)
{
	int n = snprintf(to, size, "%s: %s", flush_cause_keys[row->cause],
			 flush_entry_keys[row->entry]);

	if (n < 0 || (size_t)n >= size)
		return;
	if (row->has_range)
		(void)snprintf(to + n, size - (size_t)n, ", %" PRIu64 " page%s", row->pages,
			       row->pages == 1 ? "" : "s");
	else if (row->known == KNOWN_CENSORED)
		(void)snprintf(to + n, size - (size_t)n, ", %" PRIu64 " pages or more",
			       row->pages_min);
}

static void write_slice(struct json_writer *j, const struct export_row *row, enum track track)
{
	char name[96];

	slice_name(row, name, sizeof(name));
	begin_event(j, "X", name, thread_of(row->cpu, track));
	jw_key_string(j, "cat", flush_scope_keys[row->scope]);
	jw_key(j, "ts");
	jw_us(j, row->time_ns);
	jw_key(j, "dur");
	jw_us(j, row->end_ns - row->time_ns);
	begin_args(j);
	write_who(j, row);
	jw_key_string(j, "entry", flush_entry_keys[row->entry]);
	jw_key_string(j, "cause", flush_cause_keys[row->cause]);
	write_pages(j, row);
	jw_key_string(j, "scope", flush_scope_keys[row->scope]);
	jw_key_string(j, "known", flush_known_keys[row->known]);
	jw_key_string(j, "ended_by", row_end_keys[row->ended_by]);
	if (!row->asked)
		write_instructions(j, &row->recorded, row->x86);
	end_event(j);
}

/* What the CPU has issued up to and with this row, which is added when it begins. */
static void write_counter(struct json_writer *j, struct perfetto_cpu *cpu,
			  const struct export_row *row)
{
	char name[24];

	tally_add(&cpu->issued, &row->recorded, 1);
	(void)snprintf(name, sizeof(name), "CPU %" PRIu32, row->cpu);
	begin_event(j, "C", name, 0);
	jw_key(j, "ts");
	jw_us(j, row->time_ns);
	begin_args(j);
	write_instructions(j, &cpu->issued, row->x86);
	end_event(j);
}

void perfetto_row(void *to, const struct export_row *row)
{
	struct perfetto *p = to;
	struct perfetto_cpu *cpu = &p->cpus[row->cpu < p->n_cpus ? row->cpu : p->n_cpus];
	enum track track = row->irq ? TRACK_INTERRUPTS : TRACK_TASKS;

	if (!cpu->named[track])
		name_track(&p->json, row->cpu, track);
	cpu->named[track] = true;
	write_slice(&p->json, row, track);
	if (!row->asked)
		write_counter(&p->json, cpu, row);
}

void perfetto_end(struct perfetto *p)
{
	jw_array_end(&p->json);
	jw_object_end(&p->json);
	jw_end(&p->json);
}

void perfetto_free(struct perfetto *p)
{
	free(p->cpus);
	p->cpus = NULL;
}
