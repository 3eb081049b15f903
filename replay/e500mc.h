/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * e500mc.h - when loading a vCPU invalidates its guest's TLB entries: seed 002, policies 5.
 *
 * Models kvmppc_core_vcpu_load_e500mc() of arch/powerpc/kvm/e500mc.c in three versions: as it was
 * (old), as the seed's patch made it (v2), and as mainline has it (final, v4.9 to v6.17 and before).
 * A full tlbilxlpid is saved where it is not needed, and a needed one that is left out is a bug.
 */
#ifndef TLBTRACE_REPLAY_E500MC_H
#define TLBTRACE_REPLAY_E500MC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum e500mc_variant {
	E500MC_OLD,
	E500MC_V2,
	E500MC_FINAL,
	E500MC_VARIANTS
};

extern const char *const e500mc_variant_names[E500MC_VARIANTS];

/* What the loads of one VM, or of all, came to. */
struct e500mc_counts {
	uint64_t loads;
	uint64_t migration; /* needed: the vCPU last ran on another CPU, or never */
	uint64_t pollution; /* needed: another vCPU of the VM ran on this CPU since */
	uint64_t invalidations[E500MC_VARIANTS];
	uint64_t missed[E500MC_VARIANTS]; /* needed, and not done: stale entries stay in use */
};

struct e500mc;

/* NULL where memory is short. */
struct e500mc *e500mc_new(uint32_t cpus);
void e500mc_free(struct e500mc *e);

/* vCPU `vcpu` (any number of its own) of VM `vm` is loaded on cpu. False where memory is short. */
bool e500mc_load(struct e500mc *e, uint32_t cpu, uint32_t vm, int32_t vcpu);

const struct e500mc_counts *e500mc_total(const struct e500mc *e);

/* Of one VM: NULL where it was never loaded. */
const struct e500mc_counts *e500mc_of_vm(const struct e500mc *e, uint32_t vm);

/* The VMs in order of their first loads: NULL gives the first, NULL ends. */
struct e500mc_vm {
	uint32_t vm;
	struct e500mc_counts counts;
};

const struct e500mc_vm *e500mc_next_vm(const struct e500mc *e, const struct e500mc_vm *after);

/* Adds loads that were counted elsewhere: to the total, to a VM's (false where memory is short), to
 * those of a CPU < cpus. */
void e500mc_add(struct e500mc *e, const struct e500mc_counts *counts);
bool e500mc_add_vm(struct e500mc *e, const struct e500mc_vm *vm);
void e500mc_add_cpu(struct e500mc *e, uint32_t cpu, const struct e500mc_counts *counts);

/* sum += add. */
void e500mc_counts_add(struct e500mc_counts *sum, const struct e500mc_counts *add);

/* Of the loads on one CPU, < cpus. */
const struct e500mc_counts *e500mc_of_cpu(const struct e500mc *e, uint32_t cpu);

#endif
