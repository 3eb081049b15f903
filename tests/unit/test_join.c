/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_join.c - runs and events become flushes: what is one request, whose, and why (policies 1.4,
 * 9.1, 9.6, 13, 14).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/class.h"
#include "analyze/join.h"
#include "fake_source.h"
#include "records.h"

#define A UINT64_C(0x7fff80000000)
#define PID 0x1a3u
#define NEW_PID 0x2bu
#define SHELL 100
#define MAKE 200
#define KSWAPD 50

static const struct fake_task tasks[] = {
	{ SHELL, SHELL, "sh" },
	{ SHELL + 1, SHELL, "sh-thread" },
	{ MAKE, MAKE, "make" },
	{ KSWAPD, KSWAPD, "kswapd0" },
};

struct call {
	const struct mm *mm;
	enum flush_cause cause;
	uint32_t promoted;
};

/* A join and what came out of it. */
struct bench {
	struct fake_source source;
	struct join *join;
	uint64_t now_ns;
	struct flush flushes[6000];
	size_t n;
	struct call calls[8];
	size_t n_calls;
};

static bool take_flush(void *arg, const struct flush *f)
{
	struct bench *b = arg;

	assert_in_range(b->n, 0, 5999);
	b->flushes[b->n++] = *f;
	return true;
}

static bool take_call(void *arg, const struct mm *mm, enum flush_cause cause, uint32_t promoted)
{
	struct bench *b = arg;

	assert_in_range(b->n_calls, 0, 7);
	b->calls[b->n_calls++] = (struct call){ mm, cause, promoted };
	return true;
}

static int setup(void **state)
{
	static struct bench b;
	struct join_sink sink = { .arg = &b, .flush = take_flush, .call = take_call };

	b = (struct bench){ .n = 0 };
	fake_source_init(&b.source, tasks, sizeof(tasks) / sizeof(*tasks));
	b.join = join_new(&b.source.src, 4, 16, &sink);
	*state = &b;
	return b.join ? 0 : -1;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	join_free(b->join);
	return 0;
}

static void feed_run(struct bench *b, struct run run)
{
	struct run_item item = { .is_run = true, .run = run };

	item.time_ns = item.run.start_ns = b->now_ns += 10;
	item.run.end_ns = b->now_ns += 5;
	item.run.tgid = -1;
	assert_true(join_item(b->join, &item));
}

static void feed_event(struct bench *b, struct event ev)
{
	struct run_item item = { .event = ev };

	item.time_ns = item.event.time_ns = b->now_ns += 10;
	item.event.tgid = -1;
	assert_true(join_item(b->join, &item));
}

static void va(struct bench *b, int32_t tid, uint32_t hw_pid, uint64_t addr, uint64_t n)
{
	feed_run(b, (struct run){ .kind = TLBIE_VA,
				  .tid = tid,
				  .hw_pid = hw_pid,
				  .addr = addr,
				  .n = n,
				  .shift = 16 });
}

static void whole(struct bench *b, int32_t tid, uint32_t hw_pid, enum tlbie_kind kind)
{
	feed_run(b, (struct run){ .kind = (uint8_t)kind, .tid = tid, .hw_pid = hw_pid, .n = 1 });
}

static void enter(struct bench *b, int32_t tid, enum syscall_nr nr, uint64_t len)
{
	feed_event(b, (struct event){ .kind = EVENT_SYS_ENTER,
				      .tid = tid,
				      .sys = { .nr = nr, .start = A, .len = len } });
}

static void leave(struct bench *b, int32_t tid, enum syscall_nr nr)
{
	feed_event(b, (struct event){ .kind = EVENT_SYS_EXIT, .tid = tid, .sys.nr = nr });
}

static void task_event(struct bench *b, enum event_kind kind, int32_t tid, const char *comm)
{
	struct event ev = { .kind = (uint8_t)kind, .tid = tid, .task.tid = tid };

	strncpy(ev.task.comm, comm, COMM_LEN - 1);
	feed_event(b, ev);
}

static void newtask(struct bench *b, int32_t parent, int32_t child, uint64_t flags)
{
	feed_event(b, (struct event){ .kind = EVENT_NEWTASK,
				      .tid = parent,
				      .task = { .tid = child, .flags = flags } });
}

static void finish(struct bench *b)
{
	assert_true(join_finish(b->join));
}

/* PWC, then pages: page tables were freed. */
static void pwc_and_pages_are_one_request(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, PID, TLBIE_PWC);
	va(b, SHELL, PID, A, 20);
	finish(b);
	assert_int_equal(b->n, 1);
	assert_int_equal(b->flushes[0].shape, SHAPE_VA);
	assert_true(b->flushes[0].pwc);
	assert_int_equal(b->flushes[0].pages, 20);
	assert_int_equal(b->flushes[0].entry, ENTRY_PWC);
	assert_int_equal(b->flushes[0].start_ns, 10);
	assert_int_equal(b->flushes[0].end_ns, 30);
	assert_string_equal(b->flushes[0].comm, "sh");
}

static void feed_loop(struct bench *b, uint64_t addr, uint64_t n, unsigned shift, unsigned fix)
{
	feed_run(b, (struct run){ .kind = TLBIE_VA,
				  .tid = SHELL,
				  .hw_pid = PID,
				  .addr = addr,
				  .n = n,
				  .shift = (uint8_t)shift,
				  .fix_erat = (uint8_t)fix,
				  .fix_stq = (uint8_t)fix });
}

/* flush_tlb_range of 2 MiB on POWER9: PWC, 32 pages, fixups, one of 2M, fixups. */
static void derived_pass_belongs_to_its_range(void **state)
{
	struct bench *b = *state;
	struct tally t;

	whole(b, SHELL, PID, TLBIE_PWC);
	feed_loop(b, A, 32, 16, 1);
	feed_loop(b, A, 1, 21, 1);
	finish(b);
	assert_int_equal(b->n, 1);
	assert_int_equal(b->flushes[0].entry, ENTRY_RANGE);
	assert_int_equal(b->flushes[0].pages, 32);
	assert_int_equal(b->flushes[0].pages_2m, 1);
	assert_int_equal(b->flushes[0].fix_erat, 2);
	assert_int_equal(b->flushes[0].fix_stq, 2);
	t = flush_recorded(&b->flushes[0]);
	assert_int_equal(t.n[COUNT_TLBIE], 38); /* policies 2.10, row 3 */
}

/* 4K pages on a machine without an AP code for 2M: one page of the derived pass looks like one of 4K. */
static void derived_pass_with_4k_pages(void **state)
{
	struct bench *b = *state;
	struct join_sink sink = { .arg = b, .flush = take_flush, .call = take_call };

	join_free(b->join);
	b->join = join_new(&b->source.src, 4, 12, &sink);
	assert_non_null(b->join);
	whole(b, SHELL, PID, TLBIE_PWC);
	feed_loop(b, A, 600, 12, 1);
	feed_loop(b, A, 1, 12, 1);
	feed_loop(b, A, 1, 12, 1); /* a page, flushed after that */
	finish(b);
	assert_int_equal(b->n, 2);
	assert_int_equal(b->flushes[0].entry, ENTRY_RANGE);
	assert_int_equal(b->flushes[0].pages, 600);
	assert_int_equal(b->flushes[0].pages_2m, 1);
	assert_int_equal(b->flushes[1].pages, 1);
}

/* The derived pass is the whole PMDs of its range; any other 2M run is a request of its own. */
static void other_2m_runs_are_not_derived(void **state)
{
	struct bench *b = *state;

	feed_loop(b, A + PAGE_64K, 32, 16, 0); /* no whole PMD inside */
	feed_loop(b, A + PAGE_2M, 1, 21, 0);
	feed_loop(b, A, 64, 16, 0); /* two inside */
	feed_loop(b, A, 1, 21, 0);
	feed_loop(b, A, 64, 16, 0);
	feed_loop(b, A + PAGE_2M, 2, 21, 0);
	finish(b);
	assert_int_equal(b->n, 6);
}

/* Unaligned ends: the pass covers what lies between them. */
static void derived_pass_of_unaligned_range(void **state)
{
	struct bench *b = *state;

	feed_loop(b, A + 31 * PAGE_64K, 66, 16, 0);
	feed_loop(b, A + PAGE_2M, 2, 21, 0);
	finish(b);
	assert_int_equal(b->n, 1);
	assert_int_equal(b->flushes[0].pages_2m, 2);
}

/* A mark, another CPU, another PID or scope: no request has records on both sides. */
static void what_separates_parts(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, PID, TLBIE_PWC);
	leave(b, SHELL, SYSCALL_MUNMAP);
	va(b, SHELL, PID, A, 2);
	leave(b, SHELL, SYSCALL_MUNMAP);
	whole(b, SHELL, PID, TLBIE_PWC);
	feed_run(b, (struct run){ .kind = TLBIE_VA,
				  .tid = MAKE,
				  .hw_pid = PID,
				  .n = 2,
				  .shift = 16,
				  .addr = A,
				  .cpu = 1 });
	va(b, SHELL, NEW_PID, A, 2);
	whole(b, SHELL, PID, TLBIE_PWC);
	feed_run(b, (struct run){ .kind = TLBIE_VA,
				  .tid = SHELL,
				  .hw_pid = PID,
				  .n = 2,
				  .shift = 16,
				  .addr = A,
				  .local = true });
	finish(b);
	assert_int_equal(b->n, 7);
	for (size_t i = 0; i < b->n; i++)
		assert_false(b->flushes[i].pwc);
}

/* An interrupt's run between two runs of one request does not part them. */
static void trim_between_parts(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, PID, TLBIE_PWC);
	feed_run(b, (struct run){ .kind = TLBIE_ALL,
				  .tid = SHELL,
				  .hw_pid = NEW_PID,
				  .n = 128,
				  .local = true,
				  .irq = true });
	va(b, SHELL, PID, A, 2);
	finish(b);
	assert_int_equal(b->n, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct flush *f = &b->flushes[i];

		assert_int_equal(f->pwc, !f->irq);
		assert_int_equal(f->entry, f->irq ? ENTRY_TRIM : ENTRY_PWC);
		assert_int_equal(f->cause, f->irq ? CAUSE_TRIM : CAUSE_UNKNOWN);
		assert_int_equal(f->sets, f->irq ? 128 : 0);
	}
}

static void range_of_46_pages_with_a_second_pass(struct bench *b, enum syscall_nr nr)
{
	b->n = 0;
	enter(b, SHELL, nr, 64 * PAGE_64K);
	feed_loop(b, A + 18 * PAGE_64K, 46, 16, 0);
	feed_loop(b, A + PAGE_2M, 1, 21, 0);
	leave(b, SHELL, nr);
}

/* mremap flushes PMD by PMD; before v5.14, on POWER10, nothing stands between 14 pages and the next 32. */
static void mremap_flushes_each_pmd(void **state)
{
	struct bench *b = *state;

	range_of_46_pages_with_a_second_pass(b, SYSCALL_MREMAP);
	assert_int_equal(b->n, 2);
	assert_int_equal(b->flushes[0].addr, A + PAGE_2M);
	assert_int_equal(b->flushes[0].pages, 32);
	assert_int_equal(b->flushes[0].pages_2m, 1);
	assert_int_equal(b->flushes[1].addr, A + 18 * PAGE_64K); /* waits for the call's end */
	assert_int_equal(b->flushes[1].pages, 14);
	assert_int_equal(b->flushes[1].pages_2m, 0);
	/* mprotect flushes the range of a mapping. */
	range_of_46_pages_with_a_second_pass(b, SYSCALL_MPROTECT);
	assert_int_equal(b->n, 1);
	assert_int_equal(b->flushes[0].pages, 46);
}

static void system_calls_are_causes(void **state)
{
	static const struct {
		enum syscall_nr nr;
		enum flush_cause cause;
	} v[] = {
		{ SYSCALL_MUNMAP, CAUSE_MUNMAP },   { SYSCALL_MPROTECT, CAUSE_MPROTECT },
		{ SYSCALL_MADVISE, CAUSE_MADVISE }, { SYSCALL_MREMAP, CAUSE_MREMAP },
		{ SYSCALL_BRK, CAUSE_BRK },	    { SYSCALL_SHMDT, CAUSE_SHMDT },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		b->n = 0;
		enter(b, SHELL, v[i].nr, 3 * PAGE_64K);
		va(b, SHELL, PID, A, 3);
		leave(b, SHELL, v[i].nr);
		assert_int_equal(b->n, 1);
		assert_int_equal(b->flushes[0].cause, v[i].cause);
		assert_int_equal(b->flushes[0].context, CONTEXT_CALL);
		assert_int_equal(b->flushes[0].entry, ENTRY_GATHER);
		assert_int_equal(b->flushes[0].call_start, A);
		assert_int_equal(b->flushes[0].call_len, 3 * PAGE_64K);
	}
}

/* Behind the call the task is known to be in none: what it flushes by page is a fault. */
static void faults_outside_of_calls(void **state)
{
	struct bench *b = *state;

	enter(b, SHELL, SYSCALL_BRK, 0);
	leave(b, SHELL, SYSCALL_BRK);
	va(b, SHELL, PID, A, 1);
	enter(b, SHELL, SYSCALL_OTHER, 0); /* only a mark in time: not a cause */
	va(b, SHELL, PID, A + PAGE_2M, 1);
	leave(b, SHELL, SYSCALL_OTHER);
	va(b, MAKE, NEW_PID, A, 1); /* nothing is known of this task */
	finish(b);
	assert_int_equal(b->n, 3);
	assert_int_equal(b->flushes[0].cause, CAUSE_FAULT);
	assert_int_equal(b->flushes[0].context, CONTEXT_OUTSIDE);
	assert_int_equal(b->flushes[0].entry, ENTRY_PAGE);
	assert_int_equal(b->flushes[1].cause, CAUSE_FAULT);
	assert_int_equal(b->flushes[2].cause, CAUSE_UNKNOWN);
	assert_int_equal(b->flushes[2].context, CONTEXT_UNKNOWN);
}

/* dup_mmap() flushes the parent's mm; a thread or a vfork copies no mm. */
static void fork_flushes_the_parent(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, PID, TLBIE_PID);
	newtask(b, SHELL, 300, 0x1200000);
	assert_int_equal(b->n, 1);
	assert_int_equal(b->flushes[0].cause, CAUSE_FORK);
	assert_int_equal(b->flushes[0].entry, ENTRY_MM);
	assert_false(b->flushes[0].mm->dead);
	whole(b, SHELL, PID, TLBIE_PID);
	newtask(b, SHELL, 301, CLONE_VM);
	finish(b);
	assert_int_equal(b->n, 2);
	assert_int_equal(b->flushes[1].cause, CAUSE_UNKNOWN);
	assert_ptr_equal(b->flushes[1].mm, b->flushes[0].mm);
}

/* policies 14, 4: the old mm's teardown, flushes of the new one, then sched_process_exec. */
static void exec_is_split_at_the_teardown(void **state)
{
	struct bench *b = *state;

	va(b, SHELL, PID, A, 1);
	whole(b, SHELL, PID, TLBIE_ALL);
	va(b, SHELL, NEW_PID, A, 1);
	whole(b, SHELL, NEW_PID, TLBIE_PWC);
	task_event(b, EVENT_EXEC, SHELL, "cc1");
	finish(b);
	assert_int_equal(b->n, 4);
	assert_int_not_equal(b->flushes[0].cause, CAUSE_EXEC);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(b->flushes[i].cause, CAUSE_EXEC);
	assert_int_equal(b->flushes[1].entry, ENTRY_ALL);
	assert_true(b->flushes[1].mm->dead);
	assert_string_equal(b->flushes[1].mm->name, "sh");
	assert_ptr_equal(b->flushes[2].mm, b->flushes[3].mm);
	assert_false(b->flushes[2].mm->dead);
	assert_string_equal(b->flushes[2].mm->name, "cc1");
}

/* On 5.10 to 6.12 the last flush comes before sched_process_exit, on 7.2 behind it. */
static void exit_on_both_sides_of_its_event(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, PID, TLBIE_ALL);
	task_event(b, EVENT_EXIT, SHELL, "");
	task_event(b, EVENT_EXIT, MAKE, "");
	whole(b, MAKE, NEW_PID, TLBIE_ALL);
	finish(b);
	assert_int_equal(b->n, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(b->flushes[i].cause, CAUSE_EXIT);
		assert_int_equal(b->flushes[i].entry, ENTRY_ALL);
		assert_true(b->flushes[i].mm->dead);
	}
	assert_string_equal(b->flushes[0].mm->name, "sh");
	assert_string_equal(b->flushes[1].mm->name, "make");
}

/* A hardware PID is used again when its mm is gone: another mm, another name. */
static void hardware_pid_has_epochs(void **state)
{
	struct bench *b = *state;

	va(b, SHELL, PID, A, 1);
	whole(b, SHELL, PID, TLBIE_ALL);
	task_event(b, EVENT_EXIT, SHELL, "");
	va(b, MAKE, PID, A, 1);
	finish(b);
	assert_int_equal(b->n, 3);
	assert_ptr_equal(b->flushes[0].mm, b->flushes[1].mm);
	assert_ptr_not_equal(b->flushes[1].mm, b->flushes[2].mm);
	assert_int_equal(b->flushes[2].mm->hw_pid, PID);
	assert_string_equal(b->flushes[0].mm->name, "sh");
	assert_string_equal(b->flushes[2].mm->name, "make");
	assert_int_equal(mm_count(join_mms(b->join)), 2);
}

/* Two execs in a row: the second new mm takes the number that the first old one has left. */
static void hardware_pid_comes_back_to_its_process(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, PID, TLBIE_ALL);
	va(b, SHELL, NEW_PID, A, 1);
	task_event(b, EVENT_EXEC, SHELL, "env");
	whole(b, SHELL, NEW_PID, TLBIE_ALL);
	va(b, SHELL, PID, A, 1);
	task_event(b, EVENT_EXEC, SHELL, "cc1");
	finish(b);
	assert_int_equal(b->n, 4);
	assert_ptr_equal(b->flushes[1].mm, b->flushes[2].mm);
	assert_ptr_not_equal(b->flushes[0].mm, b->flushes[3].mm);
	assert_string_equal(b->flushes[0].mm->name, "sh");
	assert_string_equal(b->flushes[2].mm->name, "env");
	assert_string_equal(b->flushes[3].mm->name, "cc1");
}

/* One whole flush without any sign of death is no end: the mm goes on. */
static void whole_flush_alone_is_no_death(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, PID, TLBIE_ALL);
	va(b, SHELL, PID, A, 1);
	enter(b, SHELL, SYSCALL_MUNMAP, PAGE_64K);
	whole(b, SHELL, PID, TLBIE_ALL);
	leave(b, SHELL, SYSCALL_MUNMAP);
	va(b, MAKE, PID, A, 1); /* such as process_madvise */
	finish(b);
	assert_int_equal(mm_count(join_mms(b->join)), 1);
}

/* Threads flush their group's mm. */
static void threads_share_an_mm(void **state)
{
	struct bench *b = *state;

	va(b, SHELL + 1, PID, A, 1);
	newtask(b, SHELL, 500, CLONE_VM | CLONE_THREAD);
	va(b, 500, PID, A + PAGE_2M, 1);
	finish(b);
	assert_ptr_equal(b->flushes[0].mm, b->flushes[1].mm);
	assert_int_equal(b->flushes[0].mm->tgid, SHELL);
}

/* kswapd and the trims of other tasks own nothing of what they flush. */
static void foreign_issuers_do_not_own(void **state)
{
	struct bench *b = *state;

	va(b, KSWAPD, PID, A, 1);
	feed_run(b, (struct run){ .kind = TLBIE_ALL,
				  .tid = MAKE,
				  .hw_pid = PID,
				  .n = 1,
				  .local = true,
				  .irq = true,
				  .cpu = 2 });
	va(b, SHELL, PID, A, 1);
	finish(b);
	assert_int_equal(b->n, 3);
	assert_int_equal(mm_count(join_mms(b->join)), 1);
	assert_int_equal(b->flushes[0].mm->tgid, SHELL);
	assert_string_equal(b->flushes[0].mm->name, "sh");
	assert_int_equal(b->flushes[0].cause, CAUSE_KTHREAD);
	assert_string_equal(b->flushes[0].comm, "kswapd0");
}

/* Kernel addresses, guests and the hash MMU concern no mm of a process. */
static void no_mm_where_there_is_none(void **state)
{
	struct bench *b = *state;

	whole(b, SHELL, 0, TLBIE_KERNEL);
	feed_run(b, (struct run){ .kind = TLBIE_HASH, .tid = SHELL, .n = 12 });
	feed_run(b, (struct run){ .kind = TLBIE_GUEST, .tid = SHELL, .hw_pid = PID, .n = 3 });
	finish(b);
	assert_int_equal(b->n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_null(b->flushes[i].mm);
	assert_int_equal(mm_count(join_mms(b->join)), 0);
	for (size_t i = 0; i < 3; i++) {
		const struct flush *f = &b->flushes[i];

		assert_int_equal(f->shape,
				 f->foreign == TLBIE_KERNEL ? SHAPE_KERNEL : SHAPE_FOREIGN);
		if (f->foreign == TLBIE_HASH)
			assert_int_equal(f->pages, 12);
	}
}

/* What the longest run of a call says, all runs of the call know; and no other call. */
static void longest_run_of_the_call(void **state)
{
	struct bench *b = *state;

	enter(b, SHELL, SYSCALL_MUNMAP, 0);
	va(b, SHELL, PID, A, 3);
	va(b, SHELL, PID, A + 8 * PAGE_2M, 40);
	leave(b, SHELL, SYSCALL_MUNMAP);
	enter(b, SHELL, SYSCALL_MUNMAP, 0);
	va(b, SHELL, PID, A, 5);
	leave(b, SHELL, SYSCALL_MUNMAP);
	finish(b);
	assert_int_equal(b->n, 3);
	assert_int_equal(b->flushes[0].pages, 3);
	assert_int_equal(b->flushes[0].call_longest, 40);
	assert_int_equal(b->flushes[1].call_longest, 40);
	assert_int_equal(b->flushes[2].call_longest, 5);
}

/* How often a call promoted tells how it flushes. */
static void promoted_calls_are_reported(void **state)
{
	struct bench *b = *state;

	enter(b, SHELL, SYSCALL_MUNMAP, 0);
	whole(b, SHELL, PID, TLBIE_PID);
	leave(b, SHELL, SYSCALL_MUNMAP);
	enter(b, SHELL, SYSCALL_MADVISE, 0);
	whole(b, SHELL, PID, TLBIE_PID);
	whole(b, SHELL, PID, TLBIE_PID);
	whole(b, SHELL, PID, TLBIE_PID);
	leave(b, SHELL, SYSCALL_MADVISE);
	enter(b, SHELL, SYSCALL_BRK, 0);
	va(b, SHELL, PID, A, 3);
	leave(b, SHELL, SYSCALL_BRK);
	whole(b, SHELL, PID, TLBIE_PID); /* in no call */
	finish(b);
	assert_int_equal(b->n_calls, 2);
	assert_int_equal(b->calls[0].cause, CAUSE_MUNMAP);
	assert_int_equal(b->calls[0].promoted, 1);
	assert_ptr_equal(b->calls[0].mm, b->flushes[0].mm);
	assert_int_equal(b->calls[1].cause, CAUSE_MADVISE);
	assert_int_equal(b->calls[1].promoted, 3);
}

/* Two CPUs, two tasks: neither's calls explain the other's flushes. */
static void tasks_do_not_mix(void **state)
{
	struct bench *b = *state;

	enter(b, SHELL, SYSCALL_MUNMAP, 0);
	feed_event(b,
		   (struct event){
			   .kind = EVENT_SYS_ENTER, .tid = MAKE, .cpu = 1, .sys.nr = SYSCALL_BRK });
	va(b, SHELL, PID, A, 2);
	feed_run(b, (struct run){ .kind = TLBIE_VA,
				  .tid = MAKE,
				  .hw_pid = NEW_PID,
				  .addr = A,
				  .n = 2,
				  .shift = 16,
				  .cpu = 1 });
	finish(b);
	assert_int_equal(b->n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(b->flushes[i].cause,
				 b->flushes[i].tid == SHELL ? CAUSE_MUNMAP : CAUSE_BRK);
}

/* A task that flushes without end does nothing that settles it: nothing is lost. */
static void many_waiting_flushes_are_all_handed_out(void **state)
{
	struct bench *b = *state;

	for (uint64_t i = 0; i < 5000; i++)
		va(b, SHELL, PID, A + i * PAGE_2M, 1);
	finish(b);
	assert_int_equal(b->n, 5000);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(b->flushes[i].addr, A + i * PAGE_2M);
}

/* A guest's H_RPT_INVALIDATE: what it was for only a probe tells, whose it was its task does. */
static void hypervisor_calls(void **state)
{
	struct bench *b = *state;
	struct class_key key;
	struct request_record asked = {
		.fn = REQUEST_GATHER,
		.has = REQUEST_HAS_RANGE | REQUEST_HAS_BITS | REQUEST_HAS_HW_PID,
		.start = A,
		.end = A + UINT64_C(20) * 65536,
		.bits = 4, /* freed_tables */
		.hw_pid = PID,
	};

	va(b, SHELL, PID, A, 1); /* known by a flush of its own */
	enter(b, SHELL, SYSCALL_MUNMAP, 65536);
	feed_event(b, (struct event){ .kind = EVENT_REQUEST, .tid = SHELL, .request = asked });
	whole(b, SHELL, 0, TLBIE_HCALL);
	whole(b, SHELL + 1, 0, TLBIE_HCALL);
	whole(b, MAKE, 0, TLBIE_HCALL);
	whole(b, KSWAPD, 0, TLBIE_HCALL);
	leave(b, SHELL, SYSCALL_MUNMAP);
	finish(b);
	assert_int_equal(b->n, 5);
	for (size_t i = 0; i < b->n; i++) {
		const struct flush *f = &b->flushes[i];

		if (f->shape != SHAPE_HCALL)
			continue;
		assert_int_equal(flush_recorded(f).n[COUNT_HCALLS], 1);
		assert_int_equal(flush_recorded(f).n[COUNT_TLBIE], 0);
		class_key_of(&key, f, 16);
		assert_int_equal(f->is_told, f->tid == SHELL);
		assert_int_equal(key.pages, f->tid == SHELL ? 20 : 0);
		assert_int_equal(key.pwc, f->tid == SHELL);
		assert_int_equal(f->entry, f->tid == SHELL ? ENTRY_PWC : ENTRY_UNKNOWN);
		assert_int_equal(f->cause == CAUSE_MUNMAP, f->tid == SHELL);
		if (f->tid == KSWAPD)
			assert_null(f->mm);
		else
			assert_int_equal(f->mm->hw_pid, f->tid == MAKE ? 0 : PID);
	}
}

static bool refuse(void *arg, const struct flush *f)
{
	return false;
}

/* The sink's refusal ends the run. */
static void refusal_of_the_sink_is_passed_on(void **state)
{
	struct bench *b = *state;
	struct join_sink sink = { .flush = refuse };

	join_free(b->join);
	b->join = join_new(&b->source.src, 4, 16, &sink);
	assert_non_null(b->join);
	va(b, SHELL, PID, A, 1);
	assert_false(join_finish(b->join));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pwc_and_pages_are_one_request),
		TEST(derived_pass_belongs_to_its_range),
		TEST(derived_pass_with_4k_pages),
		TEST(other_2m_runs_are_not_derived),
		TEST(derived_pass_of_unaligned_range),
		TEST(what_separates_parts),
		TEST(trim_between_parts),
		TEST(mremap_flushes_each_pmd),
		TEST(system_calls_are_causes),
		TEST(faults_outside_of_calls),
		TEST(fork_flushes_the_parent),
		TEST(exec_is_split_at_the_teardown),
		TEST(exit_on_both_sides_of_its_event),
		TEST(hardware_pid_has_epochs),
		TEST(hardware_pid_comes_back_to_its_process),
		TEST(whole_flush_alone_is_no_death),
		TEST(threads_share_an_mm),
		TEST(foreign_issuers_do_not_own),
		TEST(no_mm_where_there_is_none),
		TEST(longest_run_of_the_call),
		TEST(promoted_calls_are_reported),
		TEST(tasks_do_not_mix),
		TEST(many_waiting_flushes_are_all_handed_out),
		TEST(hypervisor_calls),
		TEST(refusal_of_the_sink_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
