/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sqlite.c - writing a SQLite database. */
#include "cmd/output/sqlite.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/utf8.h"

static int fail(const char *path, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
}

static void note(struct sqlite_file *s, int status)
{
	if (status == SQLITE_OK || status == SQLITE_DONE || *s->said)
		return;
	(void)snprintf(s->said, sizeof(s->said), "%s",
		       s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(status));
}

/* An empty file beside path, with the mode of a file that is made anew. */
static int make_temporary(struct sqlite_file *s, struct error *err)
{
	mode_t mask = umask(0);
	int fd;

	(void)umask(mask);
	fd = temporary_file(&s->temporary, s->path, 0666 & ~mask);
	if (fd < 0)
		return fail(s->path, err);
	(void)close(fd);
	return 0;
}

int sqlite_create(struct sqlite_file *s, const char *path, struct error *err)
{
	struct stat st;
	int status;

	*s = (struct sqlite_file){ .db = NULL };
	if (lstat(path, &st) == 0)
		return error_set(err, ERROR_ENVIRONMENT,
				 "%s: exists already: a database is made anew, so remove it or name "
				 "another file",
				 path);
	s->path = strdup(path);
	if (!s->path)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	if (make_temporary(s, err))
		return -1;
	status = sqlite3_open_v2(s->temporary.path, &s->db, SQLITE_OPEN_READWRITE, NULL);
	if (status != SQLITE_OK)
		return error_set(err, ERROR_ENVIRONMENT, "%s: %s", path, sqlite3_errstr(status));
	/* Nobody sees the file before it is whole: there is nothing to roll back to. */
	sqlite_run(s, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		      "PRAGMA locking_mode = EXCLUSIVE; BEGIN;");
	return 0;
}

void sqlite_run(struct sqlite_file *s, const char *sql)
{
	if (!*s->said)
		note(s, sqlite3_exec(s->db, sql, NULL, NULL, NULL));
}

struct sqlite3_stmt *sqlite_prepare(struct sqlite_file *s, const char *sql)
{
	struct sqlite3_stmt *row = NULL;

	if (!*s->said)
		note(s, sqlite3_prepare_v2(s->db, sql, -1, &row, NULL));
	return row;
}

void sqlite_number(struct sqlite3_stmt *row, int *at, uint64_t n)
{
	sqlite_number_if(row, at, true, n);
}

void sqlite_number_if(struct sqlite3_stmt *row, int *at, bool known, uint64_t n)
{
	if (known)
		(void)sqlite3_bind_int64(row, *at, (sqlite3_int64)n);
	else
		(void)sqlite3_bind_null(row, *at);
	(*at)++;
}

void sqlite_text(struct sqlite3_stmt *row, int *at, const char *text)
{
	char valid[1024];
	size_t n = 0;

	while (*text && n + 4 < sizeof(valid)) {
		struct utf8 c = utf8_at(text);

		memcpy(valid + n, c.bytes, c.len);
		n += c.len;
		text += c.took;
	}
	if (n)
		(void)sqlite3_bind_text(row, *at, valid, (int)n, SQLITE_TRANSIENT);
	else
		(void)sqlite3_bind_null(row, *at);
	(*at)++;
}

void sqlite_insert(struct sqlite_file *s, struct sqlite3_stmt *row)
{
	if (*s->said)
		return;
	note(s, sqlite3_step(row));
	(void)sqlite3_reset(row);
}

void sqlite_done(struct sqlite3_stmt *row)
{
	(void)sqlite3_finalize(row);
}

int sqlite_close(struct sqlite_file *s, struct error *err)
{
	int status;

	sqlite_run(s, "COMMIT");
	status = sqlite3_close(s->db);
	if (status == SQLITE_OK)
		s->db = NULL;
	note(s, status);
	status = 0;
	if (*s->said)
		status = error_set(err, ERROR_ENVIRONMENT, "%s: %s", s->path, s->said);
	else if (temporary_keep(&s->temporary, s->path))
		status = fail(s->path, err);
	sqlite_abandon(s);
	return status;
}

void sqlite_abandon(struct sqlite_file *s)
{
	(void)sqlite3_close_v2(s->db);
	temporary_drop(&s->temporary);
	free(s->path);
	*s = (struct sqlite_file){ .db = NULL };
}
