/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - the counters that recordings and predictions are expressed in, always as intervals.
 */
#ifndef TLBTRACE_COUNT_H
#define TLBTRACE_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * X(id, key, what it counts). The keys are those of the JSON output and of budgets; their order is
 * the order of output. tlbie is the sum of the seven tlbie_* that follow it.
 */
#define COUNTERS_X(X)                                                                              \
	X(COUNT_FLUSHES, "flushes", "requests to flush")                                           \
	X(COUNT_PROMOTED, "promoted", "range requests carried out as a flush of the whole PID")    \
	X(COUNT_TLBIE, "tlbie", "tlbie instructions, fixups included")                             \
	X(COUNT_TLBIE_VA, "tlbie_va", "tlbie by address")                                          \
	X(COUNT_TLBIE_PID, "tlbie_pid", "tlbie by PID")                                            \
	X(COUNT_TLBIE_PWC, "tlbie_pwc", "tlbie of a PID's page walk cache only")                   \
	X(COUNT_TLBIE_FIXUP, "tlbie_fixup", "tlbie that only work around POWER9 errata")           \
	X(COUNT_TLBIE_KERNEL, "tlbie_kernel", "tlbie of kernel addresses")                         \
	X(COUNT_TLBIE_LPID, "tlbie_lpid", "tlbie for a guest or partition")                        \
	X(COUNT_TLBIE_HASH, "tlbie_hash", "tlbie of the hash MMU")                                 \
	X(COUNT_TLBIEL, "tlbiel", "tlbiel instructions (this CPU only)")                           \
	X(COUNT_IPIS, "ipis", "inter-processor interrupts sent")                                   \
	X(COUNT_LAZY_ATOMICS, "lazy_atomics", "atomics on mm_count by lazy TLB references")        \
	X(COUNT_SHOOT_IPIS, "shoot_ipis", "IPIs at the last mmdrop, to CPUs that may hold the mm") \
	X(COUNT_SHOOT_IPIS_USEFUL, "shoot_ipis_useful", "of them: to CPUs that held it lazily")    \
	X(COUNT_PTESYNC, "ptesync", "ptesync barriers")                                            \
	X(COUNT_TLBSYNC, "tlbsync", "eieio; tlbsync; ptesync groups")                              \
	X(COUNT_HCALLS, "hcalls", "H_RPT_INVALIDATE hypervisor calls")                             \
	X(COUNT_INVLPG, "invlpg", "INVLPG of one page on one CPU (with PTI also INVPCID of one)")  \
	X(COUNT_CR3_WRITES, "cr3_writes", "flushes of everything on one CPU, by writing CR3")      \
	X(COUNT_INVLPGB, "invlpgb", "INVLPGB broadcasts (AMD)")                                    \
	X(COUNT_TLBI, "tlbi", "arm64 TLBI broadcasts")                                             \
	X(COUNT_DSB, "dsb", "arm64 DSB barriers")                                                  \
	X(COUNT_SFENCE, "sfence", "riscv sfence.vma on each CPU of the mask")                      \
	X(COUNT_VCPU_LOADS, "vcpu_loads", "vCPUs put on a CPU")                                    \
	X(COUNT_INVALIDATIONS, "invalidations", "tlbilxlpid: all of a guest's entries on one CPU") \
	X(COUNT_MISSED, "missed_invalidations", "loads that needed one and did not do it")

#define COUNTERS_ENUM(id, key, what) id,
enum counter {
	COUNTERS_X(COUNTERS_ENUM) COUNTERS
};
#undef COUNTERS_ENUM

/* One possible reading: plain numbers. */
struct tally {
	uint64_t n[COUNTERS];
};

/*
 * A prediction: between lo and hi, whatever the trace leaves open, and `likely` under the reading
 * that the rules of docs/model prefer. Exact where lo == hi. Where promoted flushes of unknown
 * length take part, no reading is to be preferred: `open` is set and `likely` is one of many.
 */
struct counts {
	struct tally lo;
	struct tally likely;
	struct tally hi;
	bool open;
};

extern const char *const counter_keys[COUNTERS];
extern const char *const counter_texts[COUNTERS];

/* The counter with this key, or COUNTERS. */
enum counter counter_by_key(const char *key);

/* sum += times * add. Saturates at UINT64_MAX. */
void tally_add(struct tally *sum, const struct tally *add, uint64_t times);

/* Sets tlbie to the sum of its parts. */
void tally_sum_tlbie(struct tally *t);

/* Widens *c so that it contains reading *t; `likely` stays. */
void counts_include(struct counts *c, const struct tally *t);

/* The same for all readings from other's least to its most. */
void counts_include_both(struct counts *c, const struct counts *other);

/* An exact prediction. */
struct counts counts_exact(const struct tally *t);

/* sum += times * add, end by end. */
void counts_add(struct counts *sum, const struct counts *add, uint64_t times);

#endif
