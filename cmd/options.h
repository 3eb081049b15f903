/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - option tables: one per command, from which it is parsed and its help is written.
 */
#ifndef TLBTRACE_CMD_OPTIONS_H
#define TLBTRACE_CMD_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/error.h"

struct option_spec {
	int id;		   /* >= OPTION_IDS */
	char letter;	   /* '\0': no short form */
	const char *name;  /* without the dashes */
	const char *value; /* how help calls its value, such as "N"; NULL: it takes none */
	const char *help; /* lines separated by \n; one that takes several values is "repeatable" */
};

#define OPTION_IDS 256 /* above every character, which getopt_long needs for itself */

struct option_group {
	const char *title;
	const struct option_spec *options; /* ends with an entry without a name */
};

/* The groups of a command; ends with NULL. */
typedef const struct option_group *const *option_groups;

/* Takes one option; value is NULL for those without one. Returns 0, or -1 with *err filled. */
typedef int (*option_fn)(void *arg, int id, const char *value, struct error *err);

/*
 * Calls fn for every option of argv[1 …] in order. Operands are moved behind the options; the first
 * is argv[*operands] afterwards. Names must be written in full: an abbreviation would change its
 * meaning in somebody's script with the next option that begins alike.
 * Returns 0, or -1 with *err filled (ERROR_USAGE).
 */
int options_parse(option_groups groups, int argc, char **argv, option_fn fn, void *arg,
		  int *operands, struct error *err);

/* Writes the options for --help, 80 columns wide; of --format the command's own values, if told. */
void options_help(FILE *out, option_groups groups, const char *const *formats);

#endif
