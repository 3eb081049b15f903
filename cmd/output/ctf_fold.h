/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_fold.h - a CPU's events as export writes them: instructions whose rb advances by one distance,
 * and that are equal otherwise, are one item. Loses nothing: the reader takes them apart again.
 */
#ifndef TLBTRACE_CMD_OUTPUT_CTF_FOLD_H
#define TLBTRACE_CMD_OUTPUT_CTF_FOLD_H

#include "analyze/source.h"
#include "cmd/output/ctf_lane.h"

struct ctf_fold {
	struct source *src;
	uint32_t cpu;
	struct event event; /* of the item */
	struct event ahead; /* read, and not of it */
	bool has_ahead;
	bool ended;
	struct error *err; /* of the source; where it is filled, ctf_fold_next() returned -1 */
};

/* A ctf_lane.next: arg is a struct ctf_fold. What *item points to holds until the next call. */
int ctf_fold_next(void *arg, struct ctf_lane *lane, struct ctf_item *item);

#endif
