/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_events.c - reads a trace to its end through source.h and prints what is in it.
 *
 * usage: dump_events [-e | -q] FILE…
 * -e prints every decoded event, -q nothing but errors. Exits with the class of the last error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/source.h"

static const char *const kinds[] = {
	[EVENT_TLBIE] = "tlbie",	 [EVENT_X86_FLUSH] = "x86_flush",
	[EVENT_SWITCH] = "switch",	 [EVENT_NEWTASK] = "newtask",
	[EVENT_FORK] = "fork",		 [EVENT_EXEC] = "exec",
	[EVENT_EXIT] = "exit",		 [EVENT_RENAME] = "rename",
	[EVENT_MIGRATE] = "migrate",	 [EVENT_SYS_ENTER] = "sys_enter",
	[EVENT_SYS_EXIT] = "sys_exit",	 [EVENT_REQUEST] = "request",
	[EVENT_IPI_SEND] = "ipi_send",	 [EVENT_IPI_RECV] = "ipi_recv",
	[EVENT_CSD_QUEUE] = "csd_queue", [EVENT_CSD_RUN] = "csd_run",
	[EVENT_MARKER] = "marker",	 [EVENT_LOST] = "lost",
	[EVENT_OFFLINE] = "offline",	 [EVENT_HCALL] = "hcall",
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Fowler-Noll-Vo. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		hash = (hash ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

static void print_request(const struct request_record *r)
{
	printf(" fn=%d has=%x mm=%" PRIx64 " %" PRIx64 "-%" PRIx64 " psize=%d pwc=%d bits=%x "
	       "page_size=%u pid=%u act=%d users=%d cpus=%" PRIx64 " fullmm=%d type=%u",
	       r->fn, r->has, r->mm, r->start, r->end, r->psize, r->pwc, r->bits, r->page_size,
	       r->hw_pid, r->active_cpus, r->users, r->cpus, r->fullmm, r->type);
}

static void print_payload(const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TLBIE:
		printf(" lpid=%u local=%d rb=%" PRIx64 " rs=%" PRIx64 " ric=%d prs=%d r=%d",
		       ev->tlbie.lpid, ev->tlbie.local, ev->tlbie.rb, ev->tlbie.rs, ev->tlbie.ric,
		       ev->tlbie.prs, ev->tlbie.r);
		break;
	case EVENT_X86_FLUSH:
		printf(" reason=%d pages=%" PRIx64, ev->x86.reason, (uint64_t)ev->x86.pages);
		break;
	case EVENT_SWITCH:
		printf(" %s:%d [%" PRId64 "] ==> %s:%d", ev->sw.prev_comm, ev->sw.prev_tid,
		       ev->sw.prev_state, ev->sw.next_comm, ev->sw.next_tid);
		break;
	case EVENT_SYS_ENTER:
	case EVENT_SYS_EXIT:
		printf(" nr=%d start=%" PRIx64 " len=%" PRIx64, ev->sys.nr, ev->sys.start,
		       ev->sys.len);
		break;
	case EVENT_REQUEST:
		print_request(&ev->request);
		break;
	case EVENT_IPI_SEND:
		printf(" cpus=%" PRIx64 " targets=%u", ev->ipi.cpus, ev->ipi.targets);
		break;
	case EVENT_CSD_QUEUE:
	case EVENT_CSD_RUN:
		printf(" csd=%" PRIx64 " func=%" PRIx64 " cpu=%u", ev->csd.csd, ev->csd.func,
		       ev->csd.cpu);
		break;
	case EVENT_MARKER:
		printf(" \"%.*s\"", ev->marker_len, ev->marker);
		break;
	case EVENT_LOST:
		printf(" %" PRIu64, ev->lost);
		break;
	case EVENT_OFFLINE:
		printf(" cpu=%u", ev->offline_cpu);
		break;
	case EVENT_IPI_RECV:
	case EVENT_HCALL:
		break;
	default:
		printf(" %s:%d old=%d flags=%" PRIx64 " dest=%u", ev->task.comm, ev->task.tid,
		       ev->task.old_tid, ev->task.flags, ev->task.dest_cpu);
	}
}

static void print_event(const struct event *ev)
{
	printf("%" PRIu64 " [%03u] %d %s", ev->time_ns, ev->cpu, ev->tid, kinds[ev->kind]);
	print_payload(ev);
	printf(" @%" PRIu64 "\n", ev->offset);
}

static int read_cpu(struct source *src, uint32_t cpu, char mode, struct error *err)
{
	uint64_t per_kind[KINDS] = { 0 }, hash = UINT64_C(0xcbf29ce484222325), n = 0;
	struct event ev;
	int got;

	while ((got = source_next(src, cpu, &ev, err)) > 0) {
		if (mode == 'e')
			print_event(&ev);
		hash = mix(mix(mix(hash, ev.time_ns), ev.kind), (uint64_t)(int64_t)ev.tid);
		per_kind[ev.kind]++;
		n++;
	}
	if (mode != 'q')
		printf("cpu %u: %" PRIu64 " events, hash %016" PRIx64, cpu, n, hash);
	for (size_t i = 0; i < KINDS && mode != 'q'; i++)
		if (per_kind[i])
			printf(" %s=%" PRIu64, kinds[i], per_kind[i]);
	if (mode != 'q')
		putchar('\n');
	return got;
}

static void print_info(const struct source_info *info)
{
	printf("format=%s kernel=%s arch=%s clock=%s tool=%s page_size=%u cpus=%u big=%d time=%d "
	       "irq=%d\n",
	       info->format, info->kernel, info->arch, info->clock, info->tool, info->page_size,
	       info->cpus, info->big_endian, info->has_time, info->has_irq_flags);
	printf("events=%" PRIu64 " lost=%" PRIu64 " lost_unknown=%" PRIu64 " unknown=%" PRIu64 "\n",
	       info->events, info->lost_events, info->lost_unknown, info->unknown_records);
	if (info->unknown_records)
		printf("first unknown record at %" PRIu64 "\n", info->unknown_offset);
	if (info->truncated)
		printf("truncated: %s\n", info->truncated_text);
	for (size_t i = 0; i < info->n_counts; i++)
		if (info->counts[i].count)
			printf("count %s %" PRIu64 "\n", info->counts[i].name,
			       info->counts[i].count);
}

static int dump(const char *path, char mode)
{
	struct error err = { 0 };
	struct source *src = source_open(path, &err);
	const struct source_info *info;

	if (!src) {
		printf("error %d: %s\n", err.class, err.text);
		return (int)err.class;
	}
	for (uint32_t cpu = 0; cpu < source_info(src)->cpus && !err.class; cpu++)
		read_cpu(src, cpu, mode, &err);
	info = source_info(src);
	if (mode != 'q')
		print_info(info);
	if (err.class)
		printf("error %d: %s\n", err.class, err.text);
	source_close(src);
	return (int)err.class;
}

int main(int argc, char **argv)
{
	char mode = ' ';
	int ret = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-e") || !strcmp(argv[i], "-q"))
			mode = argv[i][1];
		else
			ret = dump(argv[i], mode);
	}
	return ret;
}
