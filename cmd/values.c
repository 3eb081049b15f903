/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values.c - parsing of option values. */
#include "cmd/values.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/suggest.h"

#define MAX_CPUS (64 * sizeof(((struct trace_filter *)NULL)->cpus) / sizeof(uint64_t))

/*
 * A decimal number without sign, times 10^decimals; more decimals than that are cut off. Returns
 * what follows it, or NULL where there is no number or it is too large.
 */
static const char *scan_decimal(const char *text, unsigned decimals, uint64_t *out)
{
	uint64_t n = 0;
	bool fraction = false;

	if (!isdigit((unsigned char)*text))
		return NULL;
	for (; isdigit((unsigned char)*text) || (*text == '.' && !fraction); text++) {
		if (*text == '.') {
			fraction = true;
			continue;
		}
		if (fraction && decimals == 0)
			continue;
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			return NULL;
		decimals -= fraction;
	}
	for (; decimals > 0; decimals--)
		if (__builtin_mul_overflow(n, 10u, &n))
			return NULL;
	*out = n;
	return text;
}

static bool scan_seconds(const char *text, struct period *out)
{
	const char *comma = strchr(text, ',');

	*out = (struct period){ .from = 0, .to = UINT64_MAX };
	if (!comma)
		return false;
	if (comma != text && scan_decimal(text, 9, &out->from) != comma)
		return false;
	text = comma + 1;
	if (!*text)
		return true;
	text = scan_decimal(text, 9, &out->to);
	return text && !*text;
}

static bool scan_share(const char *text, struct period *out)
{
	out->is_share = true;
	text = scan_decimal(text, 4, &out->from);
	if (!text || strncmp(text, "%-", 2) != 0)
		return false;
	text = scan_decimal(text + 2, 4, &out->to);
	return text && strcmp(text, "%") == 0 && out->to <= 1000000;
}

int value_period(const char *option, const char *text, struct period *out, struct error *err)
{
	bool good = scan_seconds(text, out) || (strchr(text, '%') && scan_share(text, out));

	if (!good)
		return error_set(err, ERROR_USAGE,
				 "--%s=%s: must be START,END in seconds (277.5,280 or 277.5, or "
				 ",280) or a share such as 10%%-20%%",
				 option, text);
	if (out->from >= out->to)
		return error_set(err, ERROR_USAGE, "--%s=%s: ends before it starts", option, text);
	return 0;
}

/* One item of a CPU list, "3" or "2-5"; returns what follows it, or NULL. */
static const char *scan_cpus(const char *text, uint64_t *first, uint64_t *last)
{
	text = scan_decimal(text, 0, first);
	*last = *first;
	if (text && *text == '-')
		text = scan_decimal(text + 1, 0, last);
	return text && *first <= *last && *last < MAX_CPUS ? text : NULL;
}

int value_cpus(const char *option, const char *text, struct trace_filter *filter, struct error *err)
{
	const char *at = text;
	uint64_t cpu = 0;
	uint64_t last = 0;

	filter->by_cpu = true;
	for (;;) {
		at = scan_cpus(at, &cpu, &last);
		if (!at || (*at && *at != ','))
			return error_set(err, ERROR_USAGE,
					 "--%s=%s: must be a list of CPUs below %zu such as 0,2-5",
					 option, text, (size_t)MAX_CPUS);
		for (; cpu <= last; cpu++)
			filter->cpus[cpu / 64] |= UINT64_C(1) << (cpu % 64);
		if (!*at++)
			return 0;
	}
}

static int bad_word(const char *option, const char *word, const char *const *words,
		    struct error *err)
{
	struct suggestion s = suggest_for(word);
	char list[256] = "";
	size_t used = 0;

	for (size_t i = 0; words[i]; i++) {
		suggest_offer(&s, words[i]);
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 i ? ", " : "", words[i]);
	}
	if (s.best)
		return error_set(err, ERROR_USAGE,
				 "--%s=%s: did you mean '%s'? It must be one of %s", option, word,
				 s.best, list);
	return error_set(err, ERROR_USAGE, "--%s=%s: must be one of %s", option, word, list);
}

int value_word(const char *option, const char *text, const char *const *words, size_t *out,
	       struct error *err)
{
	for (size_t i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*out = i;
			return 0;
		}
	}
	return bad_word(option, text, words, err);
}

int value_words(const char *option, const char *text, const char *const *words, uint32_t *bits,
		struct error *err)
{
	char *copy = strdup(text);
	char *rest = copy;
	char *word;
	int status = copy ? 0 : error_set(err, ERROR_ENVIRONMENT, "out of memory");

	while (status == 0 && (word = strsep(&rest, ","))) {
		size_t at = 0;

		status = value_word(option, word, words, &at, err);
		*bits |= 1u << at;
	}
	free(copy);
	return status;
}
