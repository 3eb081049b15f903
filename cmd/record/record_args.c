/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_args.c - lists of words that grow. */
#include "cmd/record/record_args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/record/record.h"

void record_args_add(struct record_args *args, const char *fmt, ...)
{
	char **more = reallocarray(args->words, args->n + 2, sizeof(*more));
	va_list ap;

	if (!more) {
		args->failed = true;
		return;
	}
	args->words = more;
	va_start(ap, fmt);
	if (vasprintf(&more[args->n], fmt, ap) < 0)
		args->failed = true;
	else
		args->n++;
	va_end(ap);
	more[args->n] = NULL;
}

void record_args_free(struct record_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		free(args->words[i]);
	free(args->words);
	*args = (struct record_args){ 0 };
}

void record_args_add_events(struct record_args *args, const struct record_session *s,
			    const char *filter_option)
{
	for (size_t i = 0; i < s->events.n; i++) {
		const struct record_event *e = &s->events.list[i];

		record_args_add(args, "-e");
		record_args_add(args, "%s:%s", e->system, e->name);
		if (e->filter) {
			record_args_add(args, "%s", filter_option);
			record_args_add(args, "%s", e->filter);
		}
	}
}

void record_args_add_probes(struct record_args *args, const struct record_session *s)
{
	for (size_t i = 0; i < s->probes.n; i++) {
		record_args_add(args, "-e");
		record_args_add(args, "%s:%s", s->probes.group, s->probes.list[i].name);
	}
}
