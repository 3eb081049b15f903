/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_sweep.h - a sweep for people: the values at which something changes, and what to make of it.
 */
#ifndef TLBTRACE_CMD_OUTPUT_WHATIF_SWEEP_H
#define TLBTRACE_CMD_OUTPUT_WHATIF_SWEEP_H

#include "cmd/output/page.h"
#include "cmd/whatif.h"

/* r has a sweep. */
void whatif_sweep(struct page *p, const struct whatif *w, const struct whatif_result *r);

#endif
