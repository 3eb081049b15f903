/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - the recorded requests, priced by another architecture's rules: policies 8.
 *
 * arm64 broadcasts TLBI without an IPI; riscv runs sfence.vma on each CPU of the mask. Both have
 * ceilings of their own. What is counted is what these kernels would issue for the very requests
 * that a POWER kernel made: page sizes and batching stay POWER's, so it is a comparison of
 * instructions, not a forecast for a port.
 *
 * Models arch/arm64/include/asm/tlbflush.h (v5.17, v6.17) and arch/riscv/mm/tlbflush.c (v6.17).
 */
#ifndef TLBTRACE_REPLAY_TARGET_H
#define TLBTRACE_REPLAY_TARGET_H

#include <stdint.h>

#include "analyze/count.h"
#include "analyze/params.h"

/* Sets the ceilings and the rest of a policy for this target (TARGET_*); POWER's switches go. */
void target_set(struct params *p, unsigned target);

/* A range of `pages` pages by address; the ceiling has already let it pass. */
struct tally target_pages(const struct params *p, uint64_t pages);

/* Everything of an address space. */
struct tally target_whole(const struct params *p);

/* TLBI that FEAT_TLBIRANGE needs for so many pages of the base size; pages < 2^21. */
uint64_t target_range_ops(uint64_t pages);

#endif
