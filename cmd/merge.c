/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.c - `tlbtrace merge`: summaries of many traces in one. */
#include <inttypes.h>

#include "cmd/command.h"
#include "cmd/common.h"
#include "cmd/summary_output.h"

static const struct option_group merge_group = {
	"Options",
	(const struct option_spec[]){
		{ OPTION_SUMMARY_OUTPUT, 'o', "output", "FILE",
		  "the sum, written whole or not at all (default:\n"
		  "standard output, which must not be a terminal)" },
		{ OPTION_SUMMARY_AGAIN, 0, "again", NULL,
		  "add a trace that is in two of the summaries twice" },
		{ OPTION_SUMMARY_QUIET, 'q', "quiet", NULL, "no warnings" },
		{ OPTION_SUMMARY_HELP, 'h', "help", NULL, "this text" },
		{ 0 },
	},
};

static const struct option_group *const groups[] = { &merge_group, NULL };

struct request {
	struct common common;
	bool again;
};

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	struct request *r = arg;

	switch (id) {
	case OPTION_SUMMARY_OUTPUT:
		return common_set_output(&r->common, value, err);
	case OPTION_SUMMARY_AGAIN:
		r->again = true;
		return 0;
	case OPTION_SUMMARY_QUIET:
		r->common.quiet = true;
		return 0;
	default:
		r->common.help = true;
		return 0;
	}
}

static int add_file(const struct request *r, struct summary *all, const char *path,
		    struct error *err)
{
	struct summary one;
	size_t group;
	int status;

	if (summary_read(&one, path, &group, err))
		return -1;
	if (group != one.n_groups)
		status = error_set(err, ERROR_USAGE, "%s: merge takes whole files, not one group",
				   path);
	else if (one.unknown)
		status = error_set(err, ERROR_INPUT,
				   "%s: has %" PRIu64
				   " parts of a newer version, which would be lost: "
				   "merge with a newer tlbtrace",
				   path, one.unknown);
	else
		status = summary_add(all, &one, r->again, path, err);
	summary_free(&one);
	return status;
}

static int merge(const struct request *r, char **paths, struct error *err)
{
	struct summary all = { .n_groups = 0 };
	int status = 0;

	for (; *paths && status == 0; paths++)
		status = add_file(r, &all, *paths, err);
	if (status == 0)
		status = summary_output(&all, &r->common.sink, err);
	summary_free(&all);
	return status;
}

static int answer(struct request *r, int argc, char **argv, struct error *err)
{
	int operands;

	if (options_parse(groups, argc, argv, take_option, r, &operands, err))
		return -1;
	if (r->common.help)
		return 0;
	if (operands == argc)
		return error_set(err, ERROR_USAGE,
				 "merge needs summaries: tlbtrace merge -o ALL.tlbsum A.tlbsum "
				 "B.tlbsum ...");
	if (summary_output_check(&r->common.sink, err))
		return -1;
	return merge(r, argv + operands, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct request r = { .again = false };
	int status = answer(&r, argc, argv, err);
	int code = command_end(self, r.common.help, status, err);

	common_free(&r.common);
	return code;
}

const struct command command_merge = {
	.name = "merge",
	.summary = "adds up summaries of traces",
	.operands = "[OPTION...] -o SUM SUMMARY...",
	.about = "Adds up what tlbtrace summarize wrote: of many machines, or of many recordings of\n"
		 "one. Order and grouping do not matter: the bytes are the same. Predictions from\n"
		 "the sum are the sums of the predictions from the traces.\n"
		 "\n"
		 "A prediction depends on the kernel that was recorded, so only traces of one\n"
		 "release, with the same parameters and the same kinds of evidence, are added to\n"
		 "each other. Others stay groups of their own in the one file: the other commands\n"
		 "show each as FILE#1, FILE#2, ... and their total.\n",
	.notes = "Process numbers and the numbers of VMs are dropped where traces are added, for\n"
		 "they mean nothing on another machine; programs keep their names. Rates (/s) are\n"
		 "those of one machine, on average. IPIs to a CPU are those to the CPU of that\n"
		 "number on any machine. A trace that is in two of the summaries is refused.\n"
		 "\n"
		 "Examples\n"
		 "  tlbtrace merge -o fleet.tlbsum node*.tlbsum\n"
		 "  tlbtrace whatif --ceiling=31 fleet.tlbsum\n"
		 "\n"
		 "Exit status\n"
		 "  0  done\n"
		 "  2  usage: an unknown option, a trace that is in twice, x86 and POWER\n"
		 "  3  input: not a summary, damaged, or of another version\n"
		 "  4  environment: the output cannot be written, no memory\n",
	.groups = groups,
	.run = run,
};
