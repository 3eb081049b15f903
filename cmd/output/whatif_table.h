/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_table.h - the recorded counts and each alternative's beside them.
 */
#ifndef TLBTRACE_CMD_OUTPUT_WHATIF_TABLE_H
#define TLBTRACE_CMD_OUTPUT_WHATIF_TABLE_H

#include "cmd/output/page.h"
#include "cmd/whatif.h"

struct whatif_table {
	const struct whatif *w;
	const struct whatif_result *r; /* NULL: the total of all inputs */
	bool verbose;
};

/* Two alternatives beside each other fill a line; more are further tables below. */
void whatif_table(struct page *p, const struct whatif_table *t);

#endif
