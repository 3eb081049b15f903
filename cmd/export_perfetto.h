/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_perfetto.h - `tlbtrace export --format=perfetto`: rows as a timeline, in the Trace Event
 * Format (JSON) that ui.perfetto.dev and chrome://tracing open.
 *
 * Each CPU is a track of slices, one per row, a second one what its interrupt handlers flushed; and
 * a counter of the instructions that it has issued so far.
 */
#ifndef TLBTRACE_CMD_EXPORT_PERFETTO_H
#define TLBTRACE_CMD_EXPORT_PERFETTO_H

#include "cmd/export.h"
#include "cmd/output/json.h"
#include "cmd/whatif.h"

struct perfetto_cpu {
	bool named[2]; /* its tracks: tasks, interrupts */
	struct tally issued;
};

struct perfetto {
	struct json_writer json;
	struct perfetto_cpu *cpus; /* [n_cpus] */
	uint32_t n_cpus;
};

/*
 * Writes what stands before the rows. Returns 0, or -1 with *err filled where memory is short or the
 * trace has no times; perfetto_free() either way. r must outlive it.
 */
int perfetto_begin(struct perfetto *p, FILE *f, const struct whatif_result *r, struct error *err);

/* An export_row_fn: `to` is the struct perfetto. */
void perfetto_row(void *to, const struct export_row *row);

/* Writes what stands behind them. */
void perfetto_end(struct perfetto *p);
void perfetto_free(struct perfetto *p);

#endif
