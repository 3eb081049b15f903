/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink.h - where results go: standard output, a pager, or a file that is written whole or not at all.
 */
#ifndef TLBTRACE_CMD_OUTPUT_SINK_H
#define TLBTRACE_CMD_OUTPUT_SINK_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/error.h"
#include "cmd/output/temporary.h"

enum color {
	COLOR_AUTO, /* on a terminal, unless NO_COLOR is set */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

struct sink_options {
	const char *path; /* NULL: standard output */
	enum color color;
	bool no_pager;
};

struct sink {
	FILE *f; /* to write to; errors may be left to sink_close */
	bool is_terminal;
	bool color;

	/* The rest is sink.c's. */
	char *path;		    /* the file that is being replaced */
	struct temporary temporary; /* what is written until it is whole */
	char *page;		    /* text for the pager */
	size_t page_len;
};

/* Returns 0, or -1 with *err filled (ERROR_ENVIRONMENT; ERROR_USAGE where path is a recording). */
int sink_open(struct sink *s, const struct sink_options *opt, struct error *err);

/* Finishes: the file takes its name, or the text is shown. Returns 0, or -1 with *err filled. */
int sink_close(struct sink *s, struct error *err);

/* Gives up: the file at path stays what it was. */
void sink_abandon(struct sink *s);

#endif
