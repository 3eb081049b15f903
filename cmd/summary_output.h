/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary_output.h - where summarize and merge write, and the options that both have.
 */
#ifndef TLBTRACE_CMD_SUMMARY_OUTPUT_H
#define TLBTRACE_CMD_SUMMARY_OUTPUT_H

#include "cmd/options.h"
#include "cmd/output/sink.h"
#include "replay/summary.h"

enum {
	OPTION_SUMMARY_OUTPUT = OPTION_IDS,
	OPTION_SUMMARY_AGAIN,
	OPTION_SUMMARY_QUIET,
	OPTION_SUMMARY_HELP,
};

/* Before anything is read: -1 with *err where a summary would go to a terminal. */
int summary_output_check(const struct sink_options *where, struct error *err);

int summary_output(const struct summary *s, const struct sink_options *where, struct error *err);

#endif
