/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - values of options as text: numbers, seconds, CPU lists, words of a fixed set.
 *
 * Each returns 0, or -1 with *err (ERROR_USAGE) naming the option, the value and what is valid.
 */
#ifndef TLBTRACE_CMD_VALUES_H
#define TLBTRACE_CMD_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/trace.h"

/* A period of a trace: of its clock, or of its duration in millionths. */
struct period {
	bool is_share;
	uint64_t from; /* ns or millionths, inclusive; 0 where left out */
	uint64_t to;   /* exclusive; UINT64_MAX where left out */
};

/* "START,END" in seconds, either may be left out, or "10%-20%". */
int value_period(const char *option, const char *text, struct period *out, struct error *err);

/* "0,2-5": sets these bits. */
int value_cpus(const char *option, const char *text, struct trace_filter *filter, struct error *err);

/* The position of text in words, which ends with NULL. */
int value_word(const char *option, const char *text, const char *const *words, size_t *out,
	       struct error *err);

/* "a,b,…": the bits of the positions in words. */
int value_words(const char *option, const char *text, const char *const *words, uint32_t *bits,
		struct error *err);

#endif
