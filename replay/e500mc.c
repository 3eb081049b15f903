/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e500mc.c - vCPU loads and their invalidations. */
#include "replay/e500mc.h"

#include <stdlib.h>
#include <uthash.h>

#define NOBODY (-1)

const char *const e500mc_variant_names[E500MC_VARIANTS] = { "old", "v2", "final" };

/* What old and v2 remember of a CPU. */
struct cpu_memory {
	int32_t old_vcpu; /* last_vcpu_on_cpu */
	int32_t v2_vcpu;  /* the same, as v2 updates it */
	int64_t v2_vm;	  /* last_lpid_on_cpu */
	struct e500mc_counts counts;
};

/* final remembers the last vCPU of each VM on each CPU (last_vcpu_of_lpid). */
struct vm_node {
	struct e500mc_vm is; /* first: what e500mc_next_vm() hands out */
	int32_t *last_on_cpu;
	UT_hash_handle hh;
};

struct vcpu_node {
	int32_t vcpu;
	uint32_t last_cpu; /* oldpir: where it was put last */
	UT_hash_handle hh;
};

struct e500mc {
	uint32_t n_cpus;
	struct cpu_memory *cpus;
	struct vm_node *vms;
	struct vcpu_node *vcpus;
	struct e500mc_counts total;
};

struct e500mc *e500mc_new(uint32_t cpus)
{
	struct e500mc *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->n_cpus = cpus;
	e->cpus = calloc(cpus ? cpus : 1, sizeof(*e->cpus));
	if (!e->cpus) {
		free(e);
		return NULL;
	}
	for (uint32_t i = 0; i < cpus; i++)
		e->cpus[i] = (struct cpu_memory){
			.old_vcpu = NOBODY,
			.v2_vcpu = NOBODY,
			.v2_vm = NOBODY,
		};
	return e;
}

static void free_vms(struct e500mc *e)
{
	struct vm_node *vm = e->vms;

	HASH_CLEAR(hh, e->vms);
	while (vm) {
		struct vm_node *next = vm->hh.next;

		free(vm->last_on_cpu);
		free(vm);
		vm = next;
	}
}

static void free_vcpus(struct e500mc *e)
{
	struct vcpu_node *vcpu = e->vcpus;

	HASH_CLEAR(hh, e->vcpus);
	while (vcpu) {
		struct vcpu_node *next = vcpu->hh.next;

		free(vcpu);
		vcpu = next;
	}
}

void e500mc_free(struct e500mc *e)
{
	if (!e)
		return;
	free_vms(e);
	free_vcpus(e);
	free(e->cpus);
	free(e);
}

static struct vm_node *find_vm(const struct e500mc *e, uint32_t vm)
{
	struct vm_node *node;

	HASH_FIND(hh, e->vms, &vm, sizeof(vm), node);
	return node;
}

static struct vm_node *get_vm(struct e500mc *e, uint32_t vm)
{
	struct vm_node *node = find_vm(e, vm);

	if (node)
		return node;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->is.vm = vm;
	node->last_on_cpu = calloc(e->n_cpus, sizeof(*node->last_on_cpu));
	if (!node->last_on_cpu) {
		free(node);
		return NULL;
	}
	for (uint32_t i = 0; i < e->n_cpus; i++)
		node->last_on_cpu[i] = NOBODY;
	HASH_ADD(hh, e->vms, is.vm, sizeof(node->is.vm), node);
	return node;
}

/* A vCPU that was never put has an oldpir that no CPU has. */
static struct vcpu_node *get_vcpu(struct e500mc *e, int32_t vcpu)
{
	struct vcpu_node *node;

	HASH_FIND_INT(e->vcpus, &vcpu, node);
	if (node)
		return node;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->vcpu = vcpu;
	node->last_cpu = UINT32_MAX;
	HASH_ADD_INT(e->vcpus, vcpu, node);
	return node;
}

static void add_load(struct e500mc_counts *c, const bool done[E500MC_VARIANTS], bool moved,
		     bool polluted)
{
	bool needed = moved || polluted;

	c->loads++;
	c->migration += moved;
	c->pollution += !moved && polluted;
	for (size_t v = 0; v < E500MC_VARIANTS; v++) {
		c->invalidations[v] += done[v];
		c->missed[v] += needed && !done[v];
	}
}

bool e500mc_load(struct e500mc *e, uint32_t cpu, uint32_t vm, int32_t vcpu)
{
	struct vm_node *of_vm = get_vm(e, vm);
	struct vcpu_node *self = get_vcpu(e, vcpu);
	bool done[E500MC_VARIANTS];
	struct cpu_memory *memory;
	bool moved;

	if (cpu >= e->n_cpus)
		return true;
	if (!of_vm || !self)
		return false;
	memory = &e->cpus[cpu];
	moved = self->last_cpu != cpu;
	done[E500MC_OLD] = moved || memory->old_vcpu != vcpu;
	done[E500MC_V2] = moved || (memory->v2_vcpu != vcpu && memory->v2_vm == (int64_t)vm);
	done[E500MC_FINAL] = moved || of_vm->last_on_cpu[cpu] != vcpu;
	add_load(&e->total, done, moved, done[E500MC_FINAL]);
	add_load(&of_vm->is.counts, done, moved, done[E500MC_FINAL]);
	add_load(&memory->counts, done, moved, done[E500MC_FINAL]);
	memory->old_vcpu = vcpu;
	if (moved || memory->v2_vcpu != vcpu) {
		memory->v2_vcpu = vcpu;
		memory->v2_vm = vm;
	}
	of_vm->last_on_cpu[cpu] = vcpu;
	self->last_cpu = cpu;
	return true;
}

const struct e500mc_counts *e500mc_total(const struct e500mc *e)
{
	return &e->total;
}

const struct e500mc_counts *e500mc_of_vm(const struct e500mc *e, uint32_t vm)
{
	const struct vm_node *node = find_vm(e, vm);

	return node ? &node->is.counts : NULL;
}

const struct e500mc_vm *e500mc_next_vm(const struct e500mc *e, const struct e500mc_vm *after)
{
	const struct vm_node *node = e->vms;

	if (after)
		node = ((const struct vm_node *)after)->hh.next;
	return node ? &node->is : NULL;
}

const struct e500mc_counts *e500mc_of_cpu(const struct e500mc *e, uint32_t cpu)
{
	return &e->cpus[cpu].counts;
}

void e500mc_counts_add(struct e500mc_counts *sum, const struct e500mc_counts *add)
{
	sum->loads += add->loads;
	sum->migration += add->migration;
	sum->pollution += add->pollution;
	for (size_t v = 0; v < E500MC_VARIANTS; v++) {
		sum->invalidations[v] += add->invalidations[v];
		sum->missed[v] += add->missed[v];
	}
}

void e500mc_add(struct e500mc *e, const struct e500mc_counts *counts)
{
	e500mc_counts_add(&e->total, counts);
}

bool e500mc_add_vm(struct e500mc *e, const struct e500mc_vm *vm)
{
	struct vm_node *node = get_vm(e, vm->vm);

	if (!node)
		return false;
	e500mc_counts_add(&node->is.counts, &vm->counts);
	return true;
}

void e500mc_add_cpu(struct e500mc *e, uint32_t cpu, const struct e500mc_counts *counts)
{
	e500mc_counts_add(&e->cpus[cpu].counts, counts);
}
