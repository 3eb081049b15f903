/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suggest.h - the valid word that a mistyped one probably was.
 */
#ifndef TLBTRACE_SUGGEST_H
#define TLBTRACE_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word; /* what was typed */
	const char *best; /* the nearest candidate so far, NULL while none is near */
	size_t distance;
};

struct suggestion suggest_for(const char *word);

/* Offers a candidate; strings are kept by reference. */
void suggest_offer(struct suggestion *s, const char *candidate);

/* "did you mean 'ceiling'? It ", which a sentence "must be one of …" follows, or "". Into buf. */
const char *suggest_text(const struct suggestion *s, char *buf, size_t size);

/* Letters to insert, drop or replace to make b from a; words over 63 letters are not compared. */
size_t edit_distance(const char *a, const char *b);

#endif
