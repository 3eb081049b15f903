/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common.c - options that every command has. */
#include "cmd/common.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/params.h"
#include "cmd/input.h"
#include "cmd/interrupt.h"
#include "cmd/message.h"

enum {
	OPTION_INPUT = OPTION_COMMON,
	OPTION_MM,
	OPTION_COMM,
	OPTION_CPU,
	OPTION_TIME,
	OPTION_IGNORE,
	OPTION_RECORDED,
	OPTION_STRICT,
	OPTION_FORMAT,
	OPTION_OUTPUT,
	OPTION_COLOR,
	OPTION_NO_PAGER,
	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_HELP,
};

const struct option_group common_input_options = {
	"What is read",
	(const struct option_spec[]){
		{ OPTION_INPUT, 'i', "input", "FILE",
		  "a trace; repeatable, '-' is standard input\n"
		  "(default: ./trace.dat, else ./perf.data)" },
		{ OPTION_MM, 0, "mm", "TGID|NAME", "count only flushes of these address spaces" },
		{ OPTION_COMM, 0, "comm", "NAME", "count only flushes issued by tasks of this name" },
		{ OPTION_CPU, 'C', "cpu", "LIST",
		  "count only flushes issued on these CPUs (0,2-5);\n"
		  "repeatable" },
		{ OPTION_TIME, 0, "time", "START,END",
		  "count only this period: seconds as the trace\n"
		  "prints them, either may be left out; or 10%-20%" },
		{ OPTION_IGNORE, 0, "ignore", "WHAT,...",
		  "leave evidence out, to judge the rest against it:\n"
		  "requests, syscalls, metadata, switches,\n"
		  "instructions; repeatable" },
		{ OPTION_RECORDED, 0, "recorded", "KEY=VALUE,...",
		  "what the recorded kernel was, where it is known\n"
		  "better than found out; keys as in --policy=radix\n"
		  "(x86: --policy=x86); repeatable" },
		{ OPTION_STRICT, 0, "strict", NULL,
		  "exit with 3 if events are missing from a trace" },
		{ 0 },
	},
};

const struct option_group common_output_options = {
	"What is written",
	(const struct option_spec[]){
		{ OPTION_FORMAT, 0, "format", "FORMAT", "text, json or csv (default: text)" },
		{ OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE, whole or not at all" },
		{ OPTION_COLOR, 0, "color", "WHEN", "auto, always or never; NO_COLOR is respected" },
		{ OPTION_NO_PAGER, 0, "no-pager", NULL, "never page, however long the text is" },
		{ OPTION_QUIET, 'q', "quiet", NULL, "no progress and no warnings" },
		{ OPTION_VERBOSE, 'v', "verbose", NULL, "more detail in the text" },
		{ OPTION_HELP, 'h', "help", NULL, "this text" },
		{ 0 },
	},
};

static int add_input(struct common *c, const char *path, struct error *err)
{
	const char **more;

	if (!*path)
		return error_set(err, ERROR_USAGE, "'': an input must have a name");
	for (size_t i = 0; i < c->n_inputs; i++)
		if (strcmp(path, "-") == 0 && strcmp(c->inputs[i], "-") == 0)
			return error_set(err, ERROR_USAGE,
					 "-: standard input is named twice, and can be read once");
	more = reallocarray(c->inputs, c->n_inputs + 1, sizeof(*more));
	if (!more)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	c->inputs = more;
	c->inputs[c->n_inputs++] = path;
	return 0;
}

/* Checks the keys and values before a long trace is read for nothing. */
static int check_recorded(const char *list, struct error *err)
{
	struct params scratch = params_of_era(ERA_V5_14);
	char *copy = strdup(list);
	char *rest = copy;
	char *item;
	enum param which;
	int status = copy ? 0 : error_set(err, ERROR_ENVIRONMENT, "out of memory");

	while (status == 0 && (item = strsep(&rest, ","))) {
		char *value = strchr(item, '=');

		if (!value) {
			status = error_set(err, ERROR_USAGE, "--recorded=%s: must be KEY=VALUE,...",
					   list);
			break;
		}
		*value++ = '\0';
		status = params_set(&scratch, item, value, &which, err);
	}
	free(copy);
	return status;
}

static int add_recorded(struct common *c, const char *list, struct error *err)
{
	char *joined;

	if (check_recorded(list, err))
		return -1;
	if (asprintf(&joined, "%s%s%s", c->recorded ? c->recorded : "", c->recorded ? "," : "",
		     list) < 0)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	free(c->recorded);
	c->recorded = joined;
	return 0;
}

static int set_time(struct common *c, const char *value, struct error *err)
{
	struct period period;

	if (value_period("time", value, &period, err))
		return -1;
	c->trace.filter.by_time = !period.is_share;
	c->trace.filter.from_ns = period.from;
	c->trace.filter.to_ns = period.to;
	c->share = period;
	return 0;
}

static int set_comm(struct common *c, const char *value, struct error *err)
{
	if (!*value || strlen(value) >= COMM_LEN)
		return error_set(err, ERROR_USAGE, "--comm=%s: must have 1 to %d characters", value,
				 COMM_LEN - 1);
	memcpy(c->trace.filter.comm, value, strlen(value) + 1);
	return 0;
}

static int set_mm(struct common *c, const char *value, struct error *err)
{
	bool is_tgid = value[strspn(value, "0123456789")] == '\0';

	if (!*value || (!is_tgid && strlen(value) >= COMM_LEN))
		return error_set(err, ERROR_USAGE,
				 "--mm=%s: must be a thread group, or a name of 1 to %d characters",
				 value, COMM_LEN - 1);
	c->mm = value;
	c->trace.keep_mms = is_tgid; /* one process */
	return 0;
}

static int set_color(struct common *c, const char *value, struct error *err)
{
	static const char *const words[] = { "auto", "always", "never", NULL };
	size_t at;

	if (value_word("color", value, words, &at, err))
		return -1;
	c->sink.color = (enum color)at;
	return 0;
}

int common_set_output(struct common *c, const char *value, struct error *err)
{
	if (!*value)
		return error_set(err, ERROR_USAGE, "--output=: must name a file");
	c->sink.path = strcmp(value, "-") == 0 ? NULL : value;
	return 0;
}

static int common_flag(struct common *c, int id)
{
	switch (id) {
	case OPTION_STRICT:
		c->strict = true;
		return 0;
	case OPTION_NO_PAGER:
		c->sink.no_pager = true;
		return 0;
	case OPTION_QUIET:
		c->quiet = true;
		return 0;
	case OPTION_VERBOSE:
		c->verbose = true;
		return 0;
	default:
		c->help = true;
		return 0;
	}
}

int common_option(void *arg, int id, const char *value, struct error *err)
{
	/* In the order of the IGNORE_* bits. */
	static const char *const evidence[] = { "requests", "syscalls",	    "metadata",
						"switches", "instructions", NULL };
	struct common *c = arg;

	switch (id) {
	case OPTION_INPUT:
		return add_input(c, value, err);
	case OPTION_MM:
		return set_mm(c, value, err);
	case OPTION_COMM:
		return set_comm(c, value, err);
	case OPTION_CPU:
		return value_cpus("cpu", value, &c->trace.filter, err);
	case OPTION_TIME:
		return set_time(c, value, err);
	case OPTION_IGNORE:
		return value_words("ignore", value, evidence, &c->trace.ignore, err);
	case OPTION_RECORDED:
		return add_recorded(c, value, err);
	case OPTION_FORMAT:
		c->format = value;
		return 0;
	case OPTION_OUTPUT:
		return common_set_output(c, value, err);
	case OPTION_COLOR:
		return set_color(c, value, err);
	default:
		return common_flag(c, id);
	}
}

int common_operands(struct common *c, int argc, char **argv, struct error *err)
{
	for (; *argv && argc > 0; argc--, argv++)
		if (add_input(c, *argv, err))
			return -1;
	if (c->n_inputs)
		return input_expand(c, err);
	if (access("trace.dat", F_OK) == 0)
		return add_input(c, "trace.dat", err);
	if (access("perf.data", F_OK) == 0)
		return add_input(c, "perf.data", err);
	return error_set(
		err, ERROR_INPUT,
		"no trace: neither ./trace.dat nor ./perf.data is here, and no FILE is named");
}

void common_free(struct common *c)
{
	for (size_t i = 0; i < c->n_owned; i++)
		free(c->owned[i]);
	free(c->owned);
	free(c->inputs);
	free(c->recorded);
	*c = (struct common){ .n_inputs = 0 };
}

static bool show_progress(void *arg, uint64_t events)
{
	(void)fprintf(stderr, "\r\033[Kreading %s: %.1f million events", (const char *)arg,
		      (double)events / 1e6);
	return true;
}

static int read_once(const struct common *c, const char *path, const struct trace_options *with,
		     struct trace *t, struct error *err)
{
	struct trace_options opt = *with;
	bool progress = !c->quiet && isatty(STDERR_FILENO);
	int status;

	if (progress) {
		opt.progress = show_progress;
		opt.progress_arg = (void *)path;
	}
	status = trace_read(t, path, &opt, err);
	if (progress)
		(void)fputs("\r\033[K", stderr);
	return status;
}

/* from + duration * millionths / 10^6, which fits where the operands do. */
static uint64_t moment(uint64_t from, uint64_t duration, uint64_t millionths)
{
	return from + (uint64_t)((unsigned __int128)duration * millionths / 1000000);
}

/* A share of the duration needs the duration, so the trace is read twice. */
static int find_period(const struct common *c, const char *path, struct trace_options *opt,
		       struct error *err)
{
	struct trace_options first = *opt;
	struct trace t;

	first.flush = NULL; /* what these take comes again in the second reading */
	first.fold = NULL;
	first.observer = NULL;
	if (strcmp(path, "-") == 0)
		return error_set(err, ERROR_USAGE,
				 "--time: a share of the duration needs a file, not a pipe");
	if (read_once(c, path, &first, &t, err))
		return -1;
	opt->filter.by_time = true;
	opt->filter.from_ns = moment(t.first_ns, t.last_ns - t.first_ns, c->share.from);
	opt->filter.to_ns = moment(t.first_ns, t.last_ns - t.first_ns, c->share.to);
	/* The end is exclusive; the whole includes its last event. */
	opt->filter.to_ns += c->share.to == 1000000;
	trace_close(&t);
	return 0;
}

int common_check_cpus(const char *option, const struct trace_filter *filter, const char *path,
		      uint32_t n, struct error *err)
{
	for (uint32_t cpu = n; filter->by_cpu && cpu < 64 * 64; cpu++)
		if (filter->cpus[cpu / 64] >> (cpu % 64) & 1)
			return error_set(err, ERROR_USAGE,
					 "--%s: %s has no CPU %" PRIu32 ": it has 0 to %" PRIu32,
					 option, path, cpu, n ? n - 1 : 0);
	return 0;
}

static int read_selected(const struct common *c, const char *path, struct trace_options *opt,
			 struct trace *t, struct error *err)
{
	if (c->share.is_share && find_period(c, path, opt, err))
		return -1;
	if (read_once(c, path, opt, t, err))
		return -1;
	if (common_check_cpus("cpu", &opt->filter, path, t->info->cpus, err) == 0)
		return 0;
	trace_close(t);
	return -1;
}

static int say_interrupted(const struct common *c, const char *path, struct error *err)
{
	if (c->sink.path)
		return error_set(err, ERROR_INTERRUPTED, "%s: interrupted: %s is not written", path,
				 c->sink.path);
	return error_set(err, ERROR_INTERRUPTED, "%s: interrupted: there is no result", path);
}

int common_read(const struct common *c, const char *path, struct trace *t, struct error *err)
{
	struct trace_options opt = c->trace;
	struct interrupt interrupt = { .fd = 0 };
	bool interrupted;
	int status;

	if (!opt.stop_fd) {
		interrupt_catch(&interrupt);
		opt.stop_fd = interrupt.fd;
	}
	status = read_selected(c, path, &opt, t, err);
	interrupted = interrupt_release(&interrupt);
	if (status == 0 && !(c->whole && t->interrupted))
		return 0;
	if (status == 0)
		trace_close(t);
	return interrupted ? say_interrupted(c, path, err) : -1;
}

uint64_t common_duration(const struct common *c, const struct trace *t)
{
	const struct trace_filter *filter = &c->trace.filter;
	uint64_t from = t->first_ns;
	uint64_t to = t->last_ns;

	if (!t->info->has_time)
		return 0;
	if (c->share.is_share)
		return moment(0, to - from, c->share.to - c->share.from);
	if (filter->by_time && filter->from_ns > from)
		from = filter->from_ns;
	if (filter->by_time && filter->to_ns < to)
		to = filter->to_ns;
	return to > from ? to - from : 0;
}

bool common_selects_mm(const struct common *c, const struct mm *mm)
{
	char tgid[16];

	if (!c->mm)
		return true;
	if (!mm)
		return false;
	(void)snprintf(tgid, sizeof(tgid), "%" PRId32, mm->tgid);
	return strcmp(c->mm, mm->name) == 0 || strcmp(c->mm, tgid) == 0;
}

bool common_selects(const struct common *c, const struct trace *t, const struct class *class)
{
	return common_selects_mm(c, mm_by_index(trace_mms(t), class->key.mm));
}

bool common_filter(void *arg, const struct class *class)
{
	const struct common_selection *s = arg;

	return common_selects(s->common, s->trace, class);
}

int common_check_whole(const struct common *c, const struct trace *t, struct error *err)
{
	const struct source_info *info = t->info;

	if (t->interrupted)
		return error_set(err, ERROR_INTERRUPTED,
				 "%s: interrupted: only what was read until then is counted",
				 info->path);
	if (!c->strict)
		return 0;
	if (info->truncated)
		return error_set(err, ERROR_INPUT, "%s: %s (--strict)", info->path,
				 info->truncated_text);
	if (info->lost_events)
		return error_set(err, ERROR_INPUT, "%s: %" PRIu64 " events were lost (--strict)",
				 info->path, info->lost_events);
	if (info->lost_unknown)
		return error_set(err, ERROR_INPUT,
				 "%s: events were lost in %" PRIu64 " places (--strict)",
				 info->path, info->lost_unknown);
	return 0;
}

void common_warn_of_damage(const struct common *c, const struct source_info *info)
{
	if (info->truncated)
		common_warn(c, "%s: %s", info->path, info->truncated_text);
	if (info->lost_events || info->lost_unknown)
		common_warn(c, "%s: events were lost while recording", info->path);
}

void common_warn(const struct common *c, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (c->quiet)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	message(text);
}
