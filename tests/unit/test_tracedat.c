/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_tracedat.c - recorded trace.dat files give what trace-cmd report counted in them, and files
 * made in memory give the other byte orders, long sizes and compressions.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "tracebuild.h"

#define KINDS (EVENT_LOST + 1)

struct tally {
	uint64_t kinds[KINDS];
	uint64_t cpu_events[8];
	uint64_t lost;
};

/* Reads everything; times must not go back within a CPU. */
static struct tally read_all(struct source *src)
{
	struct tally tally = { 0 };
	struct error err = { 0 };
	struct event ev;

	for (uint32_t cpu = 0; cpu < source_info(src)->cpus; cpu++) {
		uint64_t last = 0;
		int got;

		while ((got = source_next(src, cpu, &ev, &err)) > 0) {
			assert_true(ev.time_ns >= last);
			assert_int_equal(ev.cpu, cpu);
			last = ev.time_ns;
			tally.kinds[ev.kind]++;
			tally.cpu_events[cpu % 8]++;
			if (ev.kind == EVENT_LOST)
				tally.lost += ev.lost;
		}
		assert_int_equal(got, 0);
	}
	return tally;
}

static uint64_t count_of(const struct source_info *info, const char *name)
{
	for (size_t i = 0; i < info->n_counts; i++)
		if (!strcmp(info->counts[i].name, name))
			return info->counts[i].count;
	return 0;
}

static struct source *open_fixture(const char *name)
{
	struct error err = { 0 };
	struct source *src = source_open(fixture(name), &err);

	if (!src)
		fail_msg("%s", err.text);
	return src;
}

/* Rows of MANIFEST.tsv. */
static void counts_are_trace_cmds(void **state)
{
	static const struct {
		const char *name, *format, *kernel, *arch, *clock;
		uint32_t page_size;
		uint64_t events, flushes, switches;
	} files[] = {
		{ "slim_shm_c34.dat", "trace.dat v7 zstd", "6.1.0-50-powerpc64le", "ppc64le",
		  "local", 65536, 1515, 1370, 142 },
		{ "slim_shm_c34_v7none.dat", "trace.dat v7", "6.1.0-50-powerpc64le", "ppc64le",
		  "local", 65536, 1469, 1370, 96 },
		{ "slim_shm_c34_v6.dat", "trace.dat v6", "6.1.0-50-powerpc64le", "ppc64le", "local",
		  65536, 1480, 1362, 115 },
		{ "slim_4k_ranges_c33.dat", "trace.dat v7 zstd", "6.12.107+deb13-powerpc64le",
		  "ppc64le", "local", 4096, 4503, 3630, 324 },
		{ "x86_v7_zstd.dat", "trace.dat v7 zstd", "6.1.0-57-amd64", "x86_64", "global",
		  4096, 1036, 353, 134 },
		{ "x86_inst.dat", "trace.dat v7 zstd", "6.1.0-57-amd64", "x86_64", "global", 4096,
		  561, 357, 204 },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct source *src = open_fixture(files[i].name);
		const struct source_info *info = source_info(src);

		read_all(src);
		source_info(src);
		assert_string_equal(info->format, files[i].format);
		assert_string_equal(info->kernel, files[i].kernel);
		assert_string_equal(info->arch, files[i].arch);
		assert_string_equal(info->clock, files[i].clock);
		assert_int_equal(info->page_size, files[i].page_size);
		assert_int_equal(info->cpus, 4);
		assert_true(info->has_time);
		assert_false(info->truncated);
		assert_int_equal(info->events, files[i].events);
		assert_int_equal(count_of(info, "powerpc:tlbie") + count_of(info, "tlb:tlb_flush"),
				 files[i].flushes);
		assert_int_equal(count_of(info, "sched:sched_switch"), files[i].switches);
		assert_int_equal(info->lost_events + info->lost_unknown + info->unknown_records, 0);
		source_close(src);
	}
}

/* trace-cmd report -t: "sh-218 [001] 41.829330565: print: …: hello-marker" */
static void markers_are_exact(void **state)
{
	struct source *src = open_fixture("x86_markers.dat");
	struct error err = { 0 };
	struct event ev;

	while (source_next(src, 1, &ev, &err) > 0 && ev.kind != EVENT_MARKER)
		;
	assert_int_equal(ev.kind, EVENT_MARKER);
	assert_int_equal(ev.time_ns, UINT64_C(41829330565));
	assert_int_equal(ev.tid, 218);
	assert_int_equal(ev.marker_len, 12);
	assert_memory_equal(ev.marker, "hello-marker", 12);
	source_close(src);
}

static void requests_are_found(void **state)
{
	struct source *src = open_fixture("x86_truth.dat");
	struct error err = { 0 };
	struct tally tally;
	struct event ev;

	while (source_next(src, 0, &ev, &err) > 0 && ev.kind != EVENT_REQUEST)
		;
	assert_int_equal(ev.time_ns, UINT64_C(28911015548));
	assert_int_equal(ev.request.fn, REQUEST_X86_RANGE);
	assert_int_equal(ev.request.mm, UINT64_C(0xff1dc831c2974c80));
	assert_int_equal(ev.request.end, UINT64_MAX);
	assert_int_equal(ev.request.page_size, 4096);
	assert_true(ev.request.pwc);
	tally = read_all(src);
	assert_int_equal(tally.kinds[EVENT_REQUEST] + 1, 318 + 318 + 310);
	source_close(src);
}

/* The flushes are in an instance, the switches in the top buffer: CPUs have both, by time. */
static void instances_are_merged(void **state)
{
	struct source *src = open_fixture("x86_inst.dat");
	struct error err = { 0 };
	unsigned changes = 0, last = KINDS;
	struct event ev;

	while (source_next(src, 0, &ev, &err) > 0) {
		changes += ev.kind != last;
		last = ev.kind;
	}
	assert_true(changes > 10);
	assert_int_equal(count_of(source_info(src), "tlb:tlb_flush"), 172);
	assert_int_equal(count_of(source_info(src), "sched:sched_switch"), 22);
	source_close(src);
}

static void different_clocks_are_refused(void **state)
{
	struct block file = read_fixture("x86_inst.dat");
	struct source *src;
	struct error err;

	/* the second buffer's BUFFER option: name, clock */
	for (size_t i = 0; i + 13 < file.size; i++)
		if (!memcmp(file.data + i, "tlbbuf\0global", 13))
			memcpy(file.data + i, "tlbbuf\0uptime", 13);
	src = open_block(&file, &err);
	assert_null(src);
	assert_int_equal(err.class, ERROR_INPUT);
	assert_non_null(strstr(err.text, "\"tlbbuf\" \"uptime\""));
	free(file.data);
}

static void some_clocks_are_no_time(void **state)
{
	struct source *src = open_fixture("x86_clk_counter.dat");
	const struct source_info *info = source_info(src);

	assert_string_equal(info->clock, "counter");
	assert_false(info->has_time);
	read_all(src); /* in order all the same */
	assert_int_equal(source_info(src)->events, 1397);
	source_close(src);
}

static void names_of_tasks_are_known(void **state)
{
	struct source *src = open_fixture("slim_shm_c34_v6.dat");

	assert_string_equal(source_comm(src, 0), "");
	assert_int_equal(source_tgid(src, 1), -1);
	source_close(src);
	src = open_fixture("x86_v7_zstd.dat");
	assert_string_equal(source_comm(src, 15), "rcu_preempt");
	source_close(src);
}

/* ---- lost events ---- */

/* Statistics that say more than the stream: they are what is lost. */
static void drops_are_in_the_statistics(void **state)
{
	struct block file = read_fixture("slim_shm_c34_v6.dat");
	struct source *src;
	struct error err;

	assert_true(replace_text(&file, "dropped events: 0", "dropped events: 7", 1));
	assert_true(replace_text(&file, "commit overrun: 0", "commit overrun: 4", 2));
	src = open_block(&file, &err);
	assert_non_null(src);
	assert_int_equal(read_all(src).kinds[EVENT_LOST], 0);
	assert_int_equal(source_info(src)->lost_events, 11);
	assert_int_equal(source_info(src)->lost_unknown, 0);
	assert_int_equal(source_info(src)->events, 1480);
	source_close(src);
	free(file.data);
}

/* A kernel that counted more events than the file has. */
static void missing_events_are_noticed(void **state)
{
	struct block file = read_fixture("slim_shm_c34_v6.dat");
	struct source *src;
	struct error err;

	assert_true(replace_text(&file, "entries: 1129", "entries: 1229", 0));
	src = open_block(&file, &err);
	assert_non_null(src);
	read_all(src);
	assert_int_equal(source_info(src)->lost_events, 100);
	assert_true(source_info(src)->truncated);
	assert_non_null(strstr(source_info(src)->truncated_text, "counted 1229 events, 1129"));
	source_close(src);
	free(file.data);
}

/* Two pages with two records each; flags and the number of missed events are the second's. */
static struct block two_pages(const struct block *like, uint32_t flags, uint64_t missed)
{
	struct block cpu = { .big_endian = like->big_endian, .long_size = like->long_size };
	uint8_t rec[128];

	for (unsigned i = 0; i < 2; i++) {
		size_t page = page_begin(&cpu, UINT64_C(1000) * (i + 1));

		page_data(&cpu, 1, rec, tlbie_record(like, rec, 7, UINT64_C(0x1000) * i));
		page_data(&cpu, 2, rec, tlbie_record(like, rec, 12, 0xfffff000));
		page_end(&cpu, page, PAGE_SIZE_BUILT, i ? flags : 0, missed);
	}
	return cpu;
}

/* Where the table of a version 6 file of this machine's byte order says so. */
static size_t table_entry(const struct block *file, uint64_t offset, uint64_t size)
{
	const uint64_t entry[] = { offset, size };
	const uint8_t *at = memmem(file->data, file->size, entry, sizeof(entry));

	assert_non_null(at);
	return (size_t)(at - file->data);
}

/* Two CPUs of four events each; the table says this of the first of them. */
static void expect_parted(uint64_t skip, uint64_t size, uint64_t events, const char *text)
{
	static const struct block like = { .long_size = 8,
					   .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	struct block cpu = two_pages(&like, 0, 0), cpus[] = { cpu, cpu };
	struct block file = build_v6(cpus, 2);
	uint64_t first = file.size - 2 * cpu.size;
	size_t entry = table_entry(&file, first, cpu.size);
	struct error err;
	struct source *src;

	patch_u64(&file, entry, first + skip);
	patch_u64(&file, entry + 8, size);
	src = open_block(&file, &err);
	assert_non_null(src);
	read_all(src);
	assert_int_equal(source_info(src)->events, events);
	assert_true(source_info(src)->truncated);
	assert_non_null(strstr(source_info(src)->truncated_text, text));
	source_close(src);
	free(file.data);
	free(cpu.data);
}

static void no_byte_is_read_twice(void **state)
{
	expect_parted(0, UINT64_C(4) * PAGE_SIZE_BUILT, 8, "CPU 0: its data");
	expect_parted(0, UINT64_MAX, 8, "reaches into CPU 1's at offset");
	expect_parted(UINT64_C(2) * PAGE_SIZE_BUILT, UINT64_C(2) * PAGE_SIZE_BUILT, 4,
		      "CPU 0: its data");
}

static void marks_become_events(void **state)
{
	static const struct block like = { .long_size = 8 };
	struct block cpu = two_pages(&like, COMMIT_MISSED | COMMIT_STORED, 7793);
	struct block file = build_v6(&cpu, 1);
	struct error err;
	struct source *src = open_block(&file, &err);
	struct event ev;

	assert_non_null(src);
	assert_int_equal(source_next(src, 0, &ev, &err), 1);
	assert_int_equal(source_next(src, 0, &ev, &err), 1);
	assert_int_equal(ev.kind, EVENT_TLBIE);
	assert_int_equal(source_next(src, 0, &ev, &err), 1);
	assert_int_equal(ev.kind, EVENT_LOST);
	assert_int_equal(ev.lost, 7793);
	assert_int_equal(ev.time_ns, 2000);
	assert_int_equal(source_next(src, 0, &ev, &err), 1);
	assert_int_equal(ev.kind, EVENT_TLBIE);
	assert_int_equal(source_info(src)->lost_events, 7793);
	assert_int_equal(source_info(src)->lost_unknown, 0);
	source_close(src);
	free(file.data);
	free(cpu.data);

	cpu = two_pages(&like, COMMIT_MISSED, 0);
	file = build_v6(&cpu, 1);
	src = open_block(&file, &err);
	assert_int_equal(read_all(src).kinds[EVENT_LOST], 1);
	assert_int_equal(source_info(src)->lost_events, 0);
	assert_int_equal(source_info(src)->lost_unknown, 1);
	source_close(src);
	free(file.data);
	free(cpu.data);
}

/* ---- files made in memory ---- */

static void check_two_pages(const struct block *file, bool big_endian, unsigned long_size)
{
	struct error err;
	struct source *src = open_block(file, &err);
	struct event ev;
	uint64_t offset;

	if (!src)
		fail_msg("%s", err.text);
	assert_int_equal(source_info(src)->big_endian, big_endian);
	assert_string_equal(source_info(src)->arch, "ppc64");
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		assert_int_equal(source_next(src, cpu, &ev, &err), 1);
		assert_int_equal(ev.time_ns, 1001);
		offset = ev.offset;
		assert_int_equal(ev.tid, 7);
		assert_int_equal(ev.flags, EVENT_HARDIRQ);
		assert_int_equal(ev.kind, EVENT_TLBIE);
		assert_int_equal(ev.tlbie.rb, 0);
		assert_int_equal(ev.tlbie.rs, UINT64_C(0x10) << (long_size * 4));
		assert_int_equal(ev.tlbie.local, 1);
		assert_int_equal(ev.tlbie.ric, 2);
		assert_int_equal(source_next(src, cpu, &ev, &err), 1);
		assert_int_equal(ev.tlbie.rb, 0xfffff000);
		assert_int_equal(source_next(src, cpu, &ev, &err), 1);
		assert_int_equal(ev.time_ns, 2001);
		assert_int_equal(ev.tlbie.rb, 0x1000);
		assert_int_equal(ev.offset, offset + PAGE_SIZE_BUILT);
		assert_int_equal(source_next(src, cpu, &ev, &err), 1);
		assert_int_equal(source_next(src, cpu, &ev, &err), 0);
	}
	assert_string_equal(source_comm(src, 12), "twelve");
	assert_int_equal(source_info(src)->events, 8);
	assert_false(source_info(src)->truncated);
	source_close(src);
}

static void all_machines_and_compressions(void **state)
{
	static const char *const compressions[] = { "none", "zstd", "zlib" };

	for (unsigned kind = 0; kind < 4; kind++) {
		struct block like = { .big_endian = kind & 1, .long_size = kind & 2 ? 4 : 8 };
		struct block cpus[2] = { two_pages(&like, 0, 0), two_pages(&like, 0, 0) };
		struct block file = build_v6(cpus, 2);

		check_two_pages(&file, like.big_endian, like.long_size);
		free(file.data);
		for (unsigned c = 0; c < 3; c++) {
			/* one chunk, and a chunk for each page */
			for (uint32_t pages = 1; pages < 3; pages++) {
				file = build_v7(cpus, 2, compressions[c], pages);
				check_two_pages(&file, like.big_endian, like.long_size);
				free(file.data);
			}
		}
		free(cpus[0].data);
		free(cpus[1].data);
	}
}

/* Cut behind its data, a compressed version 7 file has no table of CPUs, but all events. */
static void lost_tables_are_recovered(void **state)
{
	struct block file = read_fixture("slim_shm_c34.dat");
	struct source *src;
	struct error err;

	file.size = 263639;
	src = open_block(&file, &err);
	assert_non_null(src);
	read_all(src);
	assert_int_equal(source_info(src)->events, 1515);
	assert_int_equal(source_info(src)->lost_events, 0);
	assert_true(source_info(src)->truncated);
	assert_non_null(strstr(source_info(src)->truncated_text, "offset 263639"));
	source_close(src);
	/* and in the last CPU's data: the statistics tell how many are gone */
	file.size = 262150;
	src = open_block(&file, &err);
	assert_non_null(src);
	assert_int_equal(read_all(src).kinds[EVENT_LOST], 1);
	assert_int_equal(source_info(src)->events, 1515 - 283);
	assert_int_equal(source_info(src)->lost_events, 283);
	source_close(src);
	free(file.data);
}

/* ---- what is no trace ---- */

static void expect_error(const struct block *file, const char *text)
{
	struct error err;
	struct source *src = open_block(file, &err);

	assert_null(src);
	assert_int_equal(err.class, ERROR_INPUT);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, err.text);
}

static void other_files_are_named(void **state)
{
	struct block file = { .long_size = 8 };

	expect_error(&file, "is empty");
	put(&file, "1234 pages\n", 11);
	expect_error(&file, "is a text file");
	memcpy(file.data, "\x28\xb5\x2f\xfd\0\0\0\0", 8);
	expect_error(&file, "compressed as a whole");
	memcpy(file.data, "\0\1\2\3\4\5\6\7", 8);
	expect_error(&file, "neither a trace.dat nor");
	memcpy(file.data, "\x17\x08\x44trbcing", 10);
	expect_error(&file, "offset 3");
	memcpy(file.data, "\x17\x08\x44tracing", 10);
	expect_error(&file, "ends at offset 11");
	put_text(&file, "");
	file.data[10] = '9';
	expect_error(&file, "version \"9\" is not supported");
	free(file.data);
}

/* So many records without a stack, then two of one stack, one of another and one without. */
static struct block with_stacks(const struct block *like, unsigned bare)
{
	static const uint64_t ips[] = { 0x111, 0x222, UINT64_MAX, 0x333 };
	struct block cpu = { .big_endian = like->big_endian, .long_size = like->long_size };
	size_t page = page_begin(&cpu, 1000);
	uint8_t rec[128];

	for (unsigned i = 0; i < bare; i++)
		page_data(&cpu, 1, rec, tlbie_record(like, rec, 7, UINT64_C(0x100000) * i));
	for (unsigned i = 0; i < 3; i++) {
		page_data(&cpu, 1, rec, tlbie_record(like, rec, 7, UINT64_C(0x1000) * i));
		page_data(&cpu, 1, rec, stack_record(like, rec, ips, i < 2 ? 4 : 1));
	}
	page_data(&cpu, 1, rec, tlbie_record(like, rec, 7, 0));
	page_end(&cpu, page, PAGE_SIZE_BUILT, 0, 0);
	return cpu;
}

static uint32_t stack_of_next(struct source *src)
{
	struct error err;
	struct event ev;

	assert_int_equal(source_next(src, 0, &ev, &err), 1);
	assert_int_equal(ev.kind, EVENT_TLBIE);
	return ev.stack;
}

static void check_stacks(const struct block *like)
{
	struct block cpu = with_stacks(like, 3), file = build_v6(&cpu, 1);
	uint64_t last = like->long_size == 4 ? UINT32_MAX : UINT64_MAX;
	struct error err;
	struct source *src = open_block(&file, &err);
	const struct stack *stack;
	uint32_t first;

	assert_non_null(src);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(stack_of_next(src), 0);
	first = stack_of_next(src);
	stack = source_stack(src, first);
	assert_non_null(stack);
	assert_int_equal(stack->n, 2); /* all ones end it */
	assert_int_equal(stack->ips[0], 0x111);
	assert_int_equal(stack->ips[1], 0x222);
	assert_true(stack->ips[1] != last);
	assert_int_equal(stack_of_next(src), first);
	assert_int_not_equal(stack_of_next(src), first);
	assert_int_equal(stack_of_next(src), 0);
	assert_int_equal(read_all(src).kinds[EVENT_TLBIE], 0);
	assert_int_equal(source_info(src)->events, 3 + 2 * 3 + 1);
	assert_int_equal(source_info(src)->unknown_records, 0);
	assert_null(source_stack(src, 0));
	assert_null(source_stack(src, 3));
	source_close(src);
	free(file.data);
	free(cpu.data);
}

static void stacks_belong_to_the_event_before(void **state)
{
	check_stacks(&(struct block){ .long_size = 8 });
	check_stacks(&(struct block){ .long_size = 4, .big_endian = true });
}

static void unknown_compression_is_named(void **state)
{
	struct block file = read_fixture("slim_shm_c34.dat");

	memcpy(file.data + 18, "lzo1", 4);
	expect_error(&file, "\"lzo1\", which is not supported");
	free(file.data);
}

static void latency_files_are_named(void **state)
{
	static const struct block like = { .long_size = 8 };
	struct block cpu = two_pages(&like, 0, 0);
	struct block file = build_v6(&cpu, 1);

	for (size_t i = 0; i + 10 < file.size; i++)
		if (!memcmp(file.data + i, "flyrecord", 10))
			memcpy(file.data + i, "latency  ", 10);
	expect_error(&file, "latency tracer");
	free(file.data);
	free(cpu.data);
}

/* An options section that is linked from itself: noticed, and the rest is read. */
static void loops_end(void **state)
{
	struct block file = read_fixture("slim_shm_c34.dat");
	struct source *src;
	struct error err;

	patch_u64(&file, 263639 + 16 + 6 + 103 + 6, 4479);
	src = open_block(&file, &err);
	assert_non_null(src);
	read_all(src);
	assert_int_equal(source_info(src)->events, 1515);
	assert_non_null(strstr(source_info(src)->truncated_text, "linked twice"));
	source_close(src);
	free(file.data);
}

static void a_pipe_will_do(void **state)
{
	char command[5000];
	struct error err = { 0 };
	struct source *src;
	FILE *pipe;
	int saved = dup(STDIN_FILENO);

	snprintf(command, sizeof(command), "cat '%s'", fixture("slim_shm_c31.dat"));
	pipe = popen(command, "r");
	assert_non_null(pipe);
	dup2(fileno(pipe), STDIN_FILENO);
	src = source_open("-", &err);
	dup2(saved, STDIN_FILENO);
	close(saved);
	pclose(pipe);
	if (!src)
		fail_msg("%s", err.text);
	read_all(src);
	assert_int_equal(source_info(src)->events, 627);
	source_close(src);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_trace_cmds),
		cmocka_unit_test(markers_are_exact),
		cmocka_unit_test(requests_are_found),
		cmocka_unit_test(instances_are_merged),
		cmocka_unit_test(different_clocks_are_refused),
		cmocka_unit_test(some_clocks_are_no_time),
		cmocka_unit_test(names_of_tasks_are_known),
		cmocka_unit_test(drops_are_in_the_statistics),
		cmocka_unit_test(missing_events_are_noticed),
		cmocka_unit_test(no_byte_is_read_twice),
		cmocka_unit_test(marks_become_events),
		cmocka_unit_test(all_machines_and_compressions),
		cmocka_unit_test(lost_tables_are_recovered),
		cmocka_unit_test(other_files_are_named),
		cmocka_unit_test(stacks_belong_to_the_event_before),
		cmocka_unit_test(unknown_compression_is_named),
		cmocka_unit_test(latency_files_are_named),
		cmocka_unit_test(loops_end),
		cmocka_unit_test(a_pipe_will_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
