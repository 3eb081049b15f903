/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify.c - `tlbtrace verify`: a prediction held against recordings of what really happened. */
#include "cmd/verify.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"

enum {
	OPTION_POLICY = OPTION_IDS,
	OPTION_CEILING,
	OPTION_LOCAL_CEILING,
	OPTION_COMPARE,
	OPTION_ACTUAL,
	OPTION_PER,
	OPTION_TOLERANCE,
};

static const struct option_spec policy_options[] = {
	{ OPTION_POLICY, 'p', "policy", "SPEC",
	  "radix,key=value,...: the recorded policy with\n"
	  "these changes (default: without any)" },
	{ OPTION_CEILING, 0, "ceiling", "N", "-p radix,ceiling=N; the next two likewise" },
	{ OPTION_LOCAL_CEILING, 0, "local-ceiling", "N", "" },
	{ OPTION_COMPARE, 0, "compare", "gt|ge", "" },
	{ 0 },
};

static const struct option_spec verify_options[] = {
	{ OPTION_ACTUAL, 0, "actual", "FILE",
	  "a recording of that policy; repeatable: several\n"
	  "give the spread that the prediction is held against" },
	{ OPTION_PER, 0, "per", "WHAT",
	  "compare totals (none), per second (seconds), or per\n"
	  "event:NAME, such as event:sys_exit_munmap or the\n"
	  "text of a marker. Of system calls that flush, those\n"
	  "that flushed in one scope are compared" },
	{ OPTION_TOLERANCE, 0, "tolerance", "N%", "how far the prediction may be off (default: 3%)" },
	{ 0 },
};

static const struct option_group policy_group = { "What is predicted", policy_options };
static const struct option_group verify_group = { "What it is held against", verify_options };

static const struct option_group *const groups[] = {
	&policy_group, &verify_group, &common_input_options, &common_output_options, NULL,
};

struct request {
	struct verify v;
	char spec[sizeof(((struct policy *)NULL)->text)];
	bool has_spec;
	bool has_shorthand;
};

static int set_spec(struct request *r, const char *value, struct error *err)
{
	if (r->has_spec || r->has_shorthand)
		return error_set(err, ERROR_USAGE, "--policy=%s: verify takes one policy", value);
	if (strlen(value) >= sizeof(r->spec))
		return error_set(err, ERROR_USAGE, "--policy: value too long");
	memcpy(r->spec, value, strlen(value) + 1);
	r->has_spec = true;
	return 0;
}

static int add_key(struct request *r, const char *key, const char *value, struct error *err)
{
	size_t len = strlen(r->spec);
	char wanted[32];

	(void)snprintf(wanted, sizeof(wanted), ",%s=", key);
	if (r->has_spec || strstr(r->spec, wanted) || strchr(value, ','))
		return error_set(err, ERROR_USAGE, "--%s=%s: verify takes one policy", key, value);
	if (len + strlen(wanted) + strlen(value) >= sizeof(r->spec))
		return error_set(err, ERROR_USAGE, "--%s: value too long", key);
	(void)snprintf(r->spec + len, sizeof(r->spec) - len, "%s%s", wanted, value);
	r->has_shorthand = true;
	return 0;
}

static int add_actual(struct verify *v, const char *path, struct error *err)
{
	const char **more = reallocarray(v->paths, v->n_actual + 1, sizeof(*more));

	if (!more)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	v->paths = more;
	v->paths[v->n_actual++] = path;
	return 0;
}

static int set_per(struct verify *v, const char *value, struct error *err)
{
	v->event = "";
	if (strcmp(value, "none") == 0) {
		v->per = PER_NONE;
	} else if (strcmp(value, "seconds") == 0) {
		v->per = PER_SECONDS;
	} else if (strncmp(value, "event:", 6) == 0 && value[6]) {
		v->per = PER_EVENT;
		v->event = value + 6;
	} else {
		return error_set(err, ERROR_USAGE, "--per=%s: must be none, seconds or event:NAME",
				 value);
	}
	return 0;
}

static int set_tolerance(struct verify *v, const char *value, struct error *err)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || strcmp(end, "%") != 0 || !(percent >= 0) || percent > 100)
		return error_set(err, ERROR_USAGE, "--tolerance=%s: must be 0%% to 100%%", value);
	v->tolerance = percent / 100;
	return 0;
}

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	struct request *r = arg;

	if (id >= OPTION_COMMON)
		return common_option(&r->v.common, id, value, err);
	switch (id) {
	case OPTION_POLICY:
		return set_spec(r, value, err);
	case OPTION_CEILING:
		return add_key(r, param_keys[PARAM_CEILING], value, err);
	case OPTION_LOCAL_CEILING:
		return add_key(r, param_keys[PARAM_LOCAL_CEILING], value, err);
	case OPTION_COMPARE:
		return add_key(r, param_keys[PARAM_COMPARE], value, err);
	case OPTION_ACTUAL:
		return add_actual(&r->v, value, err);
	case OPTION_PER:
		return set_per(&r->v, value, err);
	default:
		return set_tolerance(&r->v, value, err);
	}
}

static int make_question(struct request *r, struct error *err)
{
	struct whatif *w = &r->v.question;

	w->policies = calloc(1, sizeof(*w->policies));
	if (!w->policies)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	if (policy_parse(&w->policies[0], r->spec, err))
		return -1;
	if (!policy_is_comparable(w->policies[0].kind))
		return error_set(
			err, ERROR_USAGE,
			"--policy=%s: a recording does not hold what this policy counts; verify "
			"takes the policies radix and x86",
			r->spec);
	w->policies[0].native = !r->has_spec;
	w->n_policies = 1;
	return 0;
}

static const char *const formats[] = { "text", "json", NULL };
enum {
	FORMAT_TEXT,
	FORMAT_JSON,
};

static int write_answer(const struct request *r, size_t format, struct error *err)
{
	struct sink sink;

	if (sink_open(&sink, &r->v.common.sink, err))
		return -1;
	if (format == FORMAT_JSON)
		verify_json(&sink, &r->v);
	else
		verify_text(&sink, &r->v);
	return sink_close(&sink, err);
}

static int check_whole(const struct verify *v, struct error *err)
{
	if (common_check_whole(&v->common, &v->recorded.result.trace, err))
		return -1;
	for (size_t i = 0; i < v->n_actual; i++)
		if (common_check_whole(&v->common, &v->actual[i].result.trace, err))
			return -1;
	return 0;
}

/* A ceiling that is compared with >= is one less, compared as the recorded kernel did. */
static uint64_t wanted_value(const struct params *alt, const struct params *actual, enum param id)
{
	bool less = id == PARAM_CEILING && alt->v[PARAM_COMPARE] == COMPARE_GE &&
		    actual->v[PARAM_COMPARE] == COMPARE_GT;

	return alt->v[id] - (less && alt->v[id]);
}

/* An actual recording should be one of the policy: what its trace shows otherwise is said. */
static void warn_of_others(const struct verify *v, const struct whatif_result *actual)
{
	const struct params *alt = verify_params(v);

	for (size_t i = 0; i < PARAMS; i++) {
		enum param id = (enum param)i;
		const struct param_fact *fact = &actual->model.fact[id];
		char wanted[32];
		char found[32];

		bool seen = fact->evidence == EVIDENCE_TRACE || fact->lo != fact->hi;
		uint64_t value = wanted_value(alt, &actual->model.used, id);

		if (!param_applies(id, actual->x86) || !seen ||
		    (value >= fact->lo && value <= fact->hi))
			continue;
		param_format(id, alt->v[id], wanted, sizeof(wanted));
		param_format(id, actual->model.used.v[id], found, sizeof(found));
		common_warn(&v->common, "%s is no recording of %s=%s: it seems to be of %s (%s)",
			    actual->path, param_keys[id], wanted, found, fact->why);
	}
}

static void warn(const struct verify *v)
{
	common_warn_of_damage(&v->common, v->recorded.result.trace.info);
	for (size_t i = 0; i < v->n_actual; i++) {
		common_warn_of_damage(&v->common, v->actual[i].result.trace.info);
		warn_of_others(v, &v->actual[i].result);
	}
}

static int verify(struct request *r, int argc, char **argv, struct error *err)
{
	size_t format = FORMAT_TEXT;
	int operands;

	if (options_parse(groups, argc, argv, take_option, r, &operands, err))
		return -1;
	if (r->v.common.help)
		return 0;
	if (r->v.common.format && value_word("format", r->v.common.format, formats, &format, err))
		return -1;
	if (make_question(r, err) ||
	    common_operands(&r->v.common, argc - operands, argv + operands, err))
		return -1;
	if (r->v.common.n_inputs != 1)
		return error_set(err, ERROR_USAGE, "verify predicts from one recording");
	if (r->v.n_actual == 0)
		return error_set(err, ERROR_USAGE, "--actual=FILE: nothing to compare with");
	if (verify_answer(&r->v, err))
		return -1;
	warn(&r->v);
	if (write_answer(r, format, err))
		return -1;
	return check_whole(&r->v, err);
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct request r = { .v = { .common.whole = true, .event = "", .tolerance = 0.03 },
			     .spec = "radix" };
	int status = verify(&r, argc, argv, err);
	int code = command_end(self, r.v.common.help, status, err);

	if (code == EXIT_DONE && !r.v.common.help && !verify_holds(&r.v))
		code = EXIT_CHECK_FAILED;
	verify_free(&r.v);
	return code;
}

const struct command command_verify = {
	.name = "verify",
	.summary = "holds a prediction against recordings of what really happened",
	.operands = "[OPTION...] --actual=FILE... RECORDED",
	.about = "Predicts from RECORDED what another policy costs, and compares with recordings of\n"
		 "a kernel that had that policy: the same work, recorded again.\n",
	.notes = "Examples\n"
		 "  tlbtrace verify --ceiling=31 --actual=c31.dat c34.dat\n"
		 "  tlbtrace verify --ceiling=31 --actual=a.dat --actual=b.dat \\\n"
		 "      --per=event:sys_exit_ipc c34.dat\n"
		 "\n"
		 "Exit status\n"
		 "  0  the prediction holds\n"
		 "  1  a counter is outside of the tolerance, the interval, and what the trim clock\n"
		 "     may have moved; or undecided: one trim may have moved all of it, or a summary\n"
		 "     does not tell what it moves\n"
		 "  2  usage: an unknown option, a bad value, recordings of different machines\n"
		 "  3  input: no trace, the event was not recorded, nothing readable, no flush that the\n"
		 "     filters select; with --strict also lost events or a truncated trace\n"
		 "  4  environment: the output cannot be written, no memory\n"
		 "  130  interrupted: nothing is written\n",
	.groups = groups,
	.formats = formats,
	.run = run,
};
