/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_asked.c - probes become the runs that would have been recorded (policies 2.3 to 2.6, 9.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/asked.h"
#include "analyze/geometry.h"
#include "analyze/tlbie.h"

#define SHIFT 16
#define PAGE UINT64_C(0x10000)
#define BASE UINT64_C(0x7fff80000000)
#define MM UINT64_C(0xc000000002ff4100)
#define TASK 100
#define MOST 16

enum {
	NONE,
	LOCAL,
	GLOBAL,
};

/* What came out, in order; events are counted. */
struct out {
	struct run run[MOST];
	size_t runs;
	size_t events;
	size_t events_before[MOST]; /* each run */
};

static bool take(void *arg, const struct run_item *item)
{
	struct out *out = arg;

	if (!item->is_run) {
		out->events++;
		return true;
	}
	assert_true(out->runs < MOST);
	out->events_before[out->runs] = out->events;
	out->run[out->runs++] = item->run;
	return true;
}

struct feeder {
	struct asked *asked;
	struct out out;
	uint64_t now;
	uint32_t cpu;
};

static int set_up(void **state)
{
	static struct feeder f;

	f = (struct feeder){ .asked = asked_new(SHIFT), .now = 1000, .cpu = 1 };
	*state = &f;
	return f.asked ? 0 : -1;
}

static int tear_down(void **state)
{
	struct feeder *f = *state;

	asked_free(f->asked);
	return 0;
}

static void feed(struct feeder *f, struct event ev)
{
	struct run_item item;

	ev.time_ns = f->now++;
	ev.cpu = f->cpu;
	item = (struct run_item){ .time_ns = ev.time_ns, .event = ev };
	assert_true(asked_item(f->asked, &item, take, &f->out));
}

static void probe(struct feeder *f, struct request_record rec)
{
	feed(f, (struct event){ .kind = EVENT_REQUEST, .tid = TASK, .request = rec });
}

static void scope(struct feeder *f, uint32_t type)
{
	probe(f, (struct request_record){ .fn = REQUEST_SCOPE, .type = type });
}

/* A gather as `tlbtrace record` probes it: the mm by its address, no PID. */
static struct request_record gather(uint64_t pages, uint32_t page_size, uint16_t bits)
{
	return (struct request_record){
		.fn = REQUEST_GATHER,
		.has = REQUEST_HAS_MM | REQUEST_HAS_RANGE | REQUEST_HAS_BITS | REQUEST_HAS_PAGE_SIZE,
		.mm = MM,
		.start = BASE,
		.end = BASE + pages * page_size,
		.page_size = page_size,
		.bits = bits,
	};
}

static void finish(struct feeder *f)
{
	assert_true(asked_finish(f->asked, take, &f->out));
}

static void the_scope_completes_a_request(void **state)
{
	struct feeder *f = *state;
	const struct run *run = f->out.run;

	probe(f, gather(32, PAGE, 0));
	assert_int_equal(f->out.runs, 0);
	f->cpu = 3; /* the task has migrated: it flushes where its scope was decided */
	scope(f, GLOBAL);
	assert_int_equal(f->out.runs, 1);
	assert_int_equal(f->out.events_before[0], 2);
	assert_int_equal(run->kind, TLBIE_VA);
	assert_int_equal(run->addr, BASE);
	assert_int_equal(run->n, 32);
	assert_int_equal(run->shift, SHIFT);
	assert_int_equal(run->cpu, 3);
	assert_false(run->local);
	assert_true(run->asked);
	assert_false(run->scope_open);
	assert_true(run->hw_pid & ASKED_PID);
	probe(f, gather(2, PAGE, 0));
	scope(f, LOCAL);
	assert_true(f->out.run[1].local);
	assert_int_equal(f->out.run[1].hw_pid, run->hw_pid);
	finish(f);
	assert_int_equal(f->out.runs, 2);
}

static void none_is_no_flush(void **state)
{
	struct feeder *f = *state;

	probe(f, gather(32, PAGE, 0));
	scope(f, NONE);
	finish(f);
	assert_int_equal(f->out.runs, 0);
	assert_int_equal(f->out.events, 2);
}

static void without_scope_the_next_thing_ends_it(void **state)
{
	struct feeder *f = *state;

	probe(f, gather(3, PAGE, 0));
	feed(f, (struct event){ .kind = EVENT_SWITCH, .tid = TASK }); /* not the end of it */
	feed(f, (struct event){ .kind = EVENT_SYS_EXIT, .tid = TASK + 1 });
	assert_int_equal(f->out.runs, 0);
	feed(f, (struct event){ .kind = EVENT_SYS_EXIT, .tid = TASK });
	assert_int_equal(f->out.runs, 1);
	assert_int_equal(f->out.events_before[0], 3); /* the call's end comes behind it */
	assert_true(f->out.run[0].scope_open);
	probe(f, gather(4, PAGE, 0));
	probe(f, gather(5, PAGE, 0));
	assert_int_equal(f->out.runs, 2);
	assert_int_equal(f->out.run[1].n, 4);
	finish(f);
	assert_int_equal(f->out.runs, 3);
	assert_int_equal(f->out.run[2].n, 5);
	assert_true(f->out.run[2].scope_open);
}

/* A preempted task may be on its way into the flush; one that waits has left it. */
static void a_task_that_waits_has_left_it(void **state)
{
	struct feeder *f = *state;
	struct event ev = { .kind = EVENT_SWITCH, .tid = TASK, .sw.prev_tid = TASK };

	probe(f, gather(3, PAGE, 0));
	ev.sw.prev_state = 0x100;
	feed(f, ev);
	assert_int_equal(f->out.runs, 0);
	ev.sw.prev_state = 1;
	ev.sw.prev_tid = TASK + 1;
	feed(f, ev);
	assert_int_equal(f->out.runs, 0);
	ev.sw.prev_tid = TASK;
	feed(f, ev);
	assert_int_equal(f->out.runs, 1);
	assert_int_equal(f->out.events_before[0], 3);
	finish(f);
	assert_int_equal(f->out.runs, 1);
}

static void whole_whatever_the_ceiling(void **state)
{
	struct feeder *f = *state;

	probe(f, gather(32, PAGE, 1)); /* fullmm */
	scope(f, LOCAL);
	assert_int_equal(f->out.run[0].kind, TLBIE_ALL);
	probe(f, gather(32, 0, 0)); /* no page size: flush_tlb_mm */
	scope(f, LOCAL);
	assert_int_equal(f->out.run[1].kind, TLBIE_PID);
	probe(f, gather(32, 0, 4)); /* and page tables: flush_all_mm */
	scope(f, LOCAL);
	assert_int_equal(f->out.run[2].kind, TLBIE_ALL);
	probe(f, (struct request_record){ .fn = REQUEST_MM, .has = REQUEST_HAS_MM, .mm = MM });
	scope(f, GLOBAL);
	assert_int_equal(f->out.run[3].kind, TLBIE_PID);
	probe(f, (struct request_record){ .fn = REQUEST_KERNEL, .has = REQUEST_HAS_RANGE });
	finish(f); /* has no scope */
	assert_int_equal(f->out.run[4].kind, TLBIE_KERNEL);
	assert_false(f->out.run[4].scope_open);
}

static void the_size_of_pages_counts(void **state)
{
	struct feeder *f = *state;

	probe(f, gather(4, PMD_BYTES, 0));
	scope(f, GLOBAL);
	assert_int_equal(f->out.run[0].shift, PMD_SHIFT);
	assert_int_equal(f->out.run[0].n, 4);
	/* The innermost of nested probes has the range. */
	probe(f, gather(32, PAGE, 0));
	probe(f, (struct request_record){ .fn = REQUEST_RANGE_PSIZE,
					  .has = REQUEST_HAS_RANGE | REQUEST_HAS_PSIZE,
					  .start = BASE,
					  .end = BASE + 2 * PMD_BYTES,
					  .psize = 7 });
	scope(f, GLOBAL);
	assert_int_equal(f->out.runs, 2);
	assert_int_equal(f->out.run[1].shift, PMD_SHIFT);
	assert_int_equal(f->out.run[1].n, 2);
}

static void the_scope_names_the_mm(void **state)
{
	struct feeder *f = *state;
	struct request_record page = { .fn = REQUEST_PAGE,
				       .has = REQUEST_HAS_RANGE,
				       .start = BASE + 0x123,
				       .end = BASE + 0x123 };

	probe(f, page); /* without BTF its mm is not known */
	scope(f, LOCAL);
	assert_int_equal(f->out.run[0].hw_pid, 0);
	assert_int_equal(f->out.run[0].addr, BASE);
	probe(f, page);
	probe(f, (struct request_record){ .fn = REQUEST_SCOPE_IN, .has = REQUEST_HAS_MM, .mm = MM });
	scope(f, LOCAL);
	assert_true(f->out.run[1].hw_pid & ASKED_PID);
	/* Where any probe fetched the kernel's own number, all have it. */
	probe(f, (struct request_record){ .fn = REQUEST_MM,
					  .has = REQUEST_HAS_MM | REQUEST_HAS_HW_PID,
					  .mm = MM,
					  .hw_pid = 7 });
	scope(f, LOCAL);
	assert_int_equal(f->out.run[2].hw_pid, 7);
	probe(f, gather(1, PAGE, 0));
	scope(f, LOCAL);
	assert_int_equal(f->out.run[3].hw_pid, 7);
}

static struct event trim(uint32_t has, bool always)
{
	return (struct event){ .kind = EVENT_REQUEST,
			       .flags = EVENT_HARDIRQ,
			       .tid = TASK,
			       .request = { .fn = REQUEST_EXIT_LAZY,
					    .has = has | REQUEST_HAS_MM,
					    .mm = MM,
					    .fullmm = always } };
}

static void handlers_trim(void **state)
{
	struct feeder *f = *state;

	/* do_exit_flush_lazy_tlb, and what it calls: one trim. It interrupts a request. */
	probe(f, gather(32, PAGE, 0));
	feed(f, trim(0, false));
	feed(f, trim(REQUEST_HAS_FULLMM, true));
	assert_int_equal(f->out.runs, 1);
	assert_int_equal(f->out.run[0].kind, TLBIE_ALL);
	assert_true(f->out.run[0].irq);
	assert_true(f->out.run[0].local);
	/* The same again is another. */
	feed(f, trim(REQUEST_HAS_FULLMM, true));
	assert_int_equal(f->out.runs, 2);
	scope(f, GLOBAL);
	assert_int_equal(f->out.runs, 3);
	assert_int_equal(f->out.run[2].n, 32);
	/* do_serialize flushes only a CPU that is in the mask, which nobody says. */
	f->cpu = 2;
	feed(f, trim(REQUEST_HAS_FULLMM, false));
	finish(f);
	assert_int_equal(f->out.runs, 3);
}

static void it_applies_to_probes_alone(void **state)
{
	static const struct event_count both[] = { { .name = "sched:sched_switch" },
						   { .name = "tlbtrace_12:gather", .enabled = true },
						   { .name = "powerpc:tlbie", .enabled = true } };
	static const struct event_count others[] = { { .name = "sched:sched_switch" },
						     { .name = "ftrace:print" } };
	struct source_info info = { .counts = both, .n_counts = 2 };

	(void)state;
	assert_true(asked_applies(&info));
	info.n_counts = 3; /* that never fired: a result */
	assert_false(asked_applies(&info));
	info = (struct source_info){ .counts = others, .n_counts = 2 };
	assert_false(asked_applies(&info));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_scope_completes_a_request, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none_is_no_flush, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_scope_the_next_thing_ends_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_task_that_waits_has_left_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(whole_whatever_the_ceiling, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_size_of_pages_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_scope_names_the_mm, set_up, tear_down),
		cmocka_unit_test_setup_teardown(handlers_trim, set_up, tear_down),
		cmocka_unit_test(it_applies_to_probes_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
