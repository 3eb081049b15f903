/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h - the parts that the JSON of several commands has in common: values of the keys of the same
 * names. Keys only grow.
 */
#ifndef TLBTRACE_CMD_OUTPUT_BLOCKS_H
#define TLBTRACE_CMD_OUTPUT_BLOCKS_H

#include <stdbool.h>

#include "cmd/output/json.h"
#include "cmd/whatif.h"

/* The counters of `which`, which ends with COUNTERS: plain numbers, or { lo, likely, hi }. */
void block_tally(struct json_writer *j, const struct tally *t, const enum counter *which);
void block_counts(struct json_writer *j, const struct counts *c, const enum counter *which);

/* Key and text; nothing where the text is empty or NULL. */
void block_text(struct json_writer *j, const char *key, const char *text);

void block_input(struct json_writer *j, const struct whatif_result *r);
void block_model(struct json_writer *j, const struct model *m, bool x86);
/* The keys "recorded", "derived" and "fidelity". Where only requests were recorded, instead of the
 * first and the last "computed": true. */
void block_base(struct json_writer *j, const struct whatif_result *r);
/* The key "scope" and what the rules of the mask predicted; nothing where masks are not followed. */
void block_scope(struct json_writer *j, const struct whatif_result *r);
void block_boundaries(struct json_writer *j, const struct whatif_result *r);
void block_quality(struct json_writer *j, const struct whatif *w, const struct whatif_result *r);

#endif
