/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_list.c - --list and --dry-run: what would be recorded, and how. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/record/record.h"
#include "cmd/record/record_args.h"

#define COLUMN 34

static void print_event(const char *system, const char *name, const char *what)
{
	char full[160];

	(void)snprintf(full, sizeof(full), "%s:%s", system, name);
	printf("  %-*s %s\n", COLUMN, full, what);
}

static void print_events(const struct record_session *s)
{
	printf("Recorded on this kernel (%s, %s)\n", s->machine.kernel, s->machine.machine);
	for (size_t i = 0; i < s->events.n; i++) {
		const struct record_event *e = &s->events.list[i];
		char what[128];

		(void)snprintf(what, sizeof(what), "%s%s%s", record_role_text(e->role),
			       e->filter ? ", only where " : "", e->filter ? e->filter : "");
		print_event(e->system, e->name, what);
	}
}

static void print_missing(const struct record_session *s)
{
	if (s->events.n_missing)
		printf("\nNot in this kernel\n");
	for (size_t i = 0; i < s->events.n_missing; i++) {
		const struct record_missing *m = &s->events.missing[i];
		char what[128];

		(void)snprintf(what, sizeof(what), "%s (%s)", record_role_text(m->role), m->since);
		print_event(m->system, m->name, what);
	}
}

/* The first form of each function. */
static void print_probe(void *arg, const char *function, const char *fields)
{
	const char **last = arg;

	if (*last && !strcmp(*last, function))
		return;
	*last = function;
	printf("  %-*s %s\n", COLUMN, function, fields);
}

static void print_probes(const struct record_session *s)
{
	const char *last = NULL;
	struct error why;

	if (s->opt->requests == REQUESTS_OFF)
		return;
	printf("\nFlush requests, by dynamic probes (--requests)\n");
	if (record_probes_possible(&why))
		printf("  %s\n", why.text);
	else
		record_probes_describe(&s->machine, print_probe, &last);
}

int record_list(struct record_session *s, struct error *err)
{
	(void)err;
	print_events(s);
	print_missing(s);
	print_probes(s);
	return 0;
}

static void print_args(const struct record_args *args)
{
	printf("  runs        ");
	for (size_t i = 0; i < args->n; i++) {
		bool quote = strpbrk(args->words[i], " *!'") != NULL;

		printf("%s%s%s%s", i ? " " : "", quote ? "'" : "", args->words[i], quote ? "'" : "");
	}
	printf("\n");
}

static void print_program(const struct record_session *s)
{
	struct record_args args = { 0 };

	if (s->backend == &record_perf)
		record_perf_args(&args, s);
	else if (s->backend == &record_tracecmd)
		record_tracecmd_args(&args, s);
	else
		printf("  instance    %s in tracefs, with a clock (mono), buffers and events of its "
		       "own; removed at the end\n",
		       s->name);
	if (args.n)
		print_args(&args);
	record_args_free(&args);
}

static void print_target(const struct record_options *opt)
{
	printf("  records     ");
	if (!opt->n_pids)
		printf("the whole system");
	for (size_t i = 0; i < opt->n_pids; i++)
		printf("%s%d", i ? ", " : "processes and their children: ", (int)opt->pids[i]);
	if (opt->command)
		printf(", until '%s' ends", opt->command[0]);
	if (opt->duration_ms)
		printf(", for at most %" PRIu64 ".%03" PRIu64 " s", opt->duration_ms / 1000,
		       opt->duration_ms % 1000);
	printf("\n");
}

int record_dry_run(struct record_session *s, struct error *err)
{
	printf("Would record with %s\n", s->backend->name);
	print_target(s->opt);
	printf("  writes      %s\n", s->output);
	printf("  buffers     %" PRIu64 " KB on each of %" PRIu32 " CPUs\n", s->buffer_kb,
	       s->machine.cpus);
	print_program(s);
	printf("  ceilings    %s\n\n",
	       s->machine.debugfs ? s->machine.ceiling : s->machine.debugfs_why);
	return record_list(s, err);
}
