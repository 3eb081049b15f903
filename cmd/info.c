/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info.c - `tlbtrace info`: what a file is, has and lacks, and what was found out about its kernel. */
#include "cmd/info.h"

#include <stdlib.h>

#include "cmd/command.h"

static const struct option_group *const groups[] = {
	&common_input_options,
	&common_output_options,
	NULL,
};

struct request {
	struct common common;
	struct info info;
};

static int read_input(struct info_result *result, const struct common *c, const char *path,
		      struct error *err)
{
	struct model alone;

	if (whatif_read(&result->read, c, path, err) ||
	    infer_model(&alone, &result->read.trace, NULL, err))
		return -1;
	info_find(&result->facts, &result->read, &alone);
	return 0;
}

static int read_inputs(struct request *r, struct error *err)
{
	bool interrupted = false;

	r->info.results = calloc(r->common.n_inputs, sizeof(*r->info.results));
	if (!r->info.results)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	while (r->info.n_results < r->common.n_inputs && !interrupted) {
		size_t at = r->info.n_results++;

		if (read_input(&r->info.results[at], &r->common, r->common.inputs[at], err))
			return -1;
		interrupted = r->info.results[at].read.trace.interrupted;
	}
	return 0;
}

static int write_output(const struct request *r, bool json, struct error *err)
{
	struct sink sink;

	if (sink_open(&sink, &r->common.sink, err))
		return -1;
	if (json)
		info_json(&sink, &r->info);
	else
		info_text(&sink, &r->info);
	for (size_t i = 0; json && i < r->info.n_results; i++)
		common_warn_of_damage(&r->common, r->info.results[i].read.trace.info);
	return sink_close(&sink, err);
}

static int check_whole(const struct request *r, struct error *err)
{
	for (size_t i = 0; i < r->info.n_results; i++)
		if (common_check_whole(&r->common, &r->info.results[i].read.trace, err))
			return -1;
	return 0;
}

static const char *const formats[] = { "text", "json", NULL };

static int answer(struct request *r, int argc, char **argv, struct error *err)
{
	size_t format = 0;
	int operands;

	if (options_parse(groups, argc, argv, common_option, &r->common, &operands, err))
		return -1;
	if (r->common.help)
		return 0;
	if (r->common.format && value_word("format", r->common.format, formats, &format, err))
		return -1;
	r->info.verbose = r->common.verbose;
	if (common_operands(&r->common, argc - operands, argv + operands, err) ||
	    read_inputs(r, err) || write_output(r, format == 1, err))
		return -1;
	return check_whole(r, err);
}

static void free_request(struct request *r)
{
	static const struct whatif no_policies;

	for (size_t i = 0; i < r->info.n_results; i++)
		whatif_result_free(&r->info.results[i].read, &no_policies);
	free(r->info.results);
	common_free(&r->common);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct request r = { .common = { .n_inputs = 0 } };
	int status = answer(&r, argc, argv, err);
	int code = command_end(self, r.common.help, status, err);

	free_request(&r);
	return code;
}

const struct command command_info = {
	.name = "info",
	.summary = "tells what a file is, has and lacks, and what its kernel was",
	.operands = "[OPTION...] [FILE...]",
	.about = "Tells in about ten lines what a trace is, which evidence it has, what is missing and\n"
		 "what that costs, and which parameters of the recorded kernel were found from what.\n"
		 "Filters select the flushes that are judged.\n",
	.notes = "Examples\n"
		 "  tlbtrace info trace.dat\n"
		 "  tlbtrace info -v trace.dat             every parameter, with its evidence\n"
		 "  tlbtrace info --format=json trace.dat\n"
		 "\n"
		 "Formats are text and json.\n"
		 "\n"
		 "Exit status\n"
		 "  0  done, also where the trace has no flush\n"
		 "  2  usage: an unknown option, a bad value\n"
		 "  3  input: no trace, nothing readable; with --strict also lost events or a\n"
		 "     truncated trace\n"
		 "  4  environment: the output cannot be written, no memory\n"
		 "  130  interrupted: what was read until then is counted\n",
	.groups = groups,
	.formats = formats,
	.run = run,
};
