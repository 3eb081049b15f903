/* SPDX-License-Identifier: GPL-2.0-or-later */
/* damage.c - what is wrong with a file of which the rest can still be read. */
#include "analyze/damage.h"

#include <stdarg.h>
#include <stdio.h>

void damage_note(struct damage *damage, const char *fmt, ...)
{
	va_list args;

	if (damage->places++)
		return;
	va_start(args, fmt);
	vsnprintf(damage->text, sizeof(damage->text), fmt, args);
	va_end(args);
}

void damage_add(struct damage *damage, const struct damage *other)
{
	if (!other->places)
		return;
	if (!damage->places)
		*damage = *other;
	else
		damage->places += other->places;
}
