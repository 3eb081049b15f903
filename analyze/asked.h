/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asked.h - a trace that has requests and no instructions: the runs that would have been recorded.
 *
 * Probes on the kernel's flush functions say what was asked (told.h), the value that
 * flush_type_needed() returned says with which scope (v5.12 and later), and probes on
 * exit_lazy_flush_tlb() which CPUs were trimmed from a mask. From these a run is made for each
 * request, marked as asked: it has the request's range by address, whatever the ceiling made of it.
 * Everything behind it goes the way of recorded runs. POWER's radix MMU only; x86 has x86_join.h.
 */
#ifndef TLBTRACE_ASKED_H
#define TLBTRACE_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/run.h"
#include "analyze/source.h"

/*
 * Hardware PIDs that no probe fetched (it takes BTF) are numbered by their mm's kernel address: what
 * has this bit names an mm as well as the kernel's own number would, but is not that number.
 */
#define ASKED_PID UINT32_C(0x80000000)

/* True where the file has events of probes, as far as its header tells, and no instructions. */
bool asked_applies(const struct source_info *info);

struct asked;

/* base_shift: log2 of the kernel's page size. NULL where memory is short. */
struct asked *asked_new(unsigned base_shift);
void asked_free(struct asked *a);

/* Takes an item, valid during the call. False where memory is short: it ends the run. */
typedef bool (*asked_fn)(void *arg, const struct run_item *item);

/*
 * Takes the next item of all CPUs by time and hands it to fn, with the runs that it completes before
 * or behind it. False where memory is short or fn said so.
 */
bool asked_item(struct asked *a, const struct run_item *item, asked_fn fn, void *arg);

/* The trace has ended: hands out what is left. */
bool asked_finish(struct asked *a, asked_fn fn, void *arg);

#endif
