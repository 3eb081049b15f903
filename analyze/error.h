/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - one line that says what went wrong, filled in where it is noticed and printed by main.
 *
 * Everything below cmd/ reports a failure by filling a struct error and returning a status; nothing
 * prints or exits by itself.
 */
#ifndef TLBTRACE_ERROR_H
#define TLBTRACE_ERROR_H

/* How bad it is; the values are the exit codes of docs/ (cli: "exit"). */
enum error_class {
	ERROR_NONE = 0,
	ERROR_USAGE = 2,
	ERROR_INPUT = 3,
	ERROR_ENVIRONMENT = 4,
	ERROR_INTERRUPTED = 130,
};

struct error {
	enum error_class class;
	char text[1024]; /* no newline; begins with the file or option concerned */
};

/* Fills *err and returns -1, so that callers can write `return error_set(...)`. */
int error_set(struct error *err, enum error_class class, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
