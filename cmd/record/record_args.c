/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_args.c - lists of words that grow. */
#include "cmd/record/record_args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
