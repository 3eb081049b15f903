/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86.h - the flush code of x86 as arithmetic: policies 7.4 and 7.5.
 *
 * Models flush_tlb_mm_range() and flush_tlb_func() of arch/x86/mm/tlb.c, v4.14 to v6.17. A CPU that
 * flushes a request of n pages executes n INVLPG if n is not over the ceiling and the CPU is not a
 * generation behind, else one CR3 write.
 */
#ifndef TLBTRACE_REPLAY_X86_H
#define TLBTRACE_REPLAY_X86_H

#include <stdbool.h>

#include "analyze/count.h"
#include "analyze/params.h"
#include "analyze/x86_share.h"

/*
 * One request under the policy alt, which was recorded under `recorded`. Where only bounds of the
 * recorded ceiling are known, a ceiling that alt names is another one.
 */
struct counts x86_predict(const struct x86_share *x86, const struct params *alt,
			  const struct model *recorded);

/*
 * What the recorded policy's events would be: to be compared with x86_recorded(). PTI adds
 * instructions, but no events.
 */
struct tally x86_replay(const struct x86_share *x86, const struct model *recorded);

#endif
