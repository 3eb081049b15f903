/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summarize.c - `tlbtrace summarize`: what policies are computed from, in a few KB. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/infer.h"
#include "cmd/command.h"
#include "cmd/input.h"
#include "cmd/summary_output.h"
#include "replay/summary.h"

static const struct option_group output_group = {
	"What is written",
	(const struct option_spec[]){
		{ OPTION_SUMMARY_OUTPUT, 'o', "output", "FILE",
		  "the summary, written whole or not at all (default:\n"
		  "standard output, which must not be a terminal)" },
		{ OPTION_SUMMARY_AGAIN, 0, "again", NULL, "add a trace that is named twice twice" },
		{ OPTION_SUMMARY_QUIET, 'q', "quiet", NULL, "no progress and no warnings" },
		{ OPTION_SUMMARY_HELP, 'h', "help", NULL, "this text" },
		{ 0 },
	},
};

static const struct option_group *const groups[] = {
	&common_input_options,
	&output_group,
	NULL,
};

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
	case OPTION_SUMMARY_HELP:
		r->common.help = true;
		return 0;
	default:
		return common_option(&r->common, id, value, err);
	}
}

/* Text that grows, as far as there is room. */
struct selection {
	char text[sizeof(((struct trace_kept *)NULL)->selection)];
	size_t used;
	bool overflow;
};

static void append(struct selection *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void append(struct selection *s, const char *fmt, ...)
{
	size_t room = sizeof(s->text) - s->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s->text + s->used, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room)
		s->overflow = true;
	else
		s->used += (size_t)n;
}

static bool has_cpu(const struct trace_filter *f, unsigned cpu)
{
	return cpu < 4096 && f->cpus[cpu / 64] >> cpu % 64 & 1;
}

static void append_cpus(struct selection *s, const struct trace_filter *f)
{
	const char *between = "";

	append(s, "%s--cpu=", s->used ? " " : "");
	for (unsigned cpu = 0; cpu < 4096; cpu++) {
		unsigned last = cpu;

		if (!has_cpu(f, cpu))
			continue;
		while (has_cpu(f, last + 1))
			last++;
		append(s, last == cpu ? "%s%u" : "%s%u-%u", between, cpu, last);
		between = ",";
		cpu = last;
	}
}

/* Nanoseconds as seconds, millionths as percent. */
static void append_period(struct selection *s, const struct common *c)
{
	const struct trace_filter *f = &c->trace.filter;

	append(s, "%s--time=", s->used ? " " : "");
	if (c->share.is_share) {
		append(s, "%g%%-%g%%", (double)c->share.from / 1e4, (double)c->share.to / 1e4);
		return;
	}
	append(s, "%" PRIu64 ".%09" PRIu64 ",", f->from_ns / 1000000000, f->from_ns % 1000000000);
	if (f->to_ns != UINT64_MAX)
		append(s, "%" PRIu64 ".%09" PRIu64, f->to_ns / 1000000000, f->to_ns % 1000000000);
}

static void append_ignored(struct selection *s, uint32_t ignore)
{
	static const char *const words[] = { "requests", "syscalls", "metadata", "switches",
					     "instructions" };
	const char *between = "";

	append(s, "%s--ignore=", s->used ? " " : "");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!(ignore >> i & 1))
			continue;
		append(s, "%s%s", between, words[i]);
		between = ",";
	}
}

/* What is left out, as options: it stands in the summary. */
static int describe(struct selection *s, const struct common *c, struct error *err)
{
	const struct trace_filter *f = &c->trace.filter;

	if (c->mm)
		return error_set(
			err, ERROR_USAGE,
			"--mm=%s: a summary keeps all address spaces: select when it is asked",
			c->mm);
	if (f->by_cpu)
		append_cpus(s, f);
	if (f->by_time || c->share.is_share)
		append_period(s, c);
	if (*f->comm)
		append(s, "%s--comm=%s", s->used ? " " : "", f->comm);
	if (c->trace.ignore)
		append_ignored(s, c->trace.ignore);
	return s->overflow
		       ? error_set(err, ERROR_USAGE,
				   "what is selected is too long to be noted: select less finely")
		       : 0;
}

static int summarize(struct summary *out, const struct common *c, const struct selection *selection,
		     const char *path, struct error *err)
{
	struct watch *watch = NULL;
	struct model model;
	struct trace t;
	int status = -1;

	if (summary_is(path))
		return error_set(err, ERROR_USAGE,
				 "%s: is a summary: tlbtrace merge adds summaries up", path);
	if (input_read(c, path, true, &t, &watch, err) == 0) {
		if (t.asked && t.requests)
			(void)error_set(err, ERROR_INPUT,
					"%s: only requests were recorded: there is no summary of "
					"those; ask whatif about the file itself",
					path);
		else if (infer_model(&model, &t, c->recorded, err) == 0 &&
			 common_check_whole(c, &t, err) == 0)
			status = summary_take(out, &t, watch, &model, selection->text, err);
		if (status == 0)
			common_warn_of_damage(c, t.info);
		trace_close(&t);
	}
	watch_free(watch);
	return status;
}

static int summarize_all(const struct request *r, struct summary *all, struct error *err)
{
	struct selection selection = { .used = 0 };

	if (describe(&selection, &r->common, err))
		return -1;
	for (size_t i = 0; i < r->common.n_inputs; i++) {
		const char *path = r->common.inputs[i];
		struct summary one;
		int status;

		if (summarize(&one, &r->common, &selection, path, err))
			return -1;
		status = summary_add(all, &one, r->again, path, err);
		summary_free(&one);
		if (status)
			return -1;
	}
	return 0;
}

static int answer(struct request *r, int argc, char **argv, struct error *err)
{
	struct summary all = { .n_groups = 0 };
	int status = -1;
	int operands;

	if (options_parse(groups, argc, argv, take_option, r, &operands, err))
		return -1;
	if (r->common.help)
		return 0;
	if (summary_output_check(&r->common.sink, err) == 0 &&
	    common_operands(&r->common, argc - operands, argv + operands, err) == 0 &&
	    summarize_all(r, &all, err) == 0)
		status = summary_output(&all, &r->common.sink, err);
	summary_free(&all);
	return status;
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct request r = { .common.whole = true };
	int status = answer(&r, argc, argv, err);
	int code = command_end(self, r.common.help, status, err);

	common_free(&r.common);
	return code;
}

const struct command command_summarize = {
	.name = "summarize",
	.summary = "keeps what policies are computed from: a trace in a few KB",
	.operands = "[OPTION...] -o SUMMARY [FILE...]",
	.about = "Writes a summary of a trace, which whatif, report, diff, verify and info take\n"
		 "as they take the trace: predictions from it are the same. It has no events, so\n"
		 "it cannot be asked about CPUs, tasks and moments; filters that select these are\n"
		 "given here, and are noted in it. Of several traces it is the sum, as merge\n"
		 "makes it.\n",
	.notes = "A summary has the names of programs and their process numbers, but no addresses.\n"
		 "Its format is that of tlbsum(5).\n"
		 "\n"
		 "Examples\n"
		 "  tlbtrace summarize trace.dat -o trace.tlbsum\n"
		 "  tlbtrace whatif --ceiling=31 trace.tlbsum\n"
		 "  tlbtrace summarize --recorded=ceiling=33 -o node7.tlbsum node7.dat\n"
		 "\n"
		 "Exit status\n"
		 "  0  done\n"
		 "  2  usage: an unknown option, a bad value, a trace named twice\n"
		 "  3  input: no trace, nothing readable; with --strict also lost events or a\n"
		 "     truncated trace\n"
		 "  4  environment: the output cannot be written, no memory\n"
		 "  130  interrupted: nothing is written\n",
	.groups = groups,
	.run = run,
};
