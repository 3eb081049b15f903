/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif.c - `tlbtrace whatif`: what other policies would have cost. */
#include "cmd/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/baseline.h"
#include "cmd/command.h"

enum {
	OPTION_POLICY = OPTION_IDS,
	OPTION_CEILING,
	OPTION_LOCAL_CEILING,
	OPTION_COMPARE,
	OPTION_SWEEP,
	OPTION_ISOLATED,
	OPTION_COST,
	OPTION_BUDGET,
	OPTION_BASELINE,
	OPTION_MAX_REGRESS,
	OPTION_UPDATE_BASELINE,
	OPTION_MIN_FIDELITY,
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
	{ OPTION_ISOLATED, 0, "isolated", "LIST",
	  "CPUs that are not to be disturbed (0,2-5): the IPIs\n"
	  "that each policy sends them (POWER); repeatable" },
	{ OPTION_COST, 0, "cost", "COUNTER=TIME,...",
	  "an estimate of time: tlbie=620ns,ipi=1.5us,...; or\n"
	  "seed: what the table of seed 000 implies for tlbie" },
	{ 0 },
};

static const struct option_group sweep_group = {
	"Sweeps, CPUs and time",
	sweep_options,
};

static const struct option_spec check_options[] = {
	{ OPTION_BUDGET, 0, "budget", "LIMIT",
	  "a counter's limit: 'tlbie<=60k', 'ptesync<2k/s',\n"
	  "'tlbie<=90% of recorded', 'mm:NAME tlbie<=5k';\n"
	  "repeatable" },
	{ OPTION_BASELINE, 0, "baseline", "FILE", "compare with an earlier --format=json" },
	{ OPTION_MAX_REGRESS, 0, "max-regress", "PERCENT",
	  "how much more than the baseline may be (default: 2%)" },
	{ OPTION_UPDATE_BASELINE, 0, "update-baseline", NULL,
	  "write the baseline instead of comparing" },
	{ OPTION_MIN_FIDELITY, 0, "min-fidelity", "PERCENT",
	  "how many groups of records must replay exactly" },
	{ 0 },
};

static const struct option_group check_group = {
	"Checks of every alternative, or of the recorded policy where there is none",
	check_options,
};

static const struct option_group *const groups[] = {
	&policy_group,	       &sweep_group,	       &check_group,
	&common_input_options, &common_output_options, NULL,
};

/* In the order of the shorthands' option ids. */
static const enum param shorthand_params[] = { PARAM_CEILING, PARAM_LOCAL_CEILING, PARAM_COMPARE };
#define SHORTHANDS (sizeof(shorthand_params) / sizeof(*shorthand_params))

#define FIDELITY_MOST 100000u /* thousandths of a percent */

struct request {
	struct common common;
	struct whatif w;
	struct demands demands;
	const char *shorthands[SHORTHANDS]; /* values, NULL where not given */
	bool interrupted;		    /* by SIGINT, while reading */
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

static int take_demand(struct demands *d, int id, const char *value, struct error *err)
{
	switch (id) {
	case OPTION_BUDGET:
		return demands_add_budget(d, value, err);
	case OPTION_BASELINE:
		d->baseline = value;
		return 0;
	case OPTION_MAX_REGRESS:
		d->has_regress = true;
		return percent_parse("max-regress", value, &d->regress, err);
	case OPTION_UPDATE_BASELINE:
		d->update_baseline = true;
		return 0;
	default:
		d->min_fidelity = value;
		if (percent_parse("min-fidelity", value, &d->fidelity, err))
			return -1;
		return d->fidelity <= FIDELITY_MOST
			       ? 0
			       : error_set(err, ERROR_USAGE,
					   "--min-fidelity=%s: must be at most 100%%", value);
	}
}

static bool same_file(const char *a, const char *b)
{
	struct stat x;
	struct stat y;

	if (strcmp(a, b) == 0)
		return true;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Options that mean nothing alone, or not together. */
static int check_demands(const struct demands *d, const char *output, struct error *err)
{
	if (d->baseline && output && same_file(d->baseline, output))
		return error_set(
			err, ERROR_USAGE,
			"%s: is the baseline, which the output must not replace: name another "
			"output (--update-baseline writes the baseline)",
			output);
	if (!d->baseline && (d->has_regress || d->update_baseline))
		return error_set(err, ERROR_USAGE, "--%s needs --baseline=FILE",
				 d->update_baseline ? "update-baseline" : "max-regress");
	return 0;
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
	if (id == OPTION_COST && r->w.cost.given)
		return error_set(err, ERROR_USAGE, "--cost=%s: is given twice", value);
	if (id == OPTION_COST)
		return cost_parse(&r->w.cost, value, err);
	if (id == OPTION_ISOLATED)
		return value_cpus("isolated", value, &r->w.isolated, err);
	if (id >= OPTION_BUDGET)
		return take_demand(&r->demands, id, value, err);
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
	while (w->n_results < r->common.n_inputs && !r->interrupted) {
		struct whatif_result *result = &w->results[w->n_results];
		const char *path = r->common.inputs[w->n_results++];

		if (whatif_answer(result, w, &r->common, path, err))
			return -1;
		r->interrupted = result->trace.interrupted;
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
	for (size_t i = 0; i < r->w.n_results; i++)
		common_warn_of_damage(&r->common, r->w.results[i].trace.info);
}

static const char *const formats[] = { "text", "json", "csv", "markdown", "junit", "github", NULL };
enum {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_MARKDOWN,
	FORMAT_JUNIT,
	FORMAT_GITHUB,
};

static void write_format(struct sink *s, const struct request *r, size_t format)
{
	switch (format) {
	case FORMAT_JSON:
		whatif_json(s, &r->w);
		return;
	case FORMAT_CSV:
		whatif_csv(s, &r->w);
		return;
	case FORMAT_MARKDOWN:
		whatif_markdown(s, &r->w);
		return;
	case FORMAT_JUNIT:
		whatif_junit(s, &r->w);
		return;
	case FORMAT_GITHUB:
		whatif_github(s, &r->w);
		return;
	default:
		whatif_text(s, &r->w, r->common.verbose);
		return;
	}
}

/* GitHub shows the end of this file as the summary of the job; other steps may have written to it. */
static int append_summary(const struct request *r, struct error *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	struct sink sink = { .path = NULL };
	int failed;

	if (!path || !*path)
		return 0;
	sink.f = fopen(path, "ae");
	if (!sink.f)
		return error_set(err, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
	whatif_markdown(&sink, &r->w);
	failed = ferror(sink.f);
	if (fclose(sink.f) || failed)
		return error_set(err, ERROR_ENVIRONMENT, "%s: could not be written", path);
	return 0;
}

static int write_answer(const struct request *r, size_t format, struct error *err)
{
	struct sink sink;

	if (sink_open(&sink, &r->common.sink, err))
		return -1;
	write_format(&sink, r, format);
	if (format != FORMAT_TEXT)
		warn_of_damage(r);
	if (sink_close(&sink, err))
		return -1;
	return format == FORMAT_GITHUB ? append_summary(r, err) : 0;
}

static int run_checks(struct request *r, struct error *err)
{
	if (checks_run(&r->w.checks, &r->demands, &r->w, &r->common, err))
		return -1;
	if (!r->demands.update_baseline)
		return 0;
	if (r->interrupted) {
		common_warn(&r->common, "interrupted: the baseline is not written");
		return 0;
	}
	return baseline_write(&r->demands, &r->w, err);
}

static int check_whole(const struct request *r, struct error *err)
{
	for (size_t i = 0; i < r->w.n_results; i++)
		if (common_check_whole(&r->common, &r->w.results[i].trace, err))
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
	checks_free(&r->w.checks);
	demands_free(&r->demands);
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
	r->w.explains = format == FORMAT_TEXT;
	if (check_demands(&r->demands, r->common.sink.path, err) || add_shorthands(r, err) ||
	    common_operands(&r->common, argc - operands, argv + operands, err) ||
	    answer_inputs(r, err) || run_checks(r, err) || write_answer(r, format, err))
		return -1;
	return check_whole(r, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct request r = { .common = { .n_inputs = 0 } };
	int status = answer(&r, argc, argv, err);
	int code = command_end(self, r.common.help, status, err);

	if (code == EXIT_DONE && !checks_hold(&r.w.checks))
		code = EXIT_CHECK_FAILED;
	free_request(&r);
	return code;
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
		 "  tlbtrace whatif --ceiling=31 --budget='tlbie<=50% of recorded' trace.dat\n"
		 "  tlbtrace whatif --sweep=ceiling=1:512 trace.dat\n"
		 "  tlbtrace whatif -p radix,ceiling=16 -p radix,ceiling=64 --format=json a.dat b.dat\n"
		 "\n"
		 "Checks decide on both ends of an interval; where these disagree the check is\n"
		 "undecided, which fails and says what to record. Formats for CI are json, markdown,\n"
		 "junit and github (annotations; a summary goes to $GITHUB_STEP_SUMMARY).\n"
		 "\n"
		 "Exit status\n"
		 "  0  done, and every check holds; an event that was enabled but never fired counts 0\n"
		 "  1  done, and a check does not hold\n"
		 "  2  usage: an unknown option, a bad value\n"
		 "  3  input: no trace, the event was not recorded, nothing readable; with --strict\n"
		 "     also lost events or a truncated trace\n"
		 "  4  environment: the output cannot be written, no memory\n"
		 "  130  interrupted: what was read until then is counted\n",
	.groups = groups,
	.formats = formats,
	.run = run,
};
