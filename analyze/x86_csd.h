/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_csd.h - which CPU queued the call that a CPU runs (csd:* events, v6.4 and later).
 *
 * smp_call_function_many_cond() has one call_single_data per pair of CPUs, waits for all calls that it
 * queued, and says the address both when it queues and when the call is run: a share of a flush that
 * follows is that sender's, whoever else is sending at the same time.
 */
#ifndef TLBTRACE_X86_CSD_H
#define TLBTRACE_X86_CSD_H

#include <stdbool.h>
#include <stdint.h>

#define X86_CSDS 65536 /* that are known at a time; others are not looked for */

struct x86_csds;

/* NULL where memory is short. */
struct x86_csds *x86_csds_new(void);
void x86_csds_free(struct x86_csds *csds); /* accepts NULL */

/* The CPU `sender` queued the call at address. False where memory is short. */
bool x86_csds_queued(struct x86_csds *csds, uint64_t address, uint32_t sender);

/* Who queued it last; -1 not known. */
int64_t x86_csds_sender(const struct x86_csds *csds, uint64_t address);

#endif
