/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen.h - man pages and completions, written from the tables that parse the command line: they cannot
 * drift apart. Errors of writing stay in the FILE.
 */
#ifndef TLBTRACE_DOCS_GEN_H
#define TLBTRACE_DOCS_GEN_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/command.h"

/* tlbtrace(1): what it is, and the list of commands. */
void man_program(FILE *f, const char *date);
/* tlbtrace-COMMAND(1). */
void man_command(FILE *f, const struct command *command, const char *date);
/* tlbtrace-policies(7): the catalogue. */
void man_policies(FILE *f, const char *date);
/* tlbtrace-formats(5): what is read and what is written. */
void man_formats(FILE *f, const char *date);

void complete_bash(FILE *f);
void complete_zsh(FILE *f);
void complete_fish(FILE *f);

/* What an option's value may be. */
enum value_kind {
	VALUE_NONE,  /* it takes none */
	VALUE_OTHER, /* anything */
	VALUE_FILE,
	VALUE_WORD,  /* one of a few words */
	VALUE_LIST,  /* several of them, with commas */
	VALUE_KEYS,  /* a list key=value,… */
	VALUE_SPEC,  /* a policy's name, then such a list */
	VALUE_MM,    /* what the trace on the command line has: programs with an address space */
	VALUE_COMM,  /* names of tasks */
	VALUE_EVENT, /* some words, or event: and the name of an event */
	VALUE_TRACEPOINT, /* an event of this machine */
};

enum value_kind value_kind(const struct command *command, const struct option_spec *o);

/*
 * Writes the words of a value with `between` between them: "key=word" for each word that a key may
 * have, "key=" where it takes a number, and in front of that "policy," where it is a policy's.
 */
void value_words_write(FILE *f, const struct command *command, const struct option_spec *o,
		       const char *between);

/* The options of a command, across its groups: NULL first, and NULL at the end. */
const struct option_spec *option_after(const struct command *command, const struct option_spec *o);

#endif
