/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_follow.c - tasks, masks and lazy TLB by events: policies 3.2, 4.2 to 4.4 and 14, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/task.h"
#include "fake_source.h"
#include "replay/follow.h"
#include "replay/stateful.h"

#define A 100 /* a process that was there before the trace */
#define KTHREAD 7
#define PID_A 0x1a3u
#define MS UINT64_C(1000000)

static const struct fake_task known[] = { { A, -1, "cat" },
					  { KTHREAD, -1, "kworker/0:1" },
					  { 60, -1, "kswapd0" } };

struct world {
	struct fake_source source;
	struct follower *f;
	struct observer o;
	uint64_t now_ns;
	struct ts_flush what; /* of the last flush */
	struct mask_view view;
	struct observation seen;
};

static void watch(void *arg, const struct flush *f, const struct ts_flush *what,
		  const struct mask_view *view)
{
	struct world *w = arg;

	(void)f;
	w->what = *what;
	w->view = *view;
}

static int setup(void **state)
{
	static struct world w;

	memset(&w, 0, sizeof(w));
	fake_source_init(&w.source, known, 3);
	w.source.info.cpus = 4;
	w.f = follower_new(TRIM_V5_12, watch, &w);
	w.o = follower_observer(w.f);
	*state = &w;
	return w.o.begin(w.o.arg, &w.source.src) ? 0 : -1;
}

static int teardown(void **state)
{
	struct world *w = *state;

	follower_free(w->f);
	return 0;
}

static void event(struct world *w, uint32_t cpu, int32_t tid, struct event ev)
{
	struct run_item item = { .event = ev };

	item.time_ns = item.event.time_ns = w->now_ns += MS;
	item.event.cpu = cpu;
	item.event.tid = tid;
	item.event.tgid = -1;
	assert_true(w->o.item(w->o.arg, &item));
}

static void sched(struct world *w, uint32_t cpu, int32_t prev, int32_t next)
{
	event(w, cpu, prev,
	      (struct event){ .kind = EVENT_SWITCH,
			      .sw = { .prev_tid = prev, .next_tid = next, .next_comm = "" } });
}

/* It is switched out for the last time (X). */
static void sched_dead(struct world *w, uint32_t cpu, int32_t prev, int32_t next)
{
	event(w, cpu, prev,
	      (struct event){ .kind = EVENT_SWITCH,
			      .sw = { .prev_tid = prev, .next_tid = next, .prev_state = 0x10 } });
}

static void newtask(struct world *w, uint32_t cpu, int32_t parent, int32_t child, uint64_t flags)
{
	event(w, cpu, parent,
	      (struct event){ .kind = EVENT_NEWTASK, .task = { .tid = child, .flags = flags } });
}

static void leaves(struct world *w, uint32_t cpu, int32_t tid, enum event_kind kind)
{
	event(w, cpu, tid,
	      (struct event){ .kind = (uint8_t)kind, .task = { .tid = tid, .old_tid = tid } });
}

static void call(struct world *w, uint32_t cpu, int32_t tid, enum event_kind kind,
		 enum syscall_nr nr)
{
	event(w, cpu, tid, (struct event){ .kind = (uint8_t)kind, .sys = { .nr = nr } });
}

/* A task's flush; false where nobody could tell whose it is. */
static void flush(struct world *w, uint32_t cpu, int32_t tid, uint32_t hw_pid,
		  enum flush_shape shape, bool local)
{
	struct run_item item = { .is_run = true };
	struct flush f = { .cpu = cpu, .tid = tid, .hw_pid = hw_pid, .shape = shape, .local = local };

	item.time_ns = w->now_ns += MS;
	item.run = (struct run){ .cpu = cpu,
				 .tid = tid,
				 .tgid = -1,
				 .hw_pid = hw_pid,
				 .kind = shape == SHAPE_ALL ? TLBIE_ALL : TLBIE_VA,
				 .local = local };
	assert_true(w->o.item(w->o.arg, &item));
	memset(&w->what, 0, sizeof(w->what));
	assert_true(w->o.flush(w->o.arg, &f));
	w->seen = f.seen;
}

/* The handler of a trim on cpu, in whatever runs there. */
static void trim(struct world *w, uint32_t cpu, int32_t tid, uint32_t hw_pid)
{
	struct run_item item = { .is_run = true };

	item.time_ns = w->now_ns += MS;
	item.run = (struct run){ .cpu = cpu,
				 .tid = tid,
				 .tgid = -1,
				 .hw_pid = hw_pid,
				 .kind = TLBIE_ALL,
				 .local = true,
				 .irq = true };
	assert_true(w->o.item(w->o.arg, &item));
}

static uint8_t scope(const struct world *w, enum trim kind)
{
	return w->seen.scope[kind] & MACHINE_SCOPE;
}

static const struct mask_scope *rules(const struct world *w)
{
	return masks_scope(follower_masks(w->f), TRIM_V5_12);
}

/* switch_mm adds the CPU; nothing but trims takes it away. */
static void switches_add_cpus(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->view.before, 0x1);
	assert_int_equal(scope(w, TRIM_NONE), MACHINE_LOCAL);
	sched(w, 0, A, 0);
	sched(w, 3, 0, A);
	sched(w, 3, A, KTHREAD);
	sched(w, 1, 0, A);
	flush(w, 1, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->view.before, 0xb);
	assert_true(w->what.mine);
	assert_int_equal(scope(w, TRIM_NONE), MACHINE_GLOBAL);
	assert_int_equal(w->seen.targets[TRIM_NONE], 2);
	assert_int_equal(scope(w, TRIM_V4_18), MACHINE_LOCAL);
	assert_int_equal(w->seen.ipis[TRIM_V4_18], 2);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_LOCAL);
	/* trimmed once; the next flush finds it alone, but for the kernels that never trim */
	flush(w, 1, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->seen.ipis[TRIM_V5_12], 0);
	assert_int_equal(scope(w, TRIM_NONE), MACHINE_GLOBAL);
}

/* A local flush of an mm from before the trace proves nothing of other kernels' masks. */
static void before_the_trace(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->seen.scope[TRIM_NONE], MACHINE_LOCAL | MACHINE_UNSURE | MACHINE_OPEN);
	assert_int_equal(w->seen.targets[TRIM_NONE], 0);
	assert_int_equal(w->seen.targets_most[TRIM_NONE], 3);
	assert_false(w->view.complete);
	/* a trim may be the clock's, and other threads have the mm; two in a row are a single user's */
	for (uint32_t cpu = 1; cpu < 3; cpu++) {
		sched(w, cpu - 1, A, 0);
		sched(w, cpu, 0, A);
		assert_int_not_equal(w->seen.scope[TRIM_V4_18], MACHINE_LOCAL);
		trim(w, cpu - 1, 0, PID_A);
		flush(w, cpu, A, PID_A, SHAPE_VA, true);
	}
	assert_int_equal(w->seen.scope[TRIM_V4_18], MACHINE_LOCAL);
	assert_int_equal(w->seen.targets_most[TRIM_V4_18], 0);
	assert_int_equal(w->seen.scope[TRIM_NONE], MACHINE_GLOBAL);
	assert_int_equal(w->seen.targets[TRIM_NONE], 2);
	assert_int_equal(w->seen.targets_most[TRIM_NONE], 3);
	assert_true(w->view.complete);
	/* a broadcast shows another user again */
	flush(w, 2, A, PID_A, SHAPE_VA, false);
	assert_int_equal(w->seen.targets_most[TRIM_V4_18], 3);
}

/* 3.2, CPU offline: from v5.10 on it leaves every mask, also those of mms that no task runs. */
static void cpus_that_go_offline(void **state)
{
	struct world *w = *state;

	newtask(w, 0, A, 101, 0);
	sched(w, 3, 0, 101);
	flush(w, 3, 101, 0x2b, SHAPE_VA, true);
	sched(w, 3, 101, 0);
	sched(w, 1, 0, 101);
	event(w, 0, KTHREAD, (struct event){ .kind = EVENT_OFFLINE, .offline_cpu = 3 });
	flush(w, 1, 101, 0x2b, SHAPE_VA, true);
	assert_int_equal(w->view.before, 0x2);
	assert_int_equal(scope(w, TRIM_V5_10), MACHINE_LOCAL);
	assert_int_equal(w->seen.ipis[TRIM_V5_10], 0);
	assert_int_equal(w->seen.ipis[TRIM_V5_12], 0);
	/* before, it stayed in: trimmed by an IPI that reaches nobody, or global for ever */
	assert_int_equal(w->seen.ipis[TRIM_V4_18], 1);
	assert_int_equal(scope(w, TRIM_NONE), MACHINE_GLOBAL);
	/* a CPU that no machine has */
	event(w, 0, KTHREAD, (struct event){ .kind = EVENT_OFFLINE, .offline_cpu = 99 });
	/* back again */
	sched(w, 3, 0, 101);
	flush(w, 3, 101, 0x2b, SHAPE_VA, true);
	assert_int_equal(w->view.before, 0xa);
}

/* A guest's hypervisor calls are global flushes of the caller's mm: what they would cost by IPI. */
static void hypervisor_calls(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	newtask(w, 0, A, 101, CLONE_VM | CLONE_THREAD);
	sched(w, 1, 0, 101);
	flush(w, 0, A, 0, SHAPE_HCALL, false);
	assert_int_equal(w->what.space->users, 2);
	assert_true(w->what.mine);
	assert_int_equal(w->view.before, 0x3);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_GLOBAL);
	assert_int_equal(w->seen.targets[TRIM_V5_12], 1);
	/* a kernel thread's is of nobody's mm that is known */
	sched(w, 2, 0, KTHREAD);
	flush(w, 2, KTHREAD, 0, SHAPE_HCALL, false);
	assert_null(w->what.space);
}

/* CLONE_VM: one more user of the same mm; else an mm of its own with an empty mask. */
static void new_tasks(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	newtask(w, 0, A, 101, CLONE_VM | CLONE_THREAD);
	newtask(w, 0, A, 102, 0);
	sched(w, 1, 0, 101);
	flush(w, 1, 101, PID_A, SHAPE_VA, false);
	assert_int_equal(w->what.space->users, 2);
	assert_int_equal(w->view.before, 0x3);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_GLOBAL);
	sched(w, 2, 0, 102);
	flush(w, 2, 102, 0x2b, SHAPE_VA, true);
	assert_int_equal(w->what.space->users, 1);
	assert_int_equal(w->view.before, 0x4);
	assert_true(w->view.complete);
	/* the thread has gone: row 7 again */
	leaves(w, 1, 101, EVENT_EXIT);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->what.space->users, 1);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_LOCAL);
	assert_int_equal(w->seen.ipis[TRIM_V5_12], 1);
}

/* exec: teardown of the old mm, flushes of the new one, then the event (14, 4 and 5). */
static void exec_shows_before_its_event(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	newtask(w, 0, A, 101, 0);
	sched(w, 2, 0, 101);
	flush(w, 2, 101, 0x2b, SHAPE_VA, true);
	flush(w, 2, 101, 0x2b, SHAPE_ALL, true);
	assert_true(w->what.fullmm);
	assert_false(w->what.mine);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_LOCAL);
	flush(w, 2, 101, 0x2c, SHAPE_VA, true);
	assert_int_equal(w->view.before, 0x4);
	assert_true(w->what.mine);
	assert_false(w->what.fullmm);
	leaves(w, 2, 101, EVENT_EXEC);
	flush(w, 2, 101, 0x2c, SHAPE_VA, true);
	assert_int_equal(w->what.space->users, 1);
	w->o.end(w->o.arg);
	assert_int_equal(follower_lazy_totals(w->f).deaths, 1);
}

/* vfork and exec: the child's flushes are of a new mm, and the parent's lives on. */
static void exec_of_a_vforked_child(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	newtask(w, 0, A, 101, CLONE_VM);
	sched(w, 1, 0, 101);
	flush(w, 1, 101, 0x2c, SHAPE_ALL, true); /* exec frees the page tables of its new stack */
	assert_false(w->what.fullmm);
	assert_int_equal(w->view.before, 0x2);
	leaves(w, 1, 101, EVENT_EXEC);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->what.space->users, 1);
	assert_int_equal(w->view.before, 0x3);
}

/* A whole-PID flush inside munmap, or one that other flushes follow, is no teardown. */
static void what_is_no_teardown(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	call(w, 0, A, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	flush(w, 0, A, PID_A, SHAPE_ALL, true);
	assert_false(w->what.fullmm);
	call(w, 0, A, EVENT_SYS_EXIT, SYSCALL_MUNMAP);
	flush(w, 0, A, PID_A, SHAPE_ALL, true);
	assert_true(w->what.fullmm);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_true(w->what.mine);
	assert_int_equal(w->what.space->users, 1);
	assert_int_equal(w->view.before, 0x1);
}

/* Past exit_mm a task joins no mask: its final flush may run outside it (14, 3). */
static void exit_on_another_cpu(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	call(w, 0, A, EVENT_SYS_ENTER, SYSCALL_EXIT);
	sched(w, 0, A, 0);
	sched(w, 3, 0, A);
	flush(w, 3, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->view.before, 0x1);
	assert_int_equal(scope(w, TRIM_NONE), MACHINE_GLOBAL);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_GLOBAL);
	assert_int_equal(scope(w, TRIM_V6_6), MACHINE_NONE);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 1);
}

/* Another task's flush of the mm: current->mm is not the mm. */
static void foreign_flushes(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	sched(w, 1, 0, 60);
	flush(w, 1, 60, PID_A, SHAPE_VA, false);
	assert_false(w->what.mine);
	assert_int_equal(w->view.before, 0x1);
	assert_int_equal(w->view.predicted, MACHINE_GLOBAL);
	/* of an mm that no task has shown */
	flush(w, 1, 60, 0x99, SHAPE_VA, false);
	assert_false(w->what.mine);
	assert_false(w->what.space->born);
}

/* Evidence: a CPU leaves at its handler's time, unless it runs the mm; the prediction is older. */
static void trims_as_recorded(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	sched(w, 0, A, KTHREAD);
	sched(w, 1, 0, A);
	trim(w, 0, KTHREAD, PID_A);
	flush(w, 1, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->view.before, 0x3);
	assert_int_equal(w->view.mask, 0x2);
	assert_int_equal(rules(w)->changes, 1);
	assert_int_equal(rules(w)->changes_predicted, 1);
	assert_int_equal(rules(w)->trims_recorded, 1);
	assert_int_equal(rules(w)->trims_predicted, 1);
	/* a thread that runs stays */
	newtask(w, 1, A, 101, CLONE_VM | CLONE_THREAD);
	sched(w, 2, 0, 101);
	trim(w, 2, 101, PID_A);
	flush(w, 1, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->view.mask, 0x6);
	assert_int_equal(rules(w)->clock_trims, 1);
	assert_int_equal(rules(w)->changes, 1);
}

/* The first flush of a new mm tells whose trims came before it. */
static void trims_before_the_mm_is_known(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	newtask(w, 0, A, 101, 0);
	sched(w, 1, 0, 101);
	sched(w, 1, 101, 0);
	sched(w, 2, 0, 101);
	trim(w, 1, 0, 0x2b);
	flush(w, 2, 101, 0x2b, SHAPE_VA, true);
	assert_int_equal(w->view.before, 0x6);
	assert_int_equal(w->view.mask, 0x4);
	assert_int_equal(rules(w)->trims_recorded, 1);
	assert_int_equal(rules(w)->changes_predicted, 1);
}

/* A copro or a user that no event tells of: repeatedly global against the rules. */
static void hidden_users_and_members(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, false);
	assert_int_equal(w->view.predicted, MACHINE_LOCAL);
	flush(w, 0, A, PID_A, SHAPE_VA, false);
	assert_int_equal(w->view.predicted, MACHINE_GLOBAL);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->view.predicted, MACHINE_LOCAL);
}

/* 2.3, row 5: a co-processor makes flushes global whoever is in the mask. No event tells of one: the
 * recorded kernel's flushes show it, and what another kernel would have done is left open. */
static void copros(void **state)
{
	struct world *w = *state;
	struct params p = params_of_era(ERA_V5_14);

	newtask(w, 0, A, 101, 0);
	sched(w, 1, 0, 101);
	flush(w, 1, 101, 0x2b, SHAPE_VA, true);
	assert_int_equal(w->seen.scope[TRIM_NONE], MACHINE_LOCAL);
	for (int i = 0; i < 3; i++) {
		flush(w, 1, 101, 0x2b, SHAPE_VA, false);
		/* Without trims more CPUs would be in the mask, not fewer. */
		assert_int_equal(w->seen.scope[TRIM_NONE], MACHINE_GLOBAL);
		for (unsigned kind = TRIM_V4_18; kind < TRIMS; kind++)
			assert_int_equal(w->seen.scope[kind],
					 MACHINE_LOCAL | MACHINE_UNSURE | MACHINE_OPEN);
		for (unsigned kind = 0; kind < TRIMS; kind++) {
			assert_int_equal(w->seen.targets[kind], 0);
			assert_int_equal(w->seen.targets_most[kind], 3);
		}
	}
	assert_int_equal(w->view.predicted, MACHINE_GLOBAL);
	/* it has left */
	flush(w, 1, 101, 0x2b, SHAPE_VA, true);
	assert_int_equal(w->seen.scope[TRIM_NONE], MACHINE_LOCAL);
	w->o.end(w->o.arg);
	assert_int_equal(stateful_doubts(w->f, &p).against, 3);
}

/* A and a thread of it, on CPUs 0 and 1, from before a flush of each. */
static void two_threads(struct world *w)
{
	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	newtask(w, 0, A, 101, CLONE_VM | CLONE_THREAD);
	sched(w, 1, 0, 101);
}

/*
 * Two threads that unmap at once: the gather of one becomes full-mm. A kernel of v6.6 would trim the
 * mask before; whether it was that or the ceiling an older kernel's records do not tell.
 */
static void gathers_beside_each_other(void **state)
{
	struct world *w = *state;

	two_threads(w);
	call(w, 0, A, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	call(w, 1, 101, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->what.nested, TS_NESTED_MAYBE);
	assert_int_equal(w->seen.scope[TRIM_V6_6] & MACHINE_NESTED, MACHINE_NESTED);
	assert_int_equal(w->seen.scope[TRIM_V5_12] & MACHINE_NESTED, 0);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 0);
	assert_int_equal(w->seen.targets[TRIM_V6_6], 1);
	/* pages are no flush of the whole mm */
	flush(w, 0, A, PID_A, SHAPE_VA, false);
	assert_int_equal(w->what.nested, TS_NESTED_NO);
	/* and alone there is nothing to be nested in */
	call(w, 1, 101, EVENT_SYS_EXIT, SYSCALL_MUNMAP);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->what.nested, TS_NESTED_NO);
	assert_int_equal(w->seen.scope[TRIM_V6_6], MACHINE_GLOBAL);
}

/* mprotect of hugetlb memory has a gather inside its own: no other thread need be in a call. */
static void gathers_of_mprotect_meet_their_own(void **state)
{
	struct world *w = *state;

	two_threads(w);
	call(w, 1, 101, EVENT_SYS_ENTER, SYSCALL_OTHER);
	call(w, 0, A, EVENT_SYS_ENTER, SYSCALL_MPROTECT);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->what.nested, TS_NESTED_MAYBE);
	assert_int_equal(w->seen.scope[TRIM_V6_6] & MACHINE_NESTED, MACHINE_NESTED);
	call(w, 0, A, EVENT_SYS_EXIT, SYSCALL_MPROTECT);
	call(w, 0, A, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->what.nested, TS_NESTED_NO);
}

/* A probe on radix__tlb_flush: bit 0 of the gather's flags. */
static void asks(struct world *w, uint32_t cpu, int32_t tid, bool fullmm)
{
	event(w, cpu, tid,
	      (struct event){
		      .kind = EVENT_REQUEST,
		      .request = { .fn = REQUEST_GATHER, .has = REQUEST_HAS_BITS, .bits = fullmm } });
}

static void probes_tell_of_nested_gathers(void **state)
{
	struct world *w = *state;

	two_threads(w);
	call(w, 0, A, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	call(w, 1, 101, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	asks(w, 0, A, false);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->what.nested, TS_NESTED_NO);
	asks(w, 0, A, true);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->what.nested, TS_NESTED_YES);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 1);
	assert_int_equal(w->seen.scope[TRIM_V6_6], MACHINE_GLOBAL | MACHINE_UNSURE | MACHINE_OPEN);
	assert_int_equal(w->seen.ipis[TRIM_V5_12], 0);
	assert_int_equal(w->seen.scope[TRIM_V5_12], MACHINE_GLOBAL);
	/* the request was that flush's */
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->what.nested, TS_NESTED_MAYBE);
}

/* A kernel of v6.6 that has not trimmed has not nested; one that has, has. */
static void trims_tell_of_nested_gathers(void **state)
{
	struct world *w = *state;

	follower_free(w->f);
	w->f = follower_new(TRIM_V6_6, watch, w);
	w->o = follower_observer(w->f);
	(void)strcpy(w->source.info.kernel, "6.12.0");
	assert_true(w->o.begin(w->o.arg, &w->source.src));
	two_threads(w);
	call(w, 0, A, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	call(w, 1, 101, EVENT_SYS_ENTER, SYSCALL_MUNMAP);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(scope(w, TRIM_V6_6), MACHINE_GLOBAL);
	assert_int_equal(w->seen.scope[TRIM_V6_6] & MACHINE_NESTED, 0);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 0);
	trim(w, 1, 101, PID_A);
	flush(w, 0, A, PID_A, SHAPE_ALL, false);
	assert_int_equal(w->seen.scope[TRIM_V6_6], MACHINE_GLOBAL | MACHINE_UNSURE | MACHINE_OPEN);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 1);
	assert_int_equal(masks_scope(follower_masks(w->f), TRIM_V6_6)->trims_predicted, 1);
}

/* Trims show while their sender still waits; what other threads flush meanwhile is not local by them. */
static void trims_of_another_thread(void **state)
{
	struct world *w = *state;

	two_threads(w);
	newtask(w, 0, A, 102, CLONE_VM | CLONE_THREAD);
	sched(w, 2, 0, 102);
	flush(w, 0, A, PID_A, SHAPE_VA, false);
	sched(w, 1, 101, 0);
	trim(w, 1, 0, PID_A);
	trim(w, 0, A, PID_A);
	flush(w, 0, A, PID_A, SHAPE_VA, false); /* it has handled one itself */
	assert_int_equal(w->view.predicted, MACHINE_GLOBAL);
	assert_int_equal(w->view.settled, MACHINE_GLOBAL);
	assert_int_equal(w->view.before, 0x5);
	assert_int_equal(rules(w)->trims_recorded, 0);
	sched(w, 3, 0, 101);			 /* too late for an IPI */
	flush(w, 2, 102, PID_A, SHAPE_VA, true); /* the sender's clock */
	assert_int_equal(w->view.before, 0xf);
	assert_int_equal(w->view.settled, MACHINE_LOCAL);
	assert_int_equal(rules(w)->trims_recorded, 2);
	assert_int_equal(rules(w)->clock_trims, 1);
	/* one CPU of the mask got none: they were not this flush's */
	trim(w, 0, A, PID_A);
	flush(w, 2, 102, PID_A, SHAPE_VA, false);
	assert_int_equal(w->view.settled, MACHINE_GLOBAL);
	assert_int_equal(rules(w)->trims_recorded, 2);
}

/* The machine's clock fires when the recorded one did, and not when its own count is full. */
static void the_clock_fires_as_recorded(void **state)
{
	struct world *w = *state;

	two_threads(w);
	for (unsigned i = 0; i < 2 * TRIM_CLOCK; i++)
		flush(w, 0, A, PID_A, SHAPE_VA, false);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_GLOBAL);
	assert_int_equal(w->seen.targets[TRIM_V5_12], 1);
	sched(w, 1, 101, 0);
	trim(w, 1, 0, PID_A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_int_equal(w->seen.ipis[TRIM_V5_12], 1);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_LOCAL);
	assert_int_equal(rules(w)->clock_trims, 1);
}

/* Kernel addresses concern every CPU, whoever's mask. */
static void kernel_addresses(void **state)
{
	struct world *w = *state;

	sched(w, 0, 0, A);
	flush(w, 0, A, 0, SHAPE_KERNEL, false);
	for (unsigned kind = 0; kind < TRIMS; kind++) {
		assert_int_equal(w->seen.scope[kind], MACHINE_GLOBAL);
		assert_int_equal(w->seen.targets[kind], 3);
	}
}

/* tlbie_enabled=0: every CPU of the mask writes tlbiel; local bits say no scope. */
static void multicast(void **state)
{
	struct world *w = *state;
	struct run_item item = { .is_run = true };

	sched(w, 0, 0, A);
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	item.time_ns = w->now_ns += MS;
	item.run = (struct run){ .cpu = 1,
				 .tid = 0,
				 .tgid = -1,
				 .hw_pid = PID_A,
				 .kind = TLBIE_VA,
				 .local = true,
				 .irq = true };
	assert_true(w->o.item(w->o.arg, &item));
	assert_true(masks_multicast(follower_masks(w->f)));
	flush(w, 0, A, PID_A, SHAPE_VA, true);
	assert_int_equal(rules(w)->flushes, 0);
}

/* 4.2: an atomic for each switch between a task with an mm and one without, and for exit_mm. */
static void atomics(void **state)
{
	struct world *w = *state;
	struct lazy_totals t;

	call(w, 0, A, EVENT_SYS_EXIT, SYSCALL_OTHER);
	newtask(w, 0, A, 101, 0);
	sched(w, 0, A, 101);	       /* user to user: 0 */
	sched(w, 0, 101, KTHREAD);     /* +1 */
	sched(w, 0, KTHREAD, 0);       /* kernel to kernel: 0 */
	sched(w, 0, 0, 60);	       /* 0 */
	sched(w, 0, 60, 101);	       /* -1 */
	leaves(w, 0, 101, EVENT_EXIT); /* +1 */
	sched(w, 0, 101, 0);	       /* past exit_mm: 0 */
	sched(w, 0, 0, A);	       /* -1 */
	w->o.end(w->o.arg);
	t = follower_lazy_totals(w->f);
	assert_int_equal(t.enter, 1);
	assert_int_equal(t.leave, 2);
	assert_int_equal(t.exits, 1);
	assert_int_equal(t.atomics, 4);
	assert_int_equal(t.atomics_lo, 4);
	assert_int_equal(t.atomics_hi, 4);
	assert_int_equal(t.peak, 4);
}

/* Nothing but a name tells what task 300 is: it counts as a process, within bounds. */
static void doubtful_tasks(void **state)
{
	struct world *w = *state;
	struct lazy_totals t;

	call(w, 0, A, EVENT_SYS_EXIT, SYSCALL_OTHER);
	sched(w, 0, A, 300); /* 0, or 1 if it is a kernel thread */
	sched(w, 0, 300, A);
	sched(w, 1, 0, 300); /* 1, or 0 */
	w->o.end(w->o.arg);
	t = follower_lazy_totals(w->f);
	assert_int_equal(t.atomics, 1);
	assert_int_equal(t.atomics_lo, 1);
	assert_int_equal(t.atomics_hi, 2);
}

/* Who contends: atomics by name, and how many CPUs made them on one mm. */
static void atomics_by_name(void **state)
{
	struct world *w = *state;
	const struct lazy_row *rows;
	size_t n;

	sched(w, 0, A, 0);
	sched(w, 1, 0, A);
	sched(w, 1, A, 0);
	newtask(w, 2, A, 101, 0);
	event(w, 2, A,
	      (struct event){ .kind = EVENT_RENAME, .task = { .tid = 101, .comm = "dog" } });
	sched(w, 3, 101, 0);
	w->o.end(w->o.arg);
	rows = lazy_rows(follower_lazy(w->f), &n);
	assert_int_equal(n, 2);
	assert_string_equal(rows[0].name, "cat");
	assert_int_equal(rows[0].atomics, 2);
	assert_int_equal(rows[0].cpus, 2);
	assert_int_equal(rows[0].peak, 2);
	assert_string_equal(rows[1].name, "dog");
	assert_int_equal(rows[1].atomics, 1);
}

/* A process that was on CPUs 1, 2 and 3 ends on 0; only 2 still holds it lazily. */
static void a_death(struct world *w, uint32_t exits_on)
{
	newtask(w, 0, A, 101, 0);
	sched(w, 1, 0, 101);
	sched(w, 1, 101, A);
	sched(w, 3, 0, 101);
	sched(w, 3, 101, 0);
	sched(w, 3, 0, A);
	sched(w, 2, 0, 101);
	sched(w, 2, 101, 0);
	sched(w, 0, A, 101);
	call(w, 0, 101, EVENT_SYS_ENTER, SYSCALL_EXIT);
	flush(w, 0, 101, 0x2b, SHAPE_ALL, false);
	if (exits_on)
		sched(w, 0, 101, 0);
	leaves(w, exits_on, 101, EVENT_EXIT);
	w->o.end(w->o.arg);
}

/* 4.3: k IPIs at the last mmdrop, one of them useful. 4.4: k with the final flush, none later. */
static void shootdowns(void **state)
{
	struct world *w = *state;
	struct lazy_totals t;

	a_death(w, 0);
	t = follower_lazy_totals(w->f);
	assert_int_equal(t.deaths, 1);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_GLOBAL);
	assert_int_equal(t.shots[TRIM_V5_12].ipis_lo, 3);
	assert_int_equal(t.shots[TRIM_V5_12].ipis_hi, 3);
	assert_int_equal(t.shots[TRIM_V5_12].useful_lo, 1);
	assert_int_equal(scope(w, TRIM_V6_6), MACHINE_LOCAL);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 3);
	assert_int_equal(w->seen.trims[TRIM_V6_6], 3);
	assert_int_equal(t.shots[TRIM_V6_6].ipis_hi, 0);
	assert_int_equal(lazy_shots_to(follower_lazy(w->f), TRIM_V5_12)[1], 1);
	assert_int_equal(lazy_shots_to(follower_lazy(w->f), TRIM_V5_12)[0], 0);
}

/* Whom a policy's IPIs disturb. */
static void ipis_by_cpu(void **state)
{
	struct world *w = *state;
	struct params p = params_of_era(ERA_V6_4);
	struct ipi_target to;

	a_death(w, 0);
	to = stateful_ipis_to(w->f, &p, 1);
	assert_int_equal(to.shoots, 1);
	assert_int_equal(to.flushes, 0);
	assert_int_equal(to.trims, 0);
	p.v[PARAM_TLBIE] = 0; /* its final flush was global */
	assert_int_equal(stateful_ipis_to(w->f, &p, 1).flushes, 1);
	assert_int_equal(stateful_ipis_to(w->f, &p, 0).flushes, 0);
	p = params_of_era(ERA_V6_6);
	to = stateful_ipis_to(w->f, &p, 3);
	assert_int_equal(to.trims, 1);
	assert_int_equal(to.shoots, 0);
}

/* What each policy counts of lazy TLB, and nothing twice. */
static void what_lazy_costs(void **state)
{
	struct world *w = *state;
	struct params p = params_of_era(ERA_V6_3);
	struct counts c;

	a_death(w, 0);
	c = stateful_rest(w->f, &p, &p);
	assert_int_equal(c.likely.n[COUNT_LAZY_ATOMICS], follower_lazy_totals(w->f).atomics);
	assert_int_equal(c.hi.n[COUNT_SHOOT_IPIS], 0);
	p = params_of_era(ERA_V6_4);
	c = stateful_rest(w->f, &p, &p);
	assert_int_equal(c.hi.n[COUNT_LAZY_ATOMICS], 0);
	assert_int_equal(c.lo.n[COUNT_SHOOT_IPIS], 3);
	assert_int_equal(c.likely.n[COUNT_SHOOT_IPIS_USEFUL], 1);
	p = params_of_era(ERA_V6_6);
	c = stateful_rest(w->f, &p, &p);
	assert_int_equal(c.hi.n[COUNT_SHOOT_IPIS], 0);
}

/* The last mmdrop may have been on either side of a migration: from outside the mask, k + 1. */
/* v7.2 flushes for the last time behind the event of the exit: it is the same final flush. */
static void final_flush_behind_the_exit(void **state)
{
	struct world *w = *state;
	struct lazy_totals t;

	newtask(w, 0, A, 101, 0);
	sched(w, 1, 0, 101);
	flush(w, 1, 101, 0x2b, SHAPE_VA, true);
	sched(w, 1, 101, 0);
	sched(w, 0, A, 101);
	call(w, 0, 101, EVENT_SYS_ENTER, SYSCALL_EXIT);
	leaves(w, 0, 101, EVENT_EXIT);
	flush(w, 0, 101, 0x2b, SHAPE_ALL, true);
	assert_true(w->what.fullmm);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 1);
	assert_int_equal(scope(w, TRIM_V6_6), MACHINE_LOCAL);
	assert_int_equal(scope(w, TRIM_V5_12), MACHINE_GLOBAL);
	sched_dead(w, 0, 101, 0);
	w->o.end(w->o.arg);
	t = follower_lazy_totals(w->f);
	assert_int_equal(t.deaths, 1);
	assert_int_equal(t.shots[TRIM_V5_12].ipis_hi, 1);
	assert_int_equal(t.shots[TRIM_V6_6].ipis_hi, 0);
}

/* There the last to say that it exits need not be the last to leave the mm. */
static void final_flush_of_another_thread(void **state)
{
	struct world *w = *state;

	newtask(w, 0, A, 101, 0);
	sched(w, 1, 0, 101);
	flush(w, 1, 101, 0x2b, SHAPE_VA, true);
	newtask(w, 1, 101, 102, CLONE_VM | CLONE_THREAD);
	sched(w, 2, 0, 102);
	leaves(w, 1, 101, EVENT_EXIT);
	leaves(w, 2, 102, EVENT_EXIT);
	sched_dead(w, 2, 102, 0);
	flush(w, 1, 101, 0x2b, SHAPE_ALL, true);
	assert_true(w->what.fullmm);
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 1);
	assert_int_equal(scope(w, TRIM_V6_6), MACHINE_LOCAL);
	w->o.end(w->o.arg);
	assert_int_equal(follower_lazy_totals(w->f).deaths, 1);
}

/* There it may sleep, or be moved, between the event and the flush. */
static void sleeps_before_the_final_flush(void **state)
{
	struct world *w = *state;

	newtask(w, 0, A, 101, 0);
	sched(w, 1, 0, 101);
	flush(w, 1, 101, 0x2b, SHAPE_VA, true);
	call(w, 1, 101, EVENT_SYS_ENTER, SYSCALL_EXIT);
	leaves(w, 1, 101, EVENT_EXIT);
	sched(w, 1, 101, 0);
	sched(w, 2, 0, 101);
	flush(w, 2, 101, 0x2b, SHAPE_ALL, true);
	assert_true(w->what.fullmm);
	assert_int_equal(w->view.predicted, MACHINE_GLOBAL); /* of v5.12; a v6.6 trims: */
	assert_int_equal(w->seen.ipis[TRIM_V6_6], 1);
	assert_int_equal(scope(w, TRIM_V6_6), MACHINE_NONE);
	sched_dead(w, 2, 101, 0);
	w->o.end(w->o.arg);
	assert_int_equal(follower_lazy_totals(w->f).deaths, 1);
}

static void shootdown_from_elsewhere(void **state)
{
	struct world *w = *state;
	struct lazy_totals t;

	a_death(w, 1);
	t = follower_lazy_totals(w->f);
	assert_int_equal(t.shots[TRIM_V6_6].ipis_lo, 0);
	assert_int_equal(t.shots[TRIM_V6_6].ipis_hi, 1);
	assert_int_equal(t.shots[TRIM_V5_12].ipis_lo, 3);
	assert_int_equal(t.shots[TRIM_V5_12].ipis_hi, 3);
}

/* From a CPU outside the mask to one inside: k + 1 or k. */
static void shootdown_from_outside_or_inside(void **state)
{
	struct world *w = *state;
	struct lazy_totals t;

	newtask(w, 0, A, 101, 0);
	sched(w, 1, 0, 101);
	flush(w, 1, 101, 0x2b, SHAPE_VA, true);
	call(w, 1, 101, EVENT_SYS_ENTER, SYSCALL_EXIT);
	sched(w, 1, 101, 0);
	sched(w, 2, 0, 101);
	flush(w, 2, 101, 0x2b, SHAPE_ALL, false);
	sched(w, 2, 101, 0);
	sched(w, 1, 0, 101);
	leaves(w, 1, 101, EVENT_EXIT);
	w->o.end(w->o.arg);
	t = follower_lazy_totals(w->f);
	assert_int_equal(t.shots[TRIM_V5_12].ipis_lo, 0);
	assert_int_equal(t.shots[TRIM_V5_12].ipis_hi, 1);
}

/* The kind of trims shows in the local bits. */
static void inferred_trims(void **state)
{
	struct world *w = *state;
	struct model m = { .used = params_of_era(ERA_V5_14) };

	/* Local on one CPU after the other: without trims the second would be global each time. */
	for (int i = 0; i < 5; i++) {
		sched(w, 0, 0, A);
		flush(w, 0, A, PID_A, SHAPE_VA, true);
		sched(w, 0, A, 0);
		sched(w, 1, 0, A);
		flush(w, 1, A, PID_A, SHAPE_VA, true);
		sched(w, 1, A, 0);
	}
	w->o.end(w->o.arg);
	stateful_infer(&m, w->f);
	assert_int_equal(m.used.v[PARAM_TRIM], TRIM_V5_12); /* as assumed: others agree no better */
	assert_int_equal(m.fact[PARAM_TRIM].evidence, EVIDENCE_TRACE);
	m.used = params_of_era(ERA_V4_15);
	stateful_infer(&m, w->f);
	assert_int_equal(m.used.v[PARAM_TRIM], TRIM_V4_18);
	m.used = params_of_era(ERA_V4_15);
	m.fact[PARAM_TRIM].evidence = EVIDENCE_OPTION;
	stateful_infer(&m, w->f);
	assert_int_equal(m.used.v[PARAM_TRIM], TRIM_NONE);
}

/* Without switches every event still says where its task runs. */
static void without_switches(void **state)
{
	struct world *w = *state;
	struct params p = params_of_era(ERA_V5_14);

	flush(w, 0, A, PID_A, SHAPE_VA, true);
	flush(w, 1, A, PID_A, SHAPE_VA, false);
	assert_int_equal(w->view.before, 0x3);
	w->o.end(w->o.arg);
	assert_int_equal(follower_switches(w->f), 0);
	assert_true(stateful_doubts(w->f, &p).no_switches);
	assert_int_equal(stateful_doubts(w->f, &p).incomplete, 1); /* until the first local bit */
	assert_int_equal(stateful_doubts(w->f, &p).against, 1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(switches_add_cpus),
		CASE(before_the_trace),
		CASE(cpus_that_go_offline),
		CASE(hypervisor_calls),
		CASE(new_tasks),
		CASE(exec_shows_before_its_event),
		CASE(exec_of_a_vforked_child),
		CASE(what_is_no_teardown),
		CASE(exit_on_another_cpu),
		CASE(foreign_flushes),
		CASE(trims_as_recorded),
		CASE(trims_before_the_mm_is_known),
		CASE(hidden_users_and_members),
		CASE(copros),
		CASE(gathers_beside_each_other),
		CASE(gathers_of_mprotect_meet_their_own),
		CASE(probes_tell_of_nested_gathers),
		CASE(trims_tell_of_nested_gathers),
		CASE(trims_of_another_thread),
		CASE(the_clock_fires_as_recorded),
		CASE(kernel_addresses),
		CASE(multicast),
		CASE(atomics),
		CASE(doubtful_tasks),
		CASE(atomics_by_name),
		CASE(shootdowns),
		CASE(final_flush_behind_the_exit),
		CASE(final_flush_of_another_thread),
		CASE(sleeps_before_the_final_flush),
		CASE(shootdown_from_elsewhere),
		CASE(shootdown_from_outside_or_inside),
		CASE(ipis_by_cpu),
		CASE(what_lazy_costs),
		CASE(inferred_trims),
		CASE(without_switches),
	};

	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
