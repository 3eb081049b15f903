/* SPDX-License-Identifier: GPL-2.0-or-later */
/* man_formats.c - tlbtrace-formats(5): the files that are read and written. */
#include "analyze/flush.h"
#include "analyze/row.h"
#include "docs/gen/gen.h"
#include "docs/gen/roff.h"

struct term {
	const char *name;
	const char *text;
};

static const struct term inputs[] = {
	{ "trace.dat",
	  "of trace-cmd, versions 6 and 7, compressed or not, and of tlbtrace record. Buffer "
	  "instances are merged; buffers whose clocks differ are refused." },
	{ "perf.data",
	  "of perf record, with or without -z, from a pipe (-i -), and the directory that "
	  "--threads makes." },
	{ "a directory", "CTF 1.8: of perf data convert --to-ctf, of LTTng, and of tlbtrace export "
			 "--format=ctf." },
	{ "a summary", "X.tlbsum, the classes of traces in a few KB, as tlbtrace summarize and merge "
		       "write them: tlbsum(5)." },
	{ NULL, NULL },
};

static const struct term events[] = {
	{ "powerpc:tlbie",
	  "every tlbie and tlbiel of a POWER: what all of its predictions stand on." },
	{ "tlb:tlb_flush", "the same for x86: pages, or everything, by CPU." },
	{ "sched:sched_switch, task:task_newtask, task:task_rename, sched:sched_process_exec, _exit",
	  "who ran where: names, CPU masks, lazy TLB, the boundaries of flushes." },
	{ "cpuhp:cpuhp_enter", "with the target 0: CPUs that went offline, and so left all masks." },
	{ "powerpc:hcall_entry",
	  "in a guest without GTSE: opcode 0x448, H_RPT_INVALIDATE, is a flush by the hypervisor." },
	{ "sys_enter_* and sys_exit_* of munmap, mprotect, madvise, mremap, brk, shmdt (ipc)",
	  "why something was flushed, and where requests end." },
	{ "probes on the kernel's flush functions", "what was asked for, beside what was done." },
	{ NULL, NULL },
};

/* Of CSV; more of them in write_words(). */
static const struct term columns[] = {
	{ "time_ns", "of the first record, in ns since the trace began; absent without a clock." },
	{ "cpu, tid, comm, tgid", "who issued it, where." },
	{ "mm", "NAME/TGID of the address space, as far as known." },
	{ "hw_pid", "the hardware PID (POWER)." },
	{ "start, end", "addresses; on x86 no trace has them." },
	{ "page_size, pages", "what was asked for, where it is known." },
	{ "pages_min, pages_max",
	  "the bounds, where it is not: known is censored. No pages_max: no bound." },
	{ "scope", "local, global (by broadcast) or multicast (by IPI)." },
	{ "known",
	  "told by a probe, seen between marks, ambiguous where a rule cut it, censored where it "
	  "was promoted." },
	{ "gaps", "pauses inside it that may be boundaries; it is not cut there." },
	{ "tlbie, tlbiel, invlpg, cr3_writes",
	  "instructions recorded; in JSON below recorded, with the hcalls of a guest that flushes by "
	  "them. Every recorded instruction is in exactly one row. Where only requests were recorded "
	  "they are not known (in CTF -1)." },
	{ NULL, NULL },
};

static const struct term tables[] = {
	{ "flushes",
	  "a row each: the columns above, duration_ns (from the first record to the last) and mm, "
	  "an id of mms. Addresses are 64-bit integers: the kernel's are negative." },
	{ "mms", "id, name, tgid, hw_pid." },
	{ "tasks", "tid, tgid, comm of who flushed; first_ns, last_ns, flushes, instructions." },
	{ "classes",
	  "flushes that no policy without a memory tells apart: count of them, the instructions "
	  "of one; open: each may be several requests." },
	{ "model", "key, used, lo, hi, evidence, why: the recorded kernel's parameters." },
	{ "meta", "key, value: path, format, recorder, kernel, arch, mmu, clock, cpus, start_ns, "
		  "duration_ns, lost_events, lost_places, unknown_records, truncated, program." },
	{ "flushes_by_mm, flushes_by_cause, flushes_by_second", "views: sums." },
	{ "ceilings",
	  "view: of each scope, page_size and number of pages, how many flushes had it and how "
	  "many were longer." },
	{ NULL, NULL },
};

/* A column whose values are words of a table. */
static void write_words(FILE *f, const char *column, const char *text, const char *const *words,
			size_t n)
{
	char list[512];
	int used = snprintf(list, sizeof(list), "%s", text);

	for (size_t i = 0; i < n && used < (int)sizeof(list); i++)
		used += snprintf(list + used, sizeof(list) - (size_t)used, "%s%s", i ? ", " : " ",
				 words[i]);
	roff_term(f, column, list);
}

static void write_terms(FILE *f, const char *heading, const char *text, const struct term *term)
{
	roff_prose(f, heading, text);
	for (; term->name; term++)
		roff_term(f, term->name, term->text);
}

void man_formats(FILE *f, const char *date)
{
	roff_title(f, "tlbtrace-formats", 5, date);
	(void)fputs(".SH NAME\ntlbtrace\\-formats \\- files that tlbtrace reads and writes\n", f);
	write_terms(
		f, "traces",
		"What a file is is found from its content, never from its name. Both byte orders are "
		"read. Damage is named with its offset, and what can be read is.\n",
		inputs);
	write_terms(f, "events",
		    "Of all events these are used; tlbtrace info says which a trace has.\n", events);
	write_terms(
		f, "rows",
		"tlbtrace export writes one request a row: as JSON, one object a line (jsonl), as CSV "
		"(RFC 4180 with \\n), or as below. What is not known is absent, empty or NULL.\n",
		columns);
	write_words(f, "entry", "which kernel function was asked:", flush_entry_keys, FLUSH_ENTRIES);
	write_words(f, "cause", "why:", flush_cause_keys, FLUSH_CAUSES);
	write_words(f, "ended_by", "what marks its end:", row_end_keys, ROW_ENDS);
	write_terms(f, "SQLite",
		    "export --format=sqlite makes a database; PRAGMA application_id is 0x746c6274, "
		    "user_version 1. Columns, tables and views only get more.\n",
		    tables);
	roff_prose(
		f, "Perfetto",
		"export --format=perfetto writes the Trace Event Format (JSON) for ui.perfetto.dev and "
		"chrome://tracing: a slice for each row on a track for each CPU, a second track for what "
		"its interrupt handlers flushed, and a counter of the CPU's instructions so far. ts and dur "
		"are microseconds with three decimals, from the trace's beginning; otherData.start_ns is "
		"where that is.\n");
	roff_prose(f, "CTF",
		   "export --format=ctf writes a directory with the rows as events (tlbtrace:flush), and "
		   "with all that tlbtrace needs to read it again, to the same numbers.\n");
	roff_prose(
		f, "JSON",
		"The JSON of each command has a schema, tlbtrace-COMMAND/1, which stands in docs/schema "
		"(JSON Schema, draft 7). Keys only grow under a number. Counters are intervals with lo, hi "
		"and, where a reading is to be preferred, likely.\n");
	roff_prose(
		f, "metadata",
		"tlbtrace record notes what the machine was: in the trace's markers, or in FILE.tlbmeta "
		"where perf recorded, which is to go with the file. It is lines \"tlbtrace: version=1 "
		"KEY=VALUE ...\", in which %XX stands for bytes that are not plain: kernel, arch, cpu, "
		"revision, mmu, guest, gtse, cpus, page-size, thp, ceiling, local-ceiling, tlbie, unread, "
		"requests, and tasks=TID:TGID:MM:NAME,... of those that ran when recording began.\n");
	(void)fputs(".SH \"SEE ALSO\"\n"
		    ".BR tlbtrace\\-export (1),\n"
		    ".BR tlbtrace\\-record (1),\n"
		    ".BR tlbsum (5),\n"
		    ".BR tlbtrace\\-policies (7),\n"
		    ".BR trace\\-cmd.dat (5)\n",
		    f);
}
