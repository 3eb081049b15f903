/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif.c - `tlbtrace whatif`: what other policies would have cost. */
#include "cmd/whatif.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"

enum {
	OPTION_POLICY = OPTION_IDS,
	OPTION_CEILING,
	OPTION_LOCAL_CEILING,
	OPTION_COMPARE,
	OPTION_SWEEP,
};

static const struct option_spec policy_options[] = {
	{ OPTION_POLICY, 'p', "policy", "SPEC",
	  "one alternative, radix,key=value,... (on x86:\n"
	  "x86,key=value,...): the recorded policy with these\n"
	  "changes; repeatable" },
	{ OPTION_CEILING, 0, "ceiling", "N",
	  "the alternative with tlb_single_page_flush_ceiling\n"
	  "at N: more pages than N and the whole PID is flushed" },
	{ OPTION_LOCAL_CEILING, 0, "local-ceiling", "N", "the same for flushes of one CPU (tlbiel)" },
	{ OPTION_COMPARE, 0, "compare", "gt|ge", "promote when pages > ceiling, or when >=" },
	{ 0 },
};

static const struct option_group policy_group = {
	"Alternatives (the last three together make one)",
	policy_options,
};

static const struct option_spec sweep_options[] = {
	{ OPTION_SWEEP, 0, "sweep", "CEILING=FROM:TO[:STEP]",
	  "predict every value of ceiling or local-ceiling: of\n"
	  "the alternative if there is one, else of the\n"
	  "recorded policy; says where it jumps and is least" },
	{ 0 },
};

static const struct option_group sweep_group = {
	"Sweeps",
	sweep_options,
};

static const struct option_group *const groups[] = {
	&policy_group, &sweep_group, &common_input_options, &common_output_options, NULL,
};

/* In the order of the shorthands' option ids. */
static const enum param shorthand_params[] = { PARAM_CEILING, PARAM_LOCAL_CEILING, PARAM_COMPARE };
#define SHORTHANDS (sizeof(shorthand_params) / sizeof(*shorthand_params))

struct request {
	struct common common;
	struct whatif w;
	const char *shorthands[SHORTHANDS]; /* values, NULL where not given */
};

static int add_policy(struct whatif *w, const char *spec, struct error *err)
{
	struct policy *more = reallocarray(w->policies, w->n_policies + 1, sizeof(*more));

	if (!more)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	w->policies = more;
	if (policy_parse(&more[w->n_policies], spec, err))
		return -1;
	w->n_policies++;
	return 0;
}

static int take_shorthand(struct request *r, size_t at, const char *value, struct error *err)
{
	const char *key = param_keys[shorthand_params[at]];

	if (r->shorthands[at])
		return error_set(
			err, ERROR_USAGE,
			"--%s is given twice: for several alternatives use --sweep=%s=%s:…, or "
			"one --policy=radix,%s=… each",
			key, key, value, key);
	if (strchr(value, ','))
		return error_set(err, ERROR_USAGE, "--%s=%s: must be one value", key, value);
	r->shorthands[at] = value;
	return 0;
}

static int take_sweep(struct whatif *w, const char *value, struct error *err)
{
	if (w->sweep.step)
		return error_set(err, ERROR_USAGE, "--sweep=%s: is given twice", value);
	return sweep_parse(&w->sweep, value, err);
}

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	struct request *r = arg;

	if (id >= OPTION_COMMON)
		return common_option(&r->common, id, value, err);
	if (id == OPTION_POLICY)
		return add_policy(&r->w, value, err);
	if (id == OPTION_SWEEP)
		return take_sweep(&r->w, value, err);
	return take_shorthand(r, (size_t)(id - OPTION_CEILING), value, err);
}

/* The shorthands together are one more alternative. */
static int add_shorthands(struct request *r, struct error *err)
{
	char spec[sizeof(((struct policy *)NULL)->text)] = "radix";
	size_t len = strlen(spec);

	for (size_t i = 0; i < SHORTHANDS; i++) {
		if (!r->shorthands[i])
			continue;
		len += (size_t)snprintf(spec + len, sizeof(spec) - len, ",%s=%s",
					param_keys[shorthand_params[i]], r->shorthands[i]);
		if (len >= sizeof(spec))
			return error_set(err, ERROR_USAGE, "--%s: value too long",
					 param_keys[shorthand_params[i]]);
	}
	if (!strchr(spec, ','))
		return 0;
	if (add_policy(&r->w, spec, err))
		return -1;
	r->w.policies[r->w.n_policies - 1].native = true;
	return 0;
}

static int answer_inputs(struct request *r, struct error *err)
{
	struct whatif *w = &r->w;

	w->results = calloc(r->common.n_inputs, sizeof(*w->results));
	w->totals = calloc(w->n_policies + 1, sizeof(*w->totals));
	if (!w->results || !w->totals)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	while (w->n_results < r->common.n_inputs) {
		struct whatif_result *result = &w->results[w->n_results];
		const char *path = r->common.inputs[w->n_results++];

		if (whatif_answer(result, w, &r->common, path, err))
			return -1;
		tally_add(&w->recorded, &result->recorded, 1);
		counts_add(&w->derived, &result->derived, 1);
		for (size_t i = 0; i < w->n_policies; i++)
			counts_add(&w->totals[i], &result->answers[i].total, 1);
	}
	return 0;
}

/* Formats for programs have damage in their data; people see it here. */
static void warn_of_damage(const struct request *r)
{
	for (size_t i = 0; i < r->w.n_results; i++) {
		const struct source_info *info = r->w.results[i].trace.info;

		if (info->truncated)
			common_warn(&r->common, "%s: %s", info->path, info->truncated_text);
		if (info->lost_events || info->lost_unknown)
			common_warn(&r->common, "%s: events were lost while recording", info->path);
	}
}

static const char *const formats[] = { "text", "json", "csv", NULL };
enum {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
};

static int write_answer(const struct request *r, size_t format, struct error *err)
{
	struct sink sink;

	if (sink_open(&sink, &r->common.sink, err))
		return -1;
	switch (format) {
	case FORMAT_JSON:
		whatif_json(&sink, &r->w);
		break;
	case FORMAT_CSV:
		whatif_csv(&sink, &r->w);
		break;
	default:
		whatif_text(&sink, &r->w, r->common.verbose);
		break;
	}
	if (format != FORMAT_TEXT)
		warn_of_damage(r);
	return sink_close(&sink, err);
}

static int check_strict(const struct request *r, struct error *err)
{
	for (size_t i = 0; i < r->w.n_results; i++)
		if (common_strict(&r->common, &r->w.results[i].trace, err))
			return -1;
	return 0;
}

static void free_request(struct request *r)
{
	for (size_t i = 0; i < r->w.n_results; i++)
		whatif_result_free(&r->w.results[i], &r->w);
	free(r->w.results);
	free(r->w.totals);
	free(r->w.policies);
	common_free(&r->common);
}

static int answer(struct request *r, int argc, char **argv, struct error *err)
{
	size_t format = FORMAT_TEXT;
	int operands;

	if (options_parse(groups, argc, argv, take_option, r, &operands, err))
		return -1;
	if (r->common.help)
		return 0;
	if (r->common.format && value_word("format", r->common.format, formats, &format, err))
		return -1;
	if (add_shorthands(r, err) ||
	    common_operands(&r->common, argc - operands, argv + operands, err) ||
	    answer_inputs(r, err) || write_answer(r, format, err))
		return -1;
	return check_strict(r, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct request r = { .common = { .n_inputs = 0 } };
	int status = answer(&r, argc, argv, err);

	if (status == 0 && r.common.help)
		command_help(self);
	free_request(&r);
	return status ? (int)err->class : EXIT_DONE;
}

const struct command command_whatif = {
	.name = "whatif",
	.summary = "predicts what other flush policies would have cost",
	.operands = "[OPTION...] [FILE...]",
	.about = "Puts the flushes of a trace together from its powerpc:tlbie or, on x86,\n"
		 "tlb:tlb_flush records, and counts what the same flushes would have cost under\n"
		 "other policies. What a trace cannot tell is given as an interval.\n",
	.notes = "Examples\n"
		 "  tlbtrace whatif --ceiling=31 trace.dat\n"
		 "  tlbtrace whatif --ceiling=32 --compare=ge trace.dat\n"
		 "  tlbtrace whatif --sweep=ceiling=1:512 trace.dat\n"
		 "  tlbtrace whatif -p radix,ceiling=16 -p radix,ceiling=64 --format=json a.dat b.dat\n"
		 "\n"
		 "Exit status\n"
		 "  0  done; an event that was enabled but never fired counts 0\n"
		 "  2  usage: an unknown option, a bad value\n"
		 "  3  input: no trace, the event was not recorded, nothing readable; with --strict\n"
		 "     also lost events or a truncated trace\n"
		 "  4  environment: the output cannot be written, no memory\n",
	.groups = groups,
	.run = run,
};
