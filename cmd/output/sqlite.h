/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sqlite.h - a SQLite database that is made anew, whole or not at all, in one transaction.
 *
 * The first error is kept until sqlite_close(), so that callers need not look at every row.
 */
#ifndef TLBTRACE_CMD_OUTPUT_SQLITE_H
#define TLBTRACE_CMD_OUTPUT_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/error.h"
#include "cmd/output/temporary.h"

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_file {
	struct sqlite3 *db;
	char *path;
	struct temporary temporary; /* what is written until it is whole */
	char said[160];		    /* the first error; "" none */
};

/* Returns 0, or -1 with *err filled: also where path exists, which is never replaced. */
int sqlite_create(struct sqlite_file *s, const char *path, struct error *err);

/* Runs statements that take no values. */
void sqlite_run(struct sqlite_file *s, const char *sql);

/* A statement for many rows, owned by the caller; NULL where s has failed. */
struct sqlite3_stmt *sqlite_prepare(struct sqlite_file *s, const char *sql);

/* Binds the next values of a row, from `at` on (the first is 1); each adds one to *at. */
void sqlite_number(struct sqlite3_stmt *row, int *at, uint64_t n);
void sqlite_number_if(struct sqlite3_stmt *row, int *at, bool known, uint64_t n);
/* NULL where it is "". Bytes that are not valid UTF-8 become U+FFFD, one each. */
void sqlite_text(struct sqlite3_stmt *row, int *at, const char *text);

/* Inserts the row. */
void sqlite_insert(struct sqlite_file *s, struct sqlite3_stmt *row);
void sqlite_done(struct sqlite3_stmt *row);

/* Finishes: the file takes its name. Returns 0, or -1 with *err filled. */
int sqlite_close(struct sqlite_file *s, struct error *err);

/* Gives up: nothing is left. After sqlite_close() it does nothing. */
void sqlite_abandon(struct sqlite_file *s);

#endif
