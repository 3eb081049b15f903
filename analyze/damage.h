/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * damage.h - what is wrong with a file of which the rest can still be read.
 *
 * Only the first finding is kept as text: it is the nearest to the cause.
 */
#ifndef TLBTRACE_DAMAGE_H
#define TLBTRACE_DAMAGE_H

#include <stdint.h>

struct damage {
	uint64_t places;
	char text[256]; /* one clause with the offset; "" while places is 0 */
};

void damage_note(struct damage *damage, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds what another part of the same file found; its text is taken if there is none yet. */
void damage_add(struct damage *damage, const struct damage *other);

#endif
