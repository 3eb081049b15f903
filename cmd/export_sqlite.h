/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_sqlite.h - `tlbtrace export --format=sqlite`: a database with the rows, and what is known of
 * the trace beside them. docs/export.md has its schema.
 */
#ifndef TLBTRACE_CMD_EXPORT_SQLITE_H
#define TLBTRACE_CMD_EXPORT_SQLITE_H

#include "cmd/export.h"
#include "cmd/output/sqlite.h"
#include "cmd/whatif.h"

struct sqlite_export {
	struct sqlite_file file;
	struct sqlite3_stmt *flush; /* inserts a row */
};

/* Makes the tables. Returns 0, or -1 with *err filled. */
int sqlite_export_begin(struct sqlite_export *x, const char *path, struct error *err);

/* An export_row_fn: `to` is the struct sqlite_export. */
void sqlite_export_row(void *to, const struct export_row *row);

/*
 * Fills the other tables from r, as the options c selected, and closes the file. Returns 0, or -1 with
 * *err filled.
 */
int sqlite_export_end(struct sqlite_export *x, const struct whatif_result *r,
		      const struct common *c, struct error *err);

/* Gives up, where it did not come to the end: nothing is left. */
void sqlite_export_abandon(struct sqlite_export *x);

#endif
