/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tidtable.h - names and thread groups of tasks, as the kernel's saved_cmdlines and saved_tgids
 * list them: "<tid> <text>\n" per line.
 */
#ifndef TLBTRACE_TIDTABLE_H
#define TLBTRACE_TIDTABLE_H

#include <stdint.h>

#include "analyze/event.h"

struct tid_name {
	int32_t tid;
	uint32_t line; /* of two lines for one tid the later holds */
	char name[COMM_LEN];
};

struct tid_table {
	struct tid_name *list; /* by tid */
	uint32_t n;
};

/* Reads the lines of text, which need not be terminated; others are skipped. -1: no memory. */
int tid_table_parse(struct tid_table *table, const char *text, uint64_t len);

/* The text of the tid, "" if it has none. Owned by the table. */
const char *tid_table_find(const struct tid_table *table, int32_t tid);

void tid_table_free(struct tid_table *table);

#endif
