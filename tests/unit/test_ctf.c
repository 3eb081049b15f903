/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_ctf.c - one recording as perf.data and as CTF; and CTF that no fixture has: LTTng's names and
 * fields, both byte orders, events that the tracer dropped. Those traces are made here, after LTTng's
 * documentation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/source.h"
#include "ctfbuild.h"

#define LTTNG                                                                                         \
	"tracer_name = \"lttng-modules\"; tracer_major = 2; tracer_minor = 13; domain = \"kernel\"; " \
	"kernel_release = \"6.1.0-50-powerpc64le\";"

enum {
	SWITCH,
	FORK,
	EXIT,
	MUNMAP,
	STATEDUMP,
	OTHER
};

static void write_events(FILE *f)
{
	fputs("event { name = \"sched_switch\"; id = 0; stream_id = 0; fields := struct {\n"
	      "  ch prev_comm[16]; s32 prev_tid; s32 prev_prio; s64 prev_state;\n"
	      "  ch next_comm[16]; s32 next_tid; s32 next_prio; }; };\n"
	      "event { name = \"sched_process_fork\"; id = 1; stream_id = 0; fields := struct {\n"
	      "  ch parent_comm[16]; s32 parent_tid; s32 parent_pid;\n"
	      "  ch child_comm[16]; s32 child_tid; s32 child_pid; }; };\n"
	      "event { name = \"sched_process_exit\"; id = 2; stream_id = 0; fields := struct {\n"
	      "  ch comm[16]; s32 tid; s32 prio; }; };\n"
	      "event { name = \"syscall_entry_munmap\"; id = 3; stream_id = 0; fields := struct {\n"
	      "  u64 addr; u64 len; }; };\n"
	      "event { name = \"lttng_statedump_process_state\"; id = 4; stream_id = 0;\n"
	      "  fields := struct { s32 tid; s32 pid; ch name[16]; }; };\n"
	      "event { name = \"irq_softirq_raise\"; id = 5; stream_id = 0; fields := struct {\n"
	      "  u32 n; u32 vec[n]; }; };\n",
	      f);
}

static void write_metadata(const struct ctf_dir *dir, bool big_endian)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	ctf_metadata(f, big_endian, LTTNG);
	write_events(f);
	fclose(f);
	ctf_dir_write(dir, "kernel/metadata", text, len);
	free(text);
}

static void put_switch(struct ctf_stream *s, uint64_t time, int32_t prev, const char *prev_comm,
		       int32_t next, const char *next_comm)
{
	ctf_event(s, SWITCH, time);
	ctf_text(s, prev_comm, 16);
	ctf_put(s, (uint32_t)prev, 4);
	ctf_put(s, 120, 4);
	ctf_put(s, 1, 8);
	ctf_text(s, next_comm, 16);
	ctf_put(s, (uint32_t)next, 4);
	ctf_put(s, 120, 4);
}

static void put_fork(struct ctf_stream *s, uint64_t time, int32_t child, int32_t group)
{
	ctf_event(s, FORK, time);
	ctf_text(s, "make", 16);
	ctf_put(s, 40, 4);
	ctf_put(s, 40, 4);
	ctf_text(s, "make", 16);
	ctf_put(s, (uint32_t)child, 4);
	ctf_put(s, (uint32_t)group, 4);
}

/* A channel of CPU 1: two packets, between which the tracer dropped 5 events. */
static void write_stream(const struct ctf_dir *dir, bool big_endian)
{
	struct ctf_stream s = { .big_endian = big_endian };

	ctf_packet(&s, 1, 1000, 2000, 0);
	ctf_event(&s, STATEDUMP, 1000);
	ctf_put(&s, 77, 4);
	ctf_put(&s, 70, 4);
	ctf_text(&s, "shm", 16);
	put_switch(&s, 1100, 0, "swapper/1", 77, "shm");
	ctf_event(&s, MUNMAP, 1200);
	ctf_put(&s, 0x7fff00000000, 8);
	ctf_put(&s, 0x20000, 8);
	put_fork(&s, 1300, 78, 70);
	ctf_packet_end(&s);
	ctf_packet(&s, 1, 3000, 4000, 5);
	ctf_event(&s, OTHER, 3000);
	ctf_put(&s, 2, 4);
	ctf_put(&s, 8, 4);
	ctf_put(&s, 9, 4);
	ctf_event(&s, EXIT, 3100);
	ctf_text(&s, "shm", 16);
	ctf_put(&s, 77, 4);
	ctf_put(&s, 120, 4);
	ctf_packet_end(&s);
	ctf_dir_write(dir, "kernel/channel0_1", s.data, s.size);
}

static void expect(struct source *src, uint32_t cpu, enum event_kind kind, uint64_t time_ns,
		   struct event *ev)
{
	struct error err;

	assert_int_equal(source_next(src, cpu, ev, &err), 1);
	assert_int_equal(ev->kind, kind);
	assert_int_equal(ev->time_ns, time_ns);
	assert_int_equal(ev->cpu, cpu);
}

static void check_events(struct source *src)
{
	struct error err;
	struct event ev;

	assert_int_equal(source_next(src, 0, &ev, &err), 0);
	expect(src, 1, EVENT_SWITCH, 1100, &ev);
	assert_int_equal(ev.sw.prev_tid, 0);
	assert_int_equal(ev.sw.next_tid, 77);
	assert_int_equal(ev.sw.prev_state, 1);
	assert_string_equal(ev.sw.next_comm, "shm");
	expect(src, 1, EVENT_SYS_ENTER, 1200, &ev);
	assert_int_equal(ev.sys.nr, SYSCALL_MUNMAP);
	assert_int_equal(ev.sys.start, 0x7fff00000000);
	assert_int_equal(ev.sys.len, 0x20000);
	assert_int_equal(ev.tid, 77); /* LTTng says it only at switches */
	assert_int_equal(ev.tgid, 70);
	expect(src, 1, EVENT_FORK, 1300, &ev);
	assert_int_equal(ev.task.tid, 78);
	assert_string_equal(ev.task.comm, "make");
	expect(src, 1, EVENT_LOST, 1300, &ev);
	assert_int_equal(ev.lost, 5);
	expect(src, 1, EVENT_EXIT, 3100, &ev);
	assert_int_equal(ev.task.tid, 77);
	assert_int_equal(source_next(src, 1, &ev, &err), 0);
}

static void check_lttng(bool big_endian)
{
	const struct source_info *info;
	struct ctf_dir dir;
	struct source *src;
	struct error err;

	ctf_dir_make(&dir);
	write_metadata(&dir, big_endian);
	write_stream(&dir, big_endian);
	src = source_open(dir.path, &err);
	assert_non_null(src);
	check_events(src);
	info = source_info(src);
	assert_int_equal(info->cpus, 2);
	assert_int_equal(info->events, 6);
	assert_int_equal(info->lost_events, 5);
	assert_int_equal(info->unknown_records, 0);
	assert_false(info->truncated);
	assert_true(info->has_time);
	assert_false(info->has_irq_flags);
	assert_string_equal(info->kernel, "6.1.0-50-powerpc64le");
	assert_string_equal(info->tool, "lttng-modules 2.13");
	assert_string_equal(source_comm(src, 77), "shm");
	assert_int_equal(source_tgid(src, 77), 70);
	source_close(src);
	ctf_dir_remove(&dir);
}

static void lttng_little_endian(void **state)
{
	check_lttng(false);
}

static void lttng_big_endian(void **state)
{
	check_lttng(true);
}

/* The length of an array that no memory can hold: that stream ends there, and says so. */
static void endless_array(void **state)
{
	struct ctf_stream s = { .big_endian = false };
	struct ctf_dir dir;
	struct source *src;
	struct error err;
	struct event ev;

	ctf_dir_make(&dir);
	write_metadata(&dir, false);
	ctf_packet(&s, 0, 1000, 2000, 0);
	put_switch(&s, 1100, 0, "swapper/0", 77, "shm");
	ctf_packet_end(&s);
	ctf_packet(&s, 0, 3000, 4000, 0);
	ctf_event(&s, OTHER, 3000);
	ctf_put(&s, 0xfffffff0, 4);
	ctf_put(&s, 0, 8);
	ctf_packet_end(&s);
	ctf_dir_write(&dir, "kernel/channel0_0", s.data, s.size);
	src = source_open(dir.path, &err);
	if (src) {
		while (source_next(src, 0, &ev, &err) > 0)
			;
		assert_true(source_info(src)->truncated);
		assert_true(source_info(src)->truncated_text[0]);
		source_close(src);
	} else {
		assert_int_equal(err.class, ERROR_INPUT);
	}
	ctf_dir_remove(&dir);
}

static void no_metadata(void **state)
{
	struct ctf_dir dir;
	struct error err;

	ctf_dir_make(&dir);
	ctf_dir_write(&dir, "metadata.txt", "x", 1);
	assert_null(source_open(dir.path, &err));
	assert_int_equal(err.class, ERROR_INPUT);
	assert_non_null(strstr(err.text, "directory"));
	ctf_dir_write(&dir, "metadata", "nonsense", 8);
	assert_null(source_open(dir.path, &err));
	assert_int_equal(err.class, ERROR_INPUT);
	assert_non_null(strstr(err.text, dir.path));
	assert_null(strchr(err.text, '\n'));
	ctf_dir_remove(&dir);
}

/* ---- one recording in both containers ---- */

/* Kinds that only events of the kernel become: perf's own records are not in CTF. */
static bool in_both(const struct event *ev)
{
	return ev->kind == EVENT_TLBIE || ev->kind == EVENT_X86_FLUSH || ev->kind == EVENT_SWITCH ||
	       ev->kind == EVENT_NEWTASK || ev->kind == EVENT_SYS_ENTER ||
	       ev->kind == EVENT_IPI_RECV || ev->kind == EVENT_MIGRATE;
}

static bool next_in_both(struct source *src, uint32_t cpu, struct event *ev)
{
	struct error err;

	do {
		*ev = (struct event){ 0 };
		if (source_next(src, cpu, ev, &err) <= 0)
			return false;
	} while (!in_both(ev));
	ev->offset = 0;
	return true;
}

static void same_event(const struct event *a, const struct event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->tgid, b->tgid);
	assert_int_equal(a->flags, b->flags);
	if (a->kind == EVENT_TLBIE)
		assert_memory_equal(&a->tlbie, &b->tlbie, sizeof(a->tlbie));
	if (a->kind == EVENT_X86_FLUSH)
		assert_int_equal(a->x86.pages, b->x86.pages);
	if (a->kind == EVENT_SWITCH)
		assert_string_equal(a->sw.next_comm, b->sw.next_comm);
	if (a->kind == EVENT_SYS_ENTER)
		assert_int_equal(a->sys.start, b->sys.start);
}

/* The flags that the events have. */
static unsigned compare(const char *perf, const char *ctf)
{
	struct error err;
	struct source *a = source_open(perf, &err), *b = source_open(ctf, &err);
	unsigned events = 0, flags = 0;
	struct event x, y;

	assert_non_null(a);
	assert_non_null(b);
	for (uint32_t cpu = 0; cpu < source_info(b)->cpus; cpu++) {
		while (next_in_both(a, cpu, &x)) {
			assert_true(next_in_both(b, cpu, &y));
			same_event(&x, &y);
			events++;
			flags |= y.flags;
		}
		assert_false(next_in_both(b, cpu, &y));
	}
	assert_true(events > 500);
	assert_true(source_info(b)->has_irq_flags);
	source_close(a);
	source_close(b);
	return flags;
}

static void same_as_perf_data(void **state)
{
	static const char *const names[] = { "ctf_ranges_c33", "ctf_x86_fork" };
	char command[512], packed[64];
	unsigned flags = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ctf_dir dir;
		char perf[128];

		ctf_dir_make(&dir);
		snprintf(packed, sizeof(packed), "%s.ctf.tar.gz", names[i]);
		ctf_dir_unpack(&dir, packed);
		snprintf(perf, sizeof(perf), "%s/.perf.data", dir.path);
		snprintf(command, sizeof(command), "gunzip -c '%s/%s.perf.data.gz' >'%s'",
			 getenv("DATA"), names[i], perf);
		assert_int_equal(system(command), 0);
		flags |= compare(perf, dir.path);
		ctf_dir_remove(&dir);
	}
	assert_true(flags); /* interrupts were recorded */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lttng_little_endian), cmocka_unit_test(lttng_big_endian),
		cmocka_unit_test(endless_array),       cmocka_unit_test(no_metadata),
		cmocka_unit_test(same_as_perf_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
