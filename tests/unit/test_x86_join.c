/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_x86_join.c - x86's flush events of all CPUs become flushes (policies 7.1 to 7.3, 7.5, 13). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/join.h"
#include "fake_source.h"

#define CPUS 4
#define APP 100
#define OTHER 200
#define KSWAPD 50
#define ALL (-1)

enum {
	SWITCH = 0,
	REMOTE = 1,
	BATCH = 2,
	OWN = 3,
	SEND = 4,
	WRONG_CPU = 5,
};

static const struct fake_task tasks[] = {
	{ APP, APP, "app" },	   { APP + 1, APP, "app" },	  { APP + 2, APP, "app" },
	{ OTHER, OTHER, "other" }, { OTHER + 1, OTHER, "other" }, { KSWAPD, KSWAPD, "kswapd0" },
};

struct bench {
	struct fake_source source;
	struct join *join;
	uint64_t now_ns;
	struct flush flushes[64];
	size_t n;
};

static bool take_flush(void *arg, const struct flush *f)
{
	struct bench *b = arg;

	assert_in_range(b->n, 0, 63);
	b->flushes[b->n++] = *f;
	return true;
}

static int setup_kernel(void **state, const char *kernel)
{
	static struct bench b;
	struct join_sink sink = { .arg = &b, .flush = take_flush };

	b = (struct bench){ .n = 0 };
	fake_source_init(&b.source, tasks, sizeof(tasks) / sizeof(*tasks));
	(void)snprintf(b.source.info.arch, sizeof(b.source.info.arch), "x86_64");
	(void)snprintf(b.source.info.kernel, sizeof(b.source.info.kernel), "%s", kernel);
	b.join = join_new(&b.source.src, CPUS, 12, &sink);
	*state = &b;
	return b.join ? 0 : -1;
}

static int setup(void **state)
{
	return setup_kernel(state, "6.1.0-50-amd64");
}

static int setup_old(void **state)
{
	return setup_kernel(state, "5.10.0-30-amd64");
}

static int teardown(void **state)
{
	struct bench *b = *state;

	join_free(b->join);
	return 0;
}

/* The event comes at the same time as the one before. */
static void feed_now(struct bench *b, struct event ev)
{
	struct run_item item = { .event = ev };

	item.time_ns = item.event.time_ns = b->now_ns;
	item.event.tgid = -1;
	assert_true(join_item(b->join, &item));
}

static void feed(struct bench *b, struct event ev)
{
	b->now_ns += 10;
	feed_now(b, ev);
}

static struct event flush_event(uint32_t cpu, int32_t tid, int reason, int64_t pages)
{
	return (struct event){ .kind = EVENT_X86_FLUSH,
			       .cpu = cpu,
			       .tid = tid,
			       .flags = reason == REMOTE ? EVENT_HARDIRQ : 0,
			       .x86 = { reason, pages } };
}

static void flush(struct bench *b, uint32_t cpu, int32_t tid, int reason, int64_t pages)
{
	feed(b, flush_event(cpu, tid, reason, pages));
}

static void enter(struct bench *b, uint32_t cpu, int32_t tid, enum syscall_nr nr, uint64_t pages)
{
	feed(b, (struct event){ .kind = EVENT_SYS_ENTER,
				.cpu = cpu,
				.tid = tid,
				.sys = { .nr = nr, .start = 0x7000, .len = pages << 12 } });
}

static void switch_to(struct bench *b, uint32_t cpu, int32_t prev, int32_t next)
{
	feed(b, (struct event){ .kind = EVENT_SWITCH,
				.cpu = cpu,
				.tid = prev,
				.sw = { .prev_tid = prev, .next_tid = next } });
}

static void request(struct bench *b, uint32_t cpu, int32_t tid, uint64_t start, uint64_t end)
{
	feed(b, (struct event){ .kind = EVENT_REQUEST,
				.cpu = cpu,
				.tid = tid,
				.request = { .fn = REQUEST_X86_RANGE,
					     .has = REQUEST_HAS_RANGE | REQUEST_HAS_PWC |
						    REQUEST_HAS_PAGE_SIZE,
					     .start = start,
					     .end = end,
					     .page_size = 4096 } });
}

/* Ends the trace; the flushes are then in order of their start. */
static void finish(struct bench *b, size_t n)
{
	assert_true(join_finish(b->join));
	assert_int_equal(b->n, n);
	for (size_t i = 1; i < n; i++) {
		for (size_t k = i; k > 0 && b->flushes[k].start_ns < b->flushes[k - 1].start_ns;
		     k--) {
			struct flush swap = b->flushes[k];

			b->flushes[k] = b->flushes[k - 1];
			b->flushes[k - 1] = swap;
		}
	}
}

static const struct flush *only(struct bench *b)
{
	finish(b, 1);
	assert_int_equal(b->flushes[0].shape, SHAPE_X86);
	return &b->flushes[0];
}

static void check_cpus(const struct flush *f, uint64_t pages, uint32_t partial, uint32_t full)
{
	assert_int_equal(f->x86.pages, pages);
	assert_int_equal(f->x86.partial_cpus, partial);
	assert_int_equal(f->x86.full_cpus, full);
}

static void test_alone(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	flush(b, 0, APP, OWN, 5);
	f = only(b);
	check_cpus(f, 5, 1, 0);
	assert_false(f->x86.sent);
	assert_int_equal(f->mm->tgid, APP);
	assert_string_equal(f->mm->name, "app");
	assert_int_equal(f->x86.ipis_max, 0);
}

/* v5.13 and later: the send, then the own flush beside the receivers'. */
static void test_new_order(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	flush(b, 0, APP, SEND, 7);
	flush(b, 1, APP + 1, REMOTE, 7);
	flush(b, 0, APP, OWN, 7);
	flush(b, 2, APP + 2, REMOTE, 7);
	f = only(b);
	check_cpus(f, 7, 3, 0);
	assert_int_equal(f->x86.ipis_usual, 2);
	assert_int_equal(f->x86.ipis_min, 0);
	assert_int_equal(f->x86.ipis_max, CPUS - 1);
}

/* Before: the own flush first. What follows is of the next request. */
static void test_old_order(void **state)
{
	struct bench *b = *state;

	flush(b, 0, APP, OWN, 7);
	flush(b, 0, APP, SEND, 7);
	flush(b, 1, APP + 1, REMOTE, 7);
	flush(b, 0, APP, OWN, 3);
	flush(b, 0, APP, SEND, 3);
	flush(b, 1, APP + 1, REMOTE, 3);
	finish(b, 2);
	check_cpus(&b->flushes[0], 7, 2, 0);
	check_cpus(&b->flushes[1], 3, 2, 0);
}

/* v4.20 to v5.12: the sender runs the receivers' function, too, and finds nothing left, or all. */
static void test_sender_runs_it_again(void **state)
{
	struct bench *b = *state;
	struct event again = flush_event(0, APP, REMOTE, 0);

	again.flags = 0;
	flush(b, 0, APP, OWN, 7);
	flush(b, 0, APP, SEND, 7);
	flush(b, 1, APP + 1, REMOTE, 7);
	feed(b, again);
	flush(b, 0, APP, OWN, 3);
	flush(b, 0, APP, SEND, 3);
	again.x86.pages = ALL;
	feed(b, again);
	flush(b, 1, APP + 1, REMOTE, 3);
	finish(b, 2);
	check_cpus(&b->flushes[0], 7, 2, 0);
	check_cpus(&b->flushes[1], 3, 2, 1);
	assert_int_equal(b->flushes[1].x86.ipis_usual, 1);
}

/* The same events in the new order: alone, then sent, then sent. */
static void test_order_is_the_era(void **state)
{
	struct bench *b = *state;

	flush(b, 0, APP, OWN, 7);
	flush(b, 0, APP, SEND, 7);
	flush(b, 1, APP + 1, REMOTE, 7);
	flush(b, 0, APP, OWN, 7);
	finish(b, 2);
	check_cpus(&b->flushes[0], 7, 1, 0);
	check_cpus(&b->flushes[1], 7, 2, 0);
}

/* Reason 4 counts 4K pages, the others pages of the stride: eight of 2 MiB. */
static void test_stride(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	flush(b, 0, APP, SEND, 4096);
	flush(b, 0, APP, OWN, 8);
	flush(b, 1, APP + 1, REMOTE, 8);
	f = only(b);
	check_cpus(f, 8, 2, 0);
	assert_int_equal(f->x86.shift, 21);
}

/* A CPU a generation behind flushes everything, one that is ahead nothing. */
static void test_generations(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	flush(b, 0, APP, SEND, 7);
	flush(b, 0, APP, OWN, 7);
	flush(b, 1, APP + 1, REMOTE, ALL);
	flush(b, 2, APP + 2, REMOTE, 0);
	f = only(b);
	check_cpus(f, 7, 1, 1);
	assert_int_equal(f->x86.ipis_usual, 2);
	assert_false(f->x86.promoted);
}

static void test_promoted_is_censored(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	enter(b, 0, APP, SYSCALL_MPROTECT, 40);
	flush(b, 0, APP, SEND, ALL);
	flush(b, 0, APP, OWN, ALL);
	flush(b, 1, APP + 1, REMOTE, ALL);
	f = only(b);
	check_cpus(f, 0, 0, 2);
	assert_true(f->x86.promoted);
	assert_false(f->x86.whole);
	assert_int_equal(f->x86.pages_max, 40);
	assert_int_equal(f->cause, CAUSE_MPROTECT);
}

/* munmap frees page tables, which widens the range; a later flush may be no part of the call. */
static void test_calls_that_do_not_bound(void **state)
{
	struct bench *b = *state;

	enter(b, 0, APP, SYSCALL_MUNMAP, 40);
	flush(b, 0, APP, OWN, ALL);
	enter(b, 0, APP, SYSCALL_MADVISE, 40);
	flush(b, 0, APP, OWN, ALL);
	flush(b, 0, APP, OWN, ALL);
	finish(b, 3);
	assert_true(b->flushes[0].x86.pages_max == UINT64_MAX);
	assert_int_equal(b->flushes[1].x86.pages_max, 40);
	assert_true(b->flushes[2].x86.pages_max == UINT64_MAX);
}

static void test_probe_tells_size(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	request(b, 0, APP, 0x10000, 0x10000 + (40 << 12));
	flush(b, 0, APP, SEND, ALL);
	flush(b, 0, APP, OWN, ALL);
	flush(b, 1, APP + 1, REMOTE, ALL);
	f = only(b);
	check_cpus(f, 40, 0, 2);
	assert_true(f->is_told);
	assert_int_equal(f->entry, ENTRY_RANGE);
}

/* exec asks to flush an mm that is loaded nowhere: no event follows, and the next one is another's. */
static void test_probe_that_is_denied(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	request(b, 0, APP, 0x10000, 0x10000 + (40 << 12));
	flush(b, 0, APP, OWN, 3);
	f = only(b);
	check_cpus(f, 3, 1, 0);
	assert_false(f->is_told);
}

static void test_probe_of_whole_mm(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	request(b, 0, APP, 0, UINT64_MAX);
	flush(b, 0, APP, OWN, ALL);
	f = only(b);
	check_cpus(f, 0, 0, 1);
	assert_true(f->x86.whole);
}

static void test_batch(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	flush(b, 3, KSWAPD, SEND, ALL);
	flush(b, 3, KSWAPD, BATCH, ALL);
	flush(b, 0, APP, REMOTE, ALL);
	flush(b, 1, OTHER, REMOTE, ALL);
	f = only(b);
	check_cpus(f, 0, 0, 3);
	assert_true(f->x86.batch);
	assert_true(f->x86.whole);
	assert_false(f->x86.promoted);
	assert_null(f->mm);
	assert_int_equal(f->cause, CAUSE_KTHREAD);
}

/* Two requests at once: receivers go by size, and of equals by process. */
static void test_two_senders(void **state)
{
	struct bench *b = *state;

	flush(b, 0, APP, SEND, 7);
	flush(b, 1, OTHER, SEND, 7);
	flush(b, 2, OTHER + 1, REMOTE, 7);
	flush(b, 3, APP + 1, REMOTE, 7);
	flush(b, 1, OTHER, OWN, 7);
	flush(b, 0, APP, OWN, 7);
	finish(b, 2);
	for (size_t i = 0; i < 2; i++) {
		check_cpus(&b->flushes[i], 7, 2, 0);
		assert_int_equal(b->flushes[i].mm->tgid, b->flushes[i].tid);
	}
}

/* With equal stamps the merge may hand out what the sender did next before its last receiver. */
static void test_late_receiver(void **state)
{
	struct bench *b = *state;

	enter(b, 0, APP, SYSCALL_MUNMAP, 7);
	flush(b, 0, APP, SEND, 7);
	flush(b, 0, APP, OWN, 7);
	flush(b, 1, APP + 1, REMOTE, 7);
	enter(b, 0, APP, SYSCALL_MUNMAP, 9);
	feed_now(b, flush_event(0, APP, SEND, 9));
	feed_now(b, flush_event(0, APP, OWN, 9));
	feed_now(b, flush_event(2, APP + 2, REMOTE, 7));
	feed_now(b, flush_event(2, APP + 2, REMOTE, 9));
	finish(b, 2);
	assert_int_equal(join_x86_strays(b->join)->orphans, 0);
	check_cpus(&b->flushes[0], 7, 3, 0);
	check_cpus(&b->flushes[1], 9, 2, 0);
}

/* Clocks of CPUs differ: the receivers' are a little ahead of the sender's, or behind. */
static void test_skewed_clocks(void **state)
{
	struct bench *b = *state;

	enter(b, 0, APP, SYSCALL_MUNMAP, 7);
	flush(b, 1, APP + 1, REMOTE, 7);
	flush(b, 0, APP, SEND, 7);
	flush(b, 0, APP, OWN, 7);
	enter(b, 0, APP, SYSCALL_MUNMAP, 9);
	flush(b, 2, APP + 2, REMOTE, 7);
	assert_int_equal(b->n, 0);
	finish(b, 1);
	check_cpus(&b->flushes[0], 7, 3, 0);
	assert_int_equal(join_x86_strays(b->join)->orphans, 0);
}

/* Too far apart, or of another size: no share of that request. */
static void test_no_share(void **state)
{
	struct bench *b = *state;

	flush(b, 1, APP + 1, REMOTE, 7);
	b->now_ns += 20000000;
	flush(b, 2, APP + 2, REMOTE, 9);
	flush(b, 0, APP, SEND, 7);
	flush(b, 0, APP, OWN, 7);
	finish(b, 3);
	check_cpus(&b->flushes[2], 7, 1, 0);
	assert_int_equal(join_x86_strays(b->join)->orphans, 2);
}

static void test_orphan(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	flush(b, 1, APP + 1, REMOTE, 7);
	f = only(b);
	check_cpus(f, 7, 1, 0);
	assert_true(f->x86.orphan);
	assert_int_equal(f->mm->tgid, APP);
	assert_int_equal(flush_recorded(f).n[COUNT_FLUSHES], 0);
	assert_int_equal(flush_recorded(f).n[COUNT_INVLPG], 7);
}

static void test_no_requests(void **state)
{
	struct bench *b = *state;
	const struct x86_strays *strays = join_x86_strays(b->join);

	flush(b, 0, APP, SWITCH, ALL);
	flush(b, 0, APP, SWITCH, 0);
	flush(b, 0, APP, WRONG_CPU, 0);
	flush(b, 0, APP, 17, 1);
	finish(b, 0);
	assert_int_equal(strays->switch_flushes, 1);
	assert_int_equal(strays->wrong_cpu, 1);
	assert_int_equal(strays->unknown, 1);
}

/* A damaged file can have any number. */
static void test_impossible_pages(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < 8; i++) {
		flush(b, 0, APP, OWN, 5);
		flush(b, 0, APP, SEND, INT64_MIN);
		flush(b, 0, APP, SEND, INT64_MAX);
		flush(b, 1, APP + 1, REMOTE, -2);
	}
	finish(b, 8);
	assert_int_equal(join_x86_strays(b->join)->unknown, 3 * 8);
}

static void test_exec_begins_an_mm(void **state)
{
	struct bench *b = *state;
	struct event exec = { .kind = EVENT_EXEC, .tid = APP, .task.tid = APP };

	enter(b, 0, APP, SYSCALL_BRK, 0);
	flush(b, 0, APP, OWN, 2);
	enter(b, 0, APP, SYSCALL_OTHER, 0);
	flush(b, 0, APP, OWN, 1);
	flush(b, 0, APP, OWN, ALL);
	feed(b, exec);
	flush(b, 0, APP, OWN, 4);
	finish(b, 4);
	assert_int_equal(b->flushes[0].cause, CAUSE_BRK);
	assert_int_equal(b->flushes[1].cause, CAUSE_EXEC);
	assert_int_equal(b->flushes[2].cause, CAUSE_EXEC);
	assert_ptr_not_equal(b->flushes[0].mm, b->flushes[1].mm);
	assert_ptr_equal(b->flushes[1].mm, b->flushes[3].mm);
	assert_true(b->flushes[0].mm->dead);
}

static void test_fork(void **state)
{
	struct bench *b = *state;

	enter(b, 0, APP, SYSCALL_OTHER, 0);
	flush(b, 0, APP, OWN, 1);
	flush(b, 0, APP, OWN, ALL);
	feed(b, (struct event){ .kind = EVENT_NEWTASK, .tid = APP, .task.tid = 300 });
	finish(b, 2);
	assert_int_equal(b->flushes[0].cause, CAUSE_FAULT);
	assert_int_equal(b->flushes[1].cause, CAUSE_FORK);
	assert_int_equal(b->flushes[1].entry, ENTRY_MM);
}

/* ptrace, or a kernel thread: the initiator has no part of it, its receivers tell whose mm it is. */
static void test_mm_of_receivers(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	flush(b, 3, KSWAPD, SEND, 1);
	flush(b, 0, APP, REMOTE, 1);
	f = only(b);
	check_cpus(f, 1, 1, 0);
	assert_int_equal(f->mm->tgid, APP);
}

/* Where ipi events are recorded, they are the IPIs; others' callsites are not mistaken for them. */
static void test_ipi_events(void **state)
{
	struct bench *b = *state;
	struct event ipi = { .kind = EVENT_IPI_SEND,
			     .tid = APP,
			     .ipi = { .cpus = 6, .targets = 2, .callsite = 0xabc } };

	flush(b, 0, APP, SEND, 7);
	feed(b, ipi);
	flush(b, 0, APP, OWN, 7);
	flush(b, 1, APP + 1, REMOTE, 7);
	flush(b, 2, APP + 2, REMOTE, 7);
	flush(b, 0, APP, SEND, 7);
	ipi.ipi.callsite = 0xdef;
	feed(b, ipi);
	flush(b, 0, APP, OWN, 7);
	finish(b, 2);
	assert_true(b->flushes[0].x86.ipis_known);
	assert_int_equal(b->flushes[0].x86.ipis_min, 2);
	assert_int_equal(b->flushes[0].x86.ipis_max, 2);
	assert_int_equal(b->flushes[1].x86.ipis_max, 0);
}

static void queue(struct bench *b, uint32_t cpu, int32_t tid, uint32_t target, uint64_t csd)
{
	feed(b, (struct event){ .kind = EVENT_CSD_QUEUE,
				.cpu = cpu,
				.tid = tid,
				.csd = { .csd = csd, .cpu = target } });
}

static void run_queued(struct bench *b, uint32_t cpu, int32_t tid, uint64_t csd)
{
	feed(b, (struct event){ .kind = EVENT_CSD_RUN,
				.cpu = cpu,
				.tid = tid,
				.flags = EVENT_HARDIRQ,
				.csd = { .csd = csd } });
}

/* Of two alike requests at the same time the queued call says whose share it is: here the later one's. */
static void test_calls_tell_the_sender(void **state)
{
	struct bench *b = *state;

	flush(b, 0, APP, SEND, 7);
	queue(b, 0, APP, 1, 0xa01);
	flush(b, 2, APP + 2, SEND, 7);
	queue(b, 2, APP + 2, 1, 0xa21);
	run_queued(b, 1, APP + 1, 0xbad); /* another call, which does not flush */
	run_queued(b, 1, APP + 1, 0xa21);
	flush(b, 1, APP + 1, REMOTE, 7);
	flush(b, 0, APP, OWN, 7);
	flush(b, 2, APP + 2, OWN, 7);
	finish(b, 2);
	assert_int_equal(b->flushes[0].cpu, 0);
	assert_int_equal(b->flushes[0].x86.partial_cpus, 1);
	assert_int_equal(b->flushes[1].cpu, 2);
	assert_int_equal(b->flushes[1].x86.partial_cpus, 2);
}

/* No more IPIs than calls were queued, whatever the mask may hold; and no fewer than shares were seen. */
static void test_calls_bound_from_above(void **state)
{
	struct bench *b = *state;

	flush(b, 0, APP, SEND, 7);
	queue(b, 0, APP, 1, 0xa01);
	flush(b, 0, APP, OWN, 7);
	queue(b, 0, APP, 2, 0xa02); /* for something else */
	flush(b, 0, APP, SEND, 9);
	flush(b, 1, APP + 1, REMOTE, 9);
	finish(b, 2);
	assert_int_equal(b->flushes[0].x86.ipis_max, 1);
	assert_int_equal(b->flushes[0].x86.mask_max, CPUS - 1);
	assert_int_equal(b->flushes[1].x86.ipis_max, 1);
}

/* A receiver that a handler for several CPUs ran in was interrupted for it; the next in it was not. */
static void test_interrupts_bound_from_below(void **state)
{
	struct bench *b = *state;
	struct event interrupt = {
		.kind = EVENT_IPI_RECV, .cpu = 1, .tid = APP + 1, .flags = EVENT_HARDIRQ
	};

	flush(b, 0, APP, SEND, 7);
	flush(b, 2, APP + 2, SEND, 9);
	feed(b, interrupt);
	flush(b, 1, APP + 1, REMOTE, 7);
	flush(b, 1, APP + 1, REMOTE, 9);
	finish(b, 2);
	assert_int_equal(b->flushes[0].x86.ipis_min + b->flushes[1].x86.ipis_min, 1);
	assert_int_equal(b->flushes[0].x86.ipis_usual + b->flushes[1].x86.ipis_usual, 2);
}

/* Switches bound from above: a CPU that another process has taken over has left the mask. */
static void test_switches_bound_from_above(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	switch_to(b, 1, APP + 1, OTHER + 1); /* another process: gone */
	switch_to(b, 2, APP + 2, 0);	     /* idle, lazily: still in the mask */
	flush(b, 0, APP, SEND, 7);
	flush(b, 0, APP, OWN, 7);
	f = only(b);
	/* CPU 3 is unknown. */
	assert_int_equal(f->x86.mask_max, 2);
	assert_int_equal(f->x86.ipis_max, 2);
}

/* Nothing frees page tables, says the probe: lazy CPUs get no IPI. */
static void test_lazy_is_skipped(void **state)
{
	struct bench *b = *state;
	const struct flush *f;

	switch_to(b, 1, APP + 1, OTHER + 1);
	switch_to(b, 2, APP + 2, 0);
	switch_to(b, 3, OTHER, APP + 1);
	request(b, 0, APP, 0x10000, 0x10000 + (7 << 12));
	flush(b, 0, APP, SEND, 7);
	flush(b, 0, APP, OWN, 7);
	f = only(b);
	assert_int_equal(f->x86.mask_max, 2);
	assert_int_equal(f->x86.ipis_max, 1);
}

#define PROCESSES 20000

/* Flushes of many processes, and what becomes of their mms. */
struct crowd {
	uint64_t flushes;
	uint64_t folds;
};

static bool count_flush(void *arg, const struct flush *f)
{
	struct crowd *c = arg;

	assert_non_null(f->mm);
	assert_string_equal(f->mm->name, f->tid == OTHER + 1 ? "other" : "short");
	c->flushes++;
	return true;
}

static void count_fold(void *arg, const uint32_t *into)
{
	struct crowd *c = arg;

	assert_non_null(into);
	c->folds++;
}

static void exit_task(struct bench *b, uint32_t cpu, int32_t tid)
{
	feed(b,
	     (struct event){ .kind = EVENT_EXIT, .cpu = cpu, .tid = tid, .task = { .tid = tid } });
}

static void run_process(struct bench *b, int32_t tid)
{
	feed(b, (struct event){ .kind = EVENT_NEWTASK,
				.cpu = 1,
				.tid = APP,
				.task = { .tid = tid, .comm = "short" } });
	flush(b, 0, tid, OWN, 1);
	exit_task(b, 0, tid);
}

/* A thread whose flush waits for what it does next, and its leader is gone: the mm stays. */
static void leave_one_waiting(struct bench *b)
{
	flush(b, 3, OTHER + 1, OWN, 2);
	switch_to(b, 3, OTHER + 1, 0);
	exit_task(b, 2, OTHER);
}

static void test_processes_that_exit_are_folded(void **state)
{
	struct bench *b = *state;
	struct crowd crowd = { 0 };
	struct join_sink sink = { .arg = &crowd, .flush = count_flush, .fold = count_fold };
	uint64_t members = 0;

	join_free(b->join);
	b->join = join_new(&b->source.src, CPUS, 12, &sink);
	assert_non_null(b->join);
	leave_one_waiting(b);
	for (int32_t i = 0; i < PROCESSES; i++)
		run_process(b, 1000 + i);
	assert_in_range(mm_count(join_mms(b->join)), 1, 2 * MM_DETAIL);
	for (uint32_t i = 0; i < mm_count(join_mms(b->join)); i++) {
		const struct mm *mm = mm_by_index(join_mms(b->join), i);

		members += mm ? (mm->members ? mm->members : 1) : 0;
	}
	assert_int_equal(members, PROCESSES + 1);
	assert_true(crowd.folds > 1);
	assert_true(join_finish(b->join));
	assert_int_equal(crowd.flushes, PROCESSES + 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_alone),
		TEST(test_new_order),
		cmocka_unit_test_setup_teardown(test_old_order, setup_old, teardown),
		cmocka_unit_test_setup_teardown(test_sender_runs_it_again, setup_old, teardown),
		TEST(test_order_is_the_era),
		TEST(test_stride),
		TEST(test_generations),
		TEST(test_promoted_is_censored),
		TEST(test_calls_that_do_not_bound),
		TEST(test_probe_tells_size),
		TEST(test_probe_that_is_denied),
		TEST(test_probe_of_whole_mm),
		TEST(test_batch),
		TEST(test_two_senders),
		TEST(test_late_receiver),
		TEST(test_skewed_clocks),
		TEST(test_no_share),
		TEST(test_orphan),
		TEST(test_no_requests),
		TEST(test_impossible_pages),
		cmocka_unit_test_setup_teardown(test_impossible_pages, setup_old, teardown),
		TEST(test_exec_begins_an_mm),
		TEST(test_fork),
		TEST(test_mm_of_receivers),
		TEST(test_ipi_events),
		TEST(test_calls_tell_the_sender),
		TEST(test_calls_bound_from_above),
		TEST(test_interrupts_bound_from_below),
		TEST(test_switches_bound_from_above),
		TEST(test_lazy_is_skipped),
		TEST(test_processes_that_exit_are_folded),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
