/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - what the program knows of each command; main.c has the table of them.
 */
#ifndef TLBTRACE_CMD_COMMAND_H
#define TLBTRACE_CMD_COMMAND_H

#include <stdbool.h>

#include "analyze/error.h"
#include "cmd/options.h"

/* Exit codes that are no error; enum error_class has the others. They are part of the interface. */
enum {
	EXIT_DONE = 0,
	EXIT_CHECK_FAILED = 1,
};

struct command {
	const char *name;
	const char *summary;  /* one line for the list of commands */
	const char *operands; /* what follows the name in its usage line */
	const char *about;    /* paragraphs above the options */
	const char *notes;    /* paragraphs below them: examples, exit codes */
	option_groups groups;
	const char *const *formats; /* values of --format, ends with NULL; NULL: not told here */

	/*
	 * Runs the command; argv[0] is its name. Returns the exit code; where that is an
	 * enum error_class, *err may have the line to print.
	 */
	int (*run)(const struct command *self, int argc, char **argv, struct error *err);
};

extern const struct command command_record;
extern const struct command command_diff;
extern const struct command command_info;
extern const struct command command_policies;
extern const struct command command_merge;
extern const struct command command_report;
extern const struct command command_summarize;
extern const struct command command_export;
extern const struct command command_verify;
extern const struct command command_whatif;

/* All of them, in the order of the list of commands; ends with NULL. */
extern const struct command *const commands[];

/* Writes the command's --help to standard output. */
void command_help(const struct command *self);

/* What run returns where `status` is 0, or -1 with *err; writes the help before, where that was asked for. */
int command_end(const struct command *self, bool help, int status, const struct error *err);

#endif
