/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_run.c - folding one CPU's records into runs (policies 1.4 rule 11, 1.6, 9.1, 13, 14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/run.h"
#include "records.h"

#define A UINT64_C(0x7fff80000000)
#define PID 0x1a3u
#define OTHER_PID 0x2bu
#define TASK 4711

/* A folder and what came out of it. */
struct fold {
	struct run_folder *folder;
	uint64_t now_ns;
	struct run_item items[512];
	size_t n;
};

static void drain(struct fold *f)
{
	const struct run_item *item;

	while ((item = run_folder_peek(f->folder))) {
		assert_in_range(f->n, 0, 511);
		f->items[f->n++] = *item;
		run_folder_pop(f->folder);
	}
}

static void feed(struct fold *f, struct event ev)
{
	ev.time_ns = f->now_ns += 10;
	ev.cpu = 3;
	ev.tgid = -1;
	assert_true(run_folder_wants(f->folder));
	run_folder_feed(f->folder, &ev);
	drain(f);
}

static void feed_record(struct fold *f, int32_t tid, unsigned flags, struct tlbie_record rec)
{
	feed(f, (struct event){
			.tid = tid, .kind = EVENT_TLBIE, .flags = (uint8_t)flags, .tlbie = rec });
}

static void task(struct fold *f, struct tlbie_record rec)
{
	feed_record(f, TASK, 0, rec);
}

static void mark(struct fold *f, enum event_kind kind)
{
	feed(f, (struct event){ .tid = TASK, .kind = (uint8_t)kind });
}

/* `n` pages from addr. */
static void pages(struct fold *f, uint64_t addr, unsigned n, unsigned ap, uint64_t size)
{
	for (unsigned i = 0; i < n; i++)
		task(f, op_va(PID, addr + i * size, ap));
}

static void local_pages(struct fold *f, uint64_t addr, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		task(f, op_local(op_va(PID, addr + i * PAGE_64K, AP_64K)));
}

/* Sets from … to - 1 of a local flush that began with ric. */
static void sets(struct fold *f, unsigned from, unsigned to, unsigned ric)
{
	for (unsigned i = from; i < to; i++)
		task(f, op_set(PID, i, i ? 0 : ric));
}

static void trim(struct fold *f, int32_t tid, unsigned flags, uint32_t hw_pid)
{
	for (unsigned i = 0; i < 128; i++)
		feed_record(f, tid, flags, op_set(hw_pid, i, i ? 0 : 2));
}

static void finish(struct fold *f)
{
	run_folder_finish(f->folder);
	drain(f);
	assert_null(run_folder_peek(f->folder));
}

static int setup(void **state, unsigned page_shift)
{
	static struct fold fold;

	fold = (struct fold){ .folder = run_folder_new(page_shift) };
	*state = &fold;
	return fold.folder ? 0 : -1;
}

static int setup_64k(void **state)
{
	return setup(state, 16);
}

static int setup_4k(void **state)
{
	return setup(state, 12);
}

static int teardown(void **state)
{
	struct fold *f = *state;

	run_folder_free(f->folder);
	return 0;
}

/* Members that are 0 here must be 0 there. */
static void check_run(const struct fold *f, size_t at, struct run want)
{
	const struct run *run = &f->items[at].run;

	assert_in_range(at, 0, f->n - 1);
	assert_true(f->items[at].is_run);
	assert_int_equal(f->items[at].time_ns, run->start_ns);
	assert_int_equal(run->kind, want.kind);
	assert_int_equal(run->hw_pid, want.hw_pid);
	assert_int_equal(run->addr, want.addr);
	assert_int_equal(run->n, want.n);
	assert_int_equal(run->shift, want.shift);
	assert_int_equal(run->fix_erat, want.fix_erat);
	assert_int_equal(run->fix_stq, want.fix_stq);
	assert_int_equal(run->fix_old, want.fix_old);
	assert_int_equal(run->local, want.local);
	assert_int_equal(run->irq, want.irq);
	assert_int_equal(run->ended_by, want.ended_by);
	assert_int_equal(run->cpu, 3);
}

/* `n` pages of 64K from A, and the ERAT fixup behind them. */
static struct run erat_pages(unsigned n)
{
	return (struct run){ .kind = TLBIE_VA,
			     .hw_pid = PID,
			     .addr = A,
			     .n = n,
			     .shift = 16,
			     .fix_erat = 1,
			     .ended_by = RUN_END_FIXUP };
}

/* The same with both fixups. */
static struct run fixed_pages(unsigned n)
{
	struct run run = erat_pages(n);

	run.fix_stq = 1;
	return run;
}

/* POWER9, both workarounds: page, page with PID 0, page again. */
static void page_with_both_fixups(void **state)
{
	struct fold *f = *state;

	task(f, op_va(PID, A, AP_64K));
	task(f, op_va(0, A, AP_64K));
	task(f, op_va(PID, A, AP_64K));
	finish(f);
	assert_int_equal(f->n, 1);
	check_run(f, 0, fixed_pages(1));
	assert_int_equal(f->items[0].run.start_ns, 10);
	assert_int_equal(f->items[0].run.end_ns, 30);
	assert_int_equal(f->items[0].run.tid, TASK);
}

/* q=0: an ERAT fixup behind the repeated page says that it was a flush of its own. */
static void same_page_twice_without_stq(void **state)
{
	struct fold *f = *state;
	struct run want = erat_pages(1);

	for (unsigned i = 0; i < 3; i++) {
		task(f, op_va(PID, A, AP_64K));
		task(f, op_va(0, A, AP_64K));
	}
	finish(f);
	assert_int_equal(f->n, 3);
	for (size_t i = 0; i < 3; i++) {
		check_run(f, i, want);
		assert_int_equal(f->items[i].run.start_ns, 10 + 20 * i);
		assert_int_equal(f->items[i].run.end_ns, 20 + 20 * i);
	}
	assert_int_equal(run_folder_orphans(f->folder)->fixups, 0);
}

/* q=0, as the first request shows: a page again is the first one of another request. */
static void range_from_the_same_page_without_stq(void **state)
{
	struct fold *f = *state;
	struct run want = erat_pages(1);

	task(f, op_va(PID, A + PAGE_2M, AP_64K));
	task(f, op_fix_erat());
	for (unsigned n = 1; n <= 3; n++) {
		pages(f, A, n, AP_64K, PAGE_64K);
		task(f, op_fix_erat());
	}
	finish(f);
	assert_int_equal(f->n, 4);
	for (unsigned n = 1; n <= 3; n++) {
		want.n = n;
		check_run(f, n, want);
	}
	assert_int_equal(f->items[2].run.record, 4);
	assert_int_equal(run_folder_orphans(f->folder)->fixups, 0);
}

/* q=1: six records, two flushes. */
static void same_page_twice_with_stq(void **state)
{
	struct fold *f = *state;
	struct run want = fixed_pages(1);

	for (unsigned i = 0; i < 2; i++) {
		task(f, op_va(PID, A, AP_64K));
		task(f, op_va(0, A, AP_64K));
		task(f, op_va(PID, A, AP_64K));
	}
	finish(f);
	assert_int_equal(f->n, 2);
	check_run(f, 0, want);
	check_run(f, 1, want);
	assert_int_equal(f->items[1].run.start_ns, 40);
}

/* POWER10: the same page again has no fixup between and is a second flush. */
static void same_page_twice_on_power10(void **state)
{
	struct fold *f = *state;
	struct run want = { .kind = TLBIE_VA, .hw_pid = PID, .addr = A, .n = 1, .shift = 16 };

	task(f, op_va(PID, A, AP_64K));
	task(f, op_va(PID, A, AP_64K));
	finish(f);
	assert_int_equal(f->n, 2);
	want.ended_by = RUN_END_RECORD;
	check_run(f, 0, want);
	want.ended_by = RUN_END_NONE;
	check_run(f, 1, want);
}

/* flush_tlb_range of 2 MiB on POWER9 q=1: both loops have both fixups. */
static void range_and_2m_pass_power9(void **state)
{
	struct fold *f = *state;
	struct run want = fixed_pages(32);

	task(f, op_pid(PID, 1));
	pages(f, A, 32, AP_64K, PAGE_64K);
	task(f, op_fix_erat());
	task(f, op_va(PID, A + 31 * PAGE_64K, AP_64K));
	task(f, op_va(PID, A, AP_2M));
	task(f, op_fix_erat());
	task(f, op_va(PID, A, AP_2M));
	finish(f);
	assert_int_equal(f->n, 3);
	/* "after _tlbie_pid ric 1 (PWC): nothing" */
	check_run(f, 0,
		  (struct run){
			  .kind = TLBIE_PWC, .hw_pid = PID, .n = 1, .ended_by = RUN_END_RECORD });
	check_run(f, 1, want);
	want.n = 1;
	want.shift = 21;
	check_run(f, 2, want);
}

/* Adjacent ranges on POWER9: the fixup stands between them. */
static void fixup_separates_adjacent_ranges(void **state)
{
	struct fold *f = *state;
	struct run want = erat_pages(4);

	pages(f, A, 4, AP_64K, PAGE_64K);
	task(f, op_fix_erat());
	pages(f, A + 4 * PAGE_64K, 4, AP_64K, PAGE_64K);
	task(f, op_fix_erat());
	finish(f);
	assert_int_equal(f->n, 2);
	check_run(f, 0, want);
	want.addr += 4 * PAGE_64K;
	check_run(f, 1, want);
}

/* Adjacent ranges on POWER10: nothing stands between them, and no ceiling is asked here. */
static void adjacent_ranges_power10_are_one_run(void **state)
{
	struct fold *f = *state;

	pages(f, A, 32, AP_64K, PAGE_64K);
	pages(f, A + PAGE_2M, 32, AP_64K, PAGE_64K);
	finish(f);
	assert_int_equal(f->n, 1);
	check_run(f, 0,
		  (struct run){ .kind = TLBIE_VA, .hw_pid = PID, .addr = A, .n = 64, .shift = 16 });
}

/* What a loop cannot have written as one. */
static void what_breaks_a_run(void **state)
{
	struct fold *f = *state;
	const struct tlbie_record recs[] = {
		op_va(PID, A, AP_64K),
		op_va(PID, A + 2 * PAGE_64K, AP_64K),	    /* a page is left out */
		op_va(PID, A + PAGE_64K, AP_64K),	    /* backwards */
		op_va(OTHER_PID, A + 2 * PAGE_64K, AP_64K), /* another PID */
		op_local(op_va(OTHER_PID, A + 3 * PAGE_64K, AP_64K)),
		op_va(OTHER_PID, A + 4 * PAGE_64K, AP_64K),
		op_va(OTHER_PID, A + 5 * PAGE_64K, AP_2M), /* another size */
	};
	const size_t n = sizeof(recs) / sizeof(*recs);

	for (size_t i = 0; i < n; i++)
		task(f, recs[i]);
	finish(f);
	assert_int_equal(f->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(f->items[i].run.n, 1);
		assert_int_equal(f->items[i].run.ended_by,
				 i + 1 < n ? RUN_END_RECORD : RUN_END_NONE);
	}
}

/* A fixup marks the end of the loop: a page behind it is another request's. */
static void nothing_grows_behind_a_fixup(void **state)
{
	struct fold *f = *state;

	task(f, op_va(PID, A, AP_64K));
	task(f, op_va(0, A, AP_64K));
	task(f, op_va(PID, A + PAGE_64K, AP_64K));
	task(f, op_va(0, A + PAGE_64K, AP_64K));
	finish(f);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->items[0].run.fix_erat, 1);
	assert_int_equal(f->items[0].run.fix_stq, 0);
	assert_int_equal(f->items[1].run.addr, A + PAGE_64K);
	assert_int_equal(f->items[1].run.fix_erat, 1);
}

static void local_pid_flush_of_128_sets(void **state)
{
	struct fold *f = *state;
	struct run want = {
		.kind = TLBIE_PID, .hw_pid = PID, .n = 128, .local = true, .ended_by = RUN_END_RECORD
	};

	sets(f, 0, 128, 0);
	sets(f, 0, 128, 2); /* set 0 again: a flush of its own */
	finish(f);
	assert_int_equal(f->n, 2);
	check_run(f, 0, want);
	want.kind = TLBIE_ALL;
	want.ended_by = RUN_END_NONE;
	check_run(f, 1, want);
}

/* POWER10 has one set: every record is a flush. */
static void local_pid_flush_of_one_set(void **state)
{
	struct fold *f = *state;

	for (unsigned i = 0; i < 3; i++)
		task(f, op_set(PID, 0, 0));
	finish(f);
	assert_int_equal(f->n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f->items[i].run.n, 1);
}

/* policies 13: 52 + 76 records of a local flush, a trim of another PID between them. */
static void trim_of_another_pid_inside_local_flush(void **state)
{
	struct fold *f = *state;

	sets(f, 0, 52, 0);
	trim(f, TASK, EVENT_HARDIRQ, OTHER_PID);
	sets(f, 52, 128, 0);
	finish(f);
	assert_int_equal(f->n, 2);
	check_run(f, 0, (struct run){ .kind = TLBIE_PID, .hw_pid = PID, .n = 128, .local = true });
	check_run(f, 1,
		  (struct run){ .kind = TLBIE_ALL,
				.hw_pid = OTHER_PID,
				.n = 128,
				.local = true,
				.irq = true,
				.ended_by = RUN_END_RECORD });
	assert_true(f->items[0].time_ns < f->items[1].time_ns);
	assert_int_equal(f->items[0].run.end_ns, 2560);
}

/* policies 14, 2: patterns of PID and ric cannot tell the two apart, the flag can. */
static void trim_of_the_same_pid_inside_local_flush(void **state)
{
	struct fold *f = *state;

	sets(f, 0, 52, 2);
	trim(f, TASK, EVENT_HARDIRQ, PID);
	sets(f, 52, 128, 2);
	finish(f);
	assert_int_equal(f->n, 2);
	check_run(f, 0, (struct run){ .kind = TLBIE_ALL, .hw_pid = PID, .n = 128, .local = true });
	check_run(f, 1,
		  (struct run){ .kind = TLBIE_ALL,
				.hw_pid = PID,
				.n = 128,
				.local = true,
				.irq = true,
				.ended_by = RUN_END_RECORD });
}

/* "It can also fall between a range and its fixup", and between the fixup and the repeat. */
static void trim_between_range_and_its_fixups(void **state)
{
	struct fold *f = *state;

	pages(f, A, 4, AP_64K, PAGE_64K);
	trim(f, TASK, EVENT_HARDIRQ, PID);
	task(f, op_fix_erat());
	trim(f, TASK, EVENT_HARDIRQ, OTHER_PID);
	task(f, op_va(PID, A + 3 * PAGE_64K, AP_64K));
	finish(f);
	assert_int_equal(f->n, 3);
	check_run(f, 0, fixed_pages(4));
	assert_int_equal(f->items[1].run.hw_pid, PID);
	assert_int_equal(f->items[2].run.hw_pid, OTHER_PID);
	assert_true(f->items[1].run.irq && f->items[2].run.irq);
	assert_int_equal(run_folder_orphans(f->folder)->fixups, 0);
}

/* The idle loop runs queued calls with the flag clear: common_pid is 0. */
static void idle_task_is_interrupt_context(void **state)
{
	struct fold *f = *state;

	trim(f, 0, 0, PID);
	finish(f);
	assert_int_equal(f->n, 1);
	assert_true(f->items[0].run.irq);
	assert_int_equal(f->items[0].run.n, 128);
}

/* So does migration_cpu_stop(), in the thread that moves tasks to other CPUs. */
static void stopper_is_interrupt_context(void **state)
{
	struct event sw = { .kind = EVENT_SWITCH, .tid = TASK };
	struct fold *f = *state;

	sw.sw.next_tid = 27;
	strcpy(sw.sw.next_comm, "migration/2");
	trim(f, 27, 0, PID);
	feed(f, sw);
	trim(f, 27, 0, PID);
	trim(f, TASK, 0, PID);
	finish(f);
	assert_int_equal(f->n, 4);
	assert_false(f->items[0].run.irq); /* nothing has told yet who it is */
	assert_true(f->items[2].run.irq);
	assert_false(f->items[3].run.irq);
}

/* A softirq is no place where call functions run, and must not split the task's run. */
static void softirq_flag_is_not_interrupt_context(void **state)
{
	struct fold *f = *state;

	feed_record(f, TASK, EVENT_SOFTIRQ, op_va(PID, A, AP_64K));
	finish(f);
	assert_false(f->items[0].run.irq);
}

/* Each of these is done by the task: the pages around it are two requests. */
static void marks_break_runs(void **state)
{
	static const struct {
		enum event_kind kind;
		enum run_end end;
	} marks[] = {
		{ EVENT_SYS_ENTER, RUN_END_SYSCALL }, { EVENT_SYS_EXIT, RUN_END_SYSCALL },
		{ EVENT_SWITCH, RUN_END_SWITCH },     { EVENT_REQUEST, RUN_END_REQUEST },
		{ EVENT_NEWTASK, RUN_END_TASK },      { EVENT_FORK, RUN_END_TASK },
		{ EVENT_EXEC, RUN_END_TASK },	      { EVENT_EXIT, RUN_END_TASK },
		{ EVENT_RENAME, RUN_END_TASK },	      { EVENT_LOST, RUN_END_LOST },
	};
	struct fold *f = *state;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		f->n = 0;
		pages(f, A, 2, AP_64K, PAGE_64K);
		mark(f, marks[i].kind);
		pages(f, A + 2 * PAGE_64K, 2, AP_64K, PAGE_64K);
		mark(f, EVENT_SWITCH);
		assert_int_equal(f->n, 4);
		assert_int_equal(f->items[0].run.n, 2);
		assert_int_equal(f->items[0].run.ended_by, marks[i].end);
		assert_false(f->items[1].is_run);
		assert_int_equal(f->items[1].event.kind, marks[i].kind);
		assert_int_equal(f->items[2].run.n, 2);
	}
}

static void check_unbroken(struct fold *f, struct event between)
{
	f->n = 0;
	pages(f, A, 2, AP_64K, PAGE_64K);
	feed(f, between);
	pages(f, A + 2 * PAGE_64K, 2, AP_64K, PAGE_64K);
	mark(f, EVENT_SWITCH);
	assert_int_equal(f->n, 3);
	assert_int_equal(f->items[0].run.n, 4);
	assert_int_equal(f->items[1].event.kind, between.kind);
}

/* What interrupts write, and what is only text, says nothing about the task's flush. */
static void other_events_do_not_break_runs(void **state)
{
	struct fold *f = *state;

	check_unbroken(f, (struct event){ .tid = TASK, .kind = EVENT_IPI_SEND });
	check_unbroken(f, (struct event){ .tid = TASK, .kind = EVENT_MARKER });
	check_unbroken(
		f, (struct event){ .tid = TASK, .flags = EVENT_HARDIRQ, .kind = EVENT_REQUEST });
	check_unbroken(
		f, (struct event){ .tid = TASK, .flags = EVENT_HARDIRQ, .kind = EVENT_MIGRATE });
	check_unbroken(
		f, (struct event){ .tid = TASK, .flags = EVENT_SOFTIRQ, .kind = EVENT_MIGRATE });
}

/* A switch and a gap are marks whatever their flags are. */
static void switch_and_loss_are_marks_in_interrupts_too(void **state)
{
	struct event ev = { .tid = 0, .flags = EVENT_HARDIRQ, .kind = EVENT_SWITCH };

	assert_true(event_is_mark(&ev));
	ev.kind = EVENT_LOST;
	assert_true(event_is_mark(&ev));
	ev.kind = EVENT_MIGRATE;
	assert_false(event_is_mark(&ev));
}

/* A pending repeat in front of a mark is the STQ fixup: the mark stands behind the request. */
static void mark_behind_a_repeat(void **state)
{
	struct fold *f = *state;

	pages(f, A, 2, AP_64K, PAGE_64K);
	task(f, op_fix_erat());
	task(f, op_va(PID, A + PAGE_64K, AP_64K));
	mark(f, EVENT_SYS_EXIT);
	finish(f);
	assert_int_equal(f->n, 2);
	check_run(f, 0, fixed_pages(2));
}

/* policies 13: powernv9 has no AP code for 2M; the derived pass is written with AP 0. */
static void ap_0_on_a_64k_kernel_is_2m(void **state)
{
	struct fold *f = *state;

	pages(f, A, 2, AP_4K, PAGE_2M);
	finish(f);
	assert_int_equal(f->n, 1);
	check_run(f, 0,
		  (struct run){ .kind = TLBIE_VA, .hw_pid = PID, .addr = A, .n = 2, .shift = 21 });
}

/* The same with 4K pages: only the step tells. The fixup's repeat is of the last 2M page. */
static void ap_0_that_steps_by_2m(void **state)
{
	struct fold *f = *state;

	pages(f, A, 3, AP_4K, PAGE_2M);
	task(f, op_fix_erat());
	task(f, op_va(PID, A + 2 * PAGE_2M, AP_4K));
	pages(f, A + 4096, 2, AP_4K, PAGE_2M); /* no 2M page begins there */
	finish(f);
	assert_int_equal(f->n, 3);
	check_run(f, 0,
		  (struct run){ .kind = TLBIE_VA,
				.hw_pid = PID,
				.addr = A,
				.n = 3,
				.shift = 21,
				.fix_erat = 1,
				.fix_stq = 1,
				.ended_by = RUN_END_FIXUP });
	assert_int_equal(f->items[1].run.shift, 12);
	assert_int_equal(f->items[2].run.shift, 12);
}

/* A machine that has a code for 2M uses it: pages 2M apart are then two pages. */
static void ap_0_where_2m_has_a_code(void **state)
{
	struct fold *f = *state;

	task(f, op_va(PID, A, AP_2M));
	pages(f, A + 8 * PAGE_2M, 2, AP_4K, PAGE_2M);
	finish(f);
	assert_int_equal(f->n, 3);
	assert_int_equal(f->items[1].run.shift, 12);
	assert_int_equal(f->items[2].run.shift, 12);
}

/* policies 13: 4K kernels: pages, ranges and their fixups have AP 0, the sentinel keeps AP 5. */
static void kernel_with_4k_pages(void **state)
{
	struct fold *f = *state;
	struct run want = { .kind = TLBIE_VA,
			    .hw_pid = PID,
			    .addr = A,
			    .n = 3,
			    .shift = 12,
			    .fix_erat = 1,
			    .fix_stq = 1,
			    .ended_by = RUN_END_FIXUP };

	pages(f, A, 3, AP_4K, 4096);
	task(f, op_fix_erat());
	task(f, op_va(PID, A + UINT64_C(2) * 4096, AP_4K));
	task(f, op_pid(PID, 0));
	task(f, op_fix_erat());
	task(f, op_sentinel(PID));
	finish(f);
	assert_int_equal(f->n, 2);
	check_run(f, 0, want);
	want.kind = TLBIE_PID;
	want.addr = 0;
	want.n = 1;
	want.shift = 0;
	check_run(f, 1, want);
}

/* 5.10 without base_shift: AP 0 is a 4K page. */
static void unknown_page_size_takes_ap_literally(void **state)
{
	struct fold *f = *state;

	run_folder_free(f->folder);
	f->folder = run_folder_new(0);
	assert_non_null(f->folder);
	pages(f, A, 2, AP_4K, 4096);
	finish(f);
	assert_int_equal(f->n, 1);
	assert_int_equal(f->items[0].run.shift, 12);
}

/* v4.16 to v5.2: one sentinel with PID 0 at the end of the operation. */
static void old_fixups(void **state)
{
	struct fold *f = *state;
	struct run want = { .kind = TLBIE_VA,
			    .hw_pid = PID,
			    .addr = A,
			    .n = 3,
			    .shift = 16,
			    .fix_old = 1,
			    .ended_by = RUN_END_FIXUP };

	pages(f, A, 3, AP_64K, PAGE_64K);
	task(f, op_sentinel(0));
	/* the same page is no repeat here: that workaround was not yet there */
	task(f, op_va(PID, A + 2 * PAGE_64K, AP_64K));
	task(f, op_sentinel(0));
	task(f, op_pid(PID, 2));
	task(f, op_sentinel(0));
	finish(f);
	assert_int_equal(f->n, 3);
	check_run(f, 0, want);
	want.addr = A + 2 * PAGE_64K;
	want.n = 1;
	check_run(f, 1, want);
	want.kind = TLBIE_ALL;
	want.addr = 0;
	want.shift = 0;
	check_run(f, 2, want);
	assert_int_equal(run_folder_orphans(f->folder)->fixups, 0);
}

/* Fixups whose run is missing are counted and belong to nothing. */
static void orphan_fixups(void **state)
{
	struct fold *f = *state;

	task(f, op_fix_erat()); /* the trace begins behind its run */
	task(f, op_sentinel(PID));
	pages(f, A, 2, AP_64K, PAGE_64K);
	mark(f, EVENT_LOST);
	task(f, op_fix_erat()); /* its run is in the gap */
	local_pages(f, A, 2);
	task(f, op_fix_erat()); /* tlbiel has none */
	finish(f);
	assert_int_equal(run_folder_orphans(f->folder)->fixups, 4);
	assert_int_equal(f->n, 3);
	assert_int_equal(f->items[0].run.fix_erat, 0);
	assert_int_equal(f->items[2].run.fix_erat, 0);
	assert_int_equal(f->items[2].run.n, 2);
}

/* Hash and LPID records: only their number matters. */
static void counted_kinds_are_one_run(void **state)
{
	struct fold *f = *state;
	struct tlbie_record hash = { .rb = 0x3d5ba1e7000 };
	struct tlbie_record lpid = { .rb = 0x800, .rs = 7, .lpid = 7, .ric = 2, .r = 1 };

	for (unsigned i = 0; i < 5; i++, hash.rb ^= 0x1234000)
		task(f, hash);
	task(f, lpid);
	task(f, lpid);
	task(f, hash);
	finish(f);
	assert_int_equal(f->n, 3);
	assert_int_equal(f->items[0].run.kind, TLBIE_HASH);
	assert_int_equal(f->items[0].run.n, 5);
	assert_int_equal(f->items[1].run.kind, TLBIE_LPID);
	assert_int_equal(f->items[1].run.n, 2);
	assert_int_equal(f->items[2].run.n, 1);
}

/* Items come by start, the open run first, and no run is handed out while it may grow. */
static void open_run_holds_back_what_follows(void **state)
{
	struct fold *f = *state;

	pages(f, A, 1, AP_64K, PAGE_64K);
	mark(f, EVENT_IPI_SEND);
	assert_int_equal(f->n, 0);
	mark(f, EVENT_SWITCH);
	assert_int_equal(f->n, 3);
	for (size_t i = 1; i < f->n; i++)
		assert_true(f->items[i - 1].time_ns < f->items[i].time_ns);
}

/* More interrupts inside one run than the ring holds: nothing is lost and the order stays. */
static void ring_overflow_keeps_every_record(void **state)
{
	struct fold *f = *state;
	uint64_t task_pages = 0;
	size_t trims = 0;

	pages(f, A, 2, AP_64K, PAGE_64K);
	for (unsigned i = 0; i < 200; i++)
		feed_record(f, TASK, EVENT_HARDIRQ, op_set(OTHER_PID, 0, 2));
	pages(f, A + 2 * PAGE_64K, 3, AP_64K, PAGE_64K);
	finish(f);
	for (size_t i = 0; i < f->n; i++) {
		const struct run *run = &f->items[i].run;

		assert_true(f->items[i].is_run);
		assert_true(i == 0 || f->items[i - 1].time_ns < f->items[i].time_ns);
		if (run->irq) {
			trims++;
			assert_int_equal(run->n, 1);
		} else {
			assert_int_equal(run->addr, A + task_pages * PAGE_64K);
			task_pages += run->n;
		}
	}
	assert_int_equal(trims, 200);
	assert_int_equal(task_pages, 5);
}

#define TEST_64K(name) cmocka_unit_test_setup_teardown(name, setup_64k, teardown)

/* The rest of the machine is a second further: the loop is over, and nothing of it is missing. */
static void a_long_pause_ends_a_run(void **state)
{
	struct fold *f = *state;

	pages(f, A, 3, AP_64K, PAGE_64K);
	mark(f, EVENT_SYS_EXIT);
	pages(f, A, 2, AP_64K, PAGE_64K);
	run_folder_pause(f->folder, f->now_ns + 1000000000);
	drain(f);
	assert_int_equal(f->n, 2);
	run_folder_pause(f->folder, f->now_ns + 1000000001);
	drain(f);
	assert_int_equal(f->n, 3);
	assert_int_equal(f->items[2].run.n, 2);
	assert_int_equal(f->items[2].run.ended_by, RUN_END_RECORD);
	assert_false(f->items[2].run.partial);
	/* What comes then is a run of its own, though its address follows. */
	pages(f, A + 2 * PAGE_64K, 1, AP_64K, PAGE_64K);
	finish(f);
	assert_int_equal(f->n, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_64K(page_with_both_fixups),
		TEST_64K(same_page_twice_without_stq),
		TEST_64K(range_from_the_same_page_without_stq),
		TEST_64K(same_page_twice_with_stq),
		TEST_64K(same_page_twice_on_power10),
		TEST_64K(range_and_2m_pass_power9),
		TEST_64K(fixup_separates_adjacent_ranges),
		TEST_64K(adjacent_ranges_power10_are_one_run),
		TEST_64K(what_breaks_a_run),
		TEST_64K(a_long_pause_ends_a_run),
		TEST_64K(nothing_grows_behind_a_fixup),
		TEST_64K(local_pid_flush_of_128_sets),
		TEST_64K(local_pid_flush_of_one_set),
		TEST_64K(trim_of_another_pid_inside_local_flush),
		TEST_64K(trim_of_the_same_pid_inside_local_flush),
		TEST_64K(trim_between_range_and_its_fixups),
		TEST_64K(idle_task_is_interrupt_context),
		TEST_64K(stopper_is_interrupt_context),
		TEST_64K(softirq_flag_is_not_interrupt_context),
		TEST_64K(marks_break_runs),
		TEST_64K(other_events_do_not_break_runs),
		TEST_64K(switch_and_loss_are_marks_in_interrupts_too),
		TEST_64K(mark_behind_a_repeat),
		TEST_64K(ap_0_on_a_64k_kernel_is_2m),
		cmocka_unit_test_setup_teardown(ap_0_that_steps_by_2m, setup_4k, teardown),
		cmocka_unit_test_setup_teardown(ap_0_where_2m_has_a_code, setup_4k, teardown),
		cmocka_unit_test_setup_teardown(kernel_with_4k_pages, setup_4k, teardown),
		TEST_64K(unknown_page_size_takes_ap_literally),
		TEST_64K(old_fixups),
		TEST_64K(orphan_fixups),
		TEST_64K(counted_kinds_are_one_run),
		TEST_64K(open_run_holds_back_what_follows),
		TEST_64K(ring_overflow_keeps_every_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
