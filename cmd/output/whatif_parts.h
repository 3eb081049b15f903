/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_parts.h - what stands beside the table of counts. Each writes nothing where nothing was asked.
 */
#ifndef TLBTRACE_CMD_OUTPUT_WHATIF_PARTS_H
#define TLBTRACE_CMD_OUTPUT_WHATIF_PARTS_H

#include "cmd/output/page.h"
#include "cmd/whatif.h"

/* The same requests by other architectures' rules. r NULL: the total of all inputs. */
void whatif_part_targets(struct page *p, const struct whatif *w, const struct whatif_result *r);

/* Loads of vCPUs by VM; with -v by CPU too. */
void whatif_part_vcpus(struct page *p, const struct whatif_result *r, bool verbose);

/* IPIs by the CPU that gets them: with -v, or the sums of --isolated. */
void whatif_part_ipis(struct page *p, const struct whatif *w, const struct whatif_result *r,
		      bool verbose);

/* Who pays for lazy TLB, where an alternative has another scheme of it. */
void whatif_part_lazy(struct page *p, const struct whatif *w, const struct whatif_result *r);

/* Time, where --cost says what counters take. */
void whatif_part_cost(struct page *p, const struct whatif *w, const struct whatif_result *r);

/* Flushes that each alternative promotes and the recorded policy does not, by mm. */
void whatif_part_promoted(struct page *p, const struct whatif *w, const struct whatif_result *r);

#endif
