/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records.h - operands as the kernel's helpers trace them (policies 1.3), for tests that need
 * sequences of records. test_tlbie.c does not use these: it has the literal vectors.
 */
#ifndef TLBTRACE_TESTS_RECORDS_H
#define TLBTRACE_TESTS_RECORDS_H

#include <stdint.h>

#include "analyze/event.h"

/* Actual-page-size codes. */
enum {
	AP_4K = 0,
	AP_2M = 1,
	AP_1G = 2,
	AP_64K = 5
};

#define PAGE_64K UINT64_C(0x10000)
#define PAGE_2M UINT64_C(0x200000)

/* __tlbie_va */
struct tlbie_record op_va(uint32_t hw_pid, uint64_t addr, unsigned ap);

/* __tlbie_pid */
struct tlbie_record op_pid(uint32_t hw_pid, unsigned ric);

/* __tlbiel_pid */
struct tlbie_record op_set(uint32_t hw_pid, unsigned set, unsigned ric);

/* The same instruction as tlbiel. */
struct tlbie_record op_local(struct tlbie_record op);

/* fixup_tlbie_va_range, fixup_tlbie_pid: the ERAT workaround's PID 0, ric 0 */
struct tlbie_record op_fix_erat(void);

/* fixup_tlbie_pid: the STQ workaround's sentinel; with hw_pid 0 the only fixup of v4.16 to v5.2 */
struct tlbie_record op_sentinel(uint32_t hw_pid);

#endif
