/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_e500mc.c - the truth table of seed 002, and the loads of recorded vCPU threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/vcpu.h"
#include "replay/e500mc.h"

/* "A1 B1 A2": VM and vCPU, "@c" behind one names its CPU; all named have run there before. */
static void load_all(struct e500mc *e, const char *sequence)
{
	for (const char *s = sequence; *s; s++) {
		uint32_t cpu = 0;
		uint32_t vm;
		int32_t vcpu;

		if (*s == ' ')
			continue;
		vm = (uint32_t)*s++;
		vcpu = (int32_t)(vm * 10) + (*s - '0');
		if (s[1] == '@') {
			cpu = (uint32_t)(s[2] - '0');
			s += 2;
		}
		assert_true(e500mc_load(e, cpu, vm, vcpu));
	}
}

/* Invalidations and misses of the sequence's last load, after all vCPUs have run on CPU 0. */
static void check_last(const char *before, const char *last, const bool done[E500MC_VARIANTS],
		       bool needed)
{
	struct e500mc *e = e500mc_new(2);
	struct e500mc_counts was;
	const struct e500mc_counts *now;

	assert_non_null(e);
	load_all(e, "A1 A2 B1 B2");
	load_all(e, before);
	was = *e500mc_total(e);
	load_all(e, last);
	now = e500mc_total(e);
	assert_int_equal(now->loads - was.loads, 1);
	for (int v = 0; v < E500MC_VARIANTS; v++) {
		assert_int_equal(now->invalidations[v] - was.invalidations[v], done[v]);
		assert_int_equal(now->missed[v] - was.missed[v], needed && !done[v]);
	}
	assert_int_equal(now->migration + now->pollution - was.migration - was.pollution, needed);
	e500mc_free(e);
}

static void test_truth_table(void **state)
{
	(void)state;
	check_last("A1 B1", "A1", (bool[]){ true, false, false }, false);
	check_last("A1 A2", "A1", (bool[]){ true, true, true }, true);
	/* A1's entries carry A's lpid, and v2 looks only at who ran last: B. */
	check_last("A1 B1", "A2", (bool[]){ true, false, true }, true);
	check_last("A1 B1 A2 B1", "A1", (bool[]){ true, false, true }, true);
	check_last("A1", "A1@1", (bool[]){ true, true, true }, true);
	check_last("A1", "A1", (bool[]){ false, false, false }, false);
}

static void test_first_load_invalidates(void **state)
{
	struct e500mc *e = e500mc_new(1);

	(void)state;
	load_all(e, "A1");
	for (int v = 0; v < E500MC_VARIANTS; v++)
		assert_int_equal(e500mc_total(e)->invalidations[v], 1);
	assert_int_equal(e500mc_total(e)->migration, 1);
	assert_int_equal(e500mc_of_vm(e, 'A')->loads, 1);
	assert_null(e500mc_of_vm(e, 'B'));
	e500mc_free(e);
}

static void test_names(void **state)
{
	uint32_t index;

	(void)state;
	assert_true(vcpu_is_name("CPU 0/KVM", &index));
	assert_true(vcpu_is_name("CPU 12/TCG", &index));
	assert_int_equal(index, 12);
	assert_false(vcpu_is_name("CPU 0/XEN", &index));
	assert_false(vcpu_is_name("CPU x/KVM", &index));
	assert_false(vcpu_is_name("qemu-system-x86", &index));
	assert_false(vcpu_is_name("", &index));
}

static bool feed(void *arg, uint32_t cpu, uint32_t vm, int32_t vcpu)
{
	return e500mc_load(arg, cpu, vm, vcpu);
}

/* Reads all events by time: these traces have two CPUs. */
static void watch_trace(const char *name, struct e500mc *e, uint32_t *guessed)
{
	const char *dir = getenv("DATA");
	char path[512];
	struct error err;
	struct source *src;
	struct event ev[2];
	bool has[2] = { false, false };
	struct vcpu_watch *w;

	(void)snprintf(path, sizeof(path), "%s/%s", dir ? dir : "tests/data", name);
	src = source_open(path, &err);
	assert_non_null(src);
	assert_int_equal(source_info(src)->cpus, 2);
	w = vcpu_watch_new(src, feed, e);
	assert_non_null(w);
	for (;;) {
		for (uint32_t cpu = 0; cpu < 2; cpu++)
			if (!has[cpu])
				has[cpu] = source_next(src, cpu, &ev[cpu], &err) == 1;
		if (!has[0] && !has[1])
			break;
		uint32_t cpu = !has[0] || (has[1] && ev[1].time_ns < ev[0].time_ns);

		assert_true(vcpu_watch_event(w, &ev[cpu]));
		has[cpu] = false;
	}
	assert_true(vcpu_watch_finish(w));
	*guessed = vcpu_watch_guessed(w);
	vcpu_watch_free(w);
	source_close(src);
}

/* Counted from the raw switches by a script of its own, with the VMs as the programs' logs say. */
struct expected {
	const char *trace;
	uint32_t guessed; /* threads that were there before the recording began */
	struct e500mc_counts counts;
};

/* VMs, and CPUs, are all there is. */
static void check_parts(const struct e500mc *e)
{
	const struct e500mc_counts *all = e500mc_total(e);
	const struct e500mc_vm *vm = NULL;
	uint64_t of_vms = 0;
	uint64_t missed = 0;
	unsigned vms = 0;

	while ((vm = e500mc_next_vm(e, vm))) {
		assert_ptr_equal(e500mc_of_vm(e, vm->vm), &vm->counts);
		of_vms += vm->counts.loads;
		vms++;
	}
	assert_int_equal(vms, 2);
	assert_int_equal(of_vms, all->loads);
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		missed += e500mc_of_cpu(e, cpu)->missed[E500MC_V2];
	assert_int_equal(missed, all->missed[E500MC_V2]);
	assert_int_equal(e500mc_of_cpu(e, 0)->loads + e500mc_of_cpu(e, 1)->loads, all->loads);
}

static void check_recorded(const struct expected *want)
{
	struct e500mc *e = e500mc_new(2);
	const struct e500mc_counts *c = e500mc_total(e);
	uint32_t guessed;

	watch_trace(want->trace, e, &guessed);
	assert_int_equal(guessed, want->guessed);
	assert_memory_equal(c, &want->counts, sizeof(*c));
	check_parts(e);
	e500mc_free(e);
}

static void test_recorded_threads(void **state)
{
	(void)state;
	/* 8 moves to another CPU and 4 first loads. */
	check_recorded(&(struct expected){
		.trace = "vcpu_standin.dat",
		.counts = { .loads = 842,
			    .migration = 12,
			    .pollution = 466,
			    .invalidations = { 816, 443, 478 },
			    .missed = { 0, 35, 0 } },
	});
	check_recorded(&(struct expected){
		.trace = "vcpu_qemu.dat",
		.guessed = 4,
		.counts = { .loads = 1346,
			    .migration = 22,
			    .pollution = 520,
			    .invalidations = { 1151, 494, 542 },
			    .missed = { 0, 48, 0 } },
	});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth_table),
		cmocka_unit_test(test_first_load_invalidates),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_recorded_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
