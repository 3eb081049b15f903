/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - an input of a command, be it a trace or a summary: which of them answers, nobody asks.
 */
#ifndef TLBTRACE_CMD_INPUT_H
#define TLBTRACE_CMD_INPUT_H

#include "cmd/common.h"
#include "replay/watch.h"

/*
 * Reads one input as the filters say, and follows it: vCPUs too where asked for. What a summary cannot
 * answer is an error (ERROR_USAGE) that says what to do. Returns 0, or -1 with *err; *t and *watch are
 * the caller's then either way.
 */
int input_read(const struct common *c, const char *path, bool vcpus, struct trace *t,
	       struct watch **watch, struct error *err);

/* Puts FILE#1, FILE#2, … in the place of a summary of several recorded kernels. */
int input_expand(struct common *c, struct error *err);

#endif
