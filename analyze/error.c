/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error.c - filling a struct error. */
#include "analyze/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *err, enum error_class class, const char *fmt, ...)
{
	va_list ap;

	err->class = class;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}
