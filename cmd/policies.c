/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policies.c - `tlbtrace policies`: the catalogue of policies. */
#include "cmd/policies.h"

#include "cmd/command.h"
#include "cmd/common.h"

static const struct option_group *const groups[] = {
	&common_output_options,
	NULL,
};

static int write_output(const struct common *c, const struct policy_kind *one, bool json,
			struct error *err)
{
	struct sink sink;

	if (sink_open(&sink, &c->sink, err))
		return -1;
	if (json)
		policies_json(&sink, one);
	else
		policies_text(&sink, one);
	return sink_close(&sink, err);
}

static const char *const formats[] = { "text", "json", NULL };

static int answer(struct common *c, int argc, char **argv, struct error *err)
{
	const struct policy_kind *one = NULL;
	size_t format = 0;
	int at;

	if (options_parse(groups, argc, argv, common_option, c, &at, err))
		return -1;
	if (c->help)
		return 0;
	if (c->format && value_word("format", c->format, formats, &format, err))
		return -1;
	if (argc - at > 1)
		return error_set(err, ERROR_USAGE, "policies takes one NAME: '%s' is one too many",
				 argv[at + 1]);
	if (argc > at) {
		one = policy_kind_of(argv[at], err);
		if (!one)
			return -1;
	}
	return write_output(c, one, format == 1, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct common c = { .n_inputs = 0 };
	int status = answer(&c, argc, argv, err);
	int code = command_end(self, c.help, status, err);

	common_free(&c);
	return code;
}

const struct command command_policies = {
	.name = "policies",
	.summary = "lists the policies, their keys, and the kernel code that each models",
	.operands = "[OPTION...] [NAME]",
	.about = "Lists the policies that --policy takes. With NAME: what it models, its keys with\n"
		 "defaults, what it needs in a trace and what makes it uncertain.\n",
	.notes = "Examples\n"
		 "  tlbtrace policies\n"
		 "  tlbtrace policies radix\n"
		 "  tlbtrace policies --format=json\n"
		 "\n"
		 "Formats are text and json.\n"
		 "\n"
		 "Exit status\n"
		 "  0  done\n"
		 "  2  usage: no such policy, an unknown option, a bad value\n"
		 "  4  environment: the output cannot be written\n",
	.groups = groups,
	.formats = formats,
	.run = run,
};
