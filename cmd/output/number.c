/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.c - numbers as text. */
#include "cmd/output/number.h"

#include <inttypes.h>
#include <stdio.h>

struct number number_of(uint64_t n, bool thousands)
{
	struct number out;
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *to = out.text;

	for (int i = 0; i < len; i++) {
		if (thousands && i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}

struct number number_signed(int64_t n, bool thousands)
{
	struct number size = number_of(n < 0 ? 0 - (uint64_t)n : (uint64_t)n, thousands);
	struct number out;

	(void)snprintf(out.text, sizeof(out.text), "%s%.30s", n < 0 ? "-" : "+", size.text);
	return out;
}

struct number number_change(uint64_t was, uint64_t now)
{
	struct number out = { "" };
	double factor;

	if (was == now) {
		*out.text = was ? '=' : '\0';
		return out;
	}
	if (was == 0)
		return out;
	factor = (double)now / (double)was;
	if (factor >= 10)
		(void)snprintf(out.text, sizeof(out.text), factor < 1e6 ? "x%.0f" : "x%.0e", factor);
	else
		(void)snprintf(out.text, sizeof(out.text), "%+.1f %%", 100 * factor - 100);
	return out;
}

struct number number_percent(uint64_t part, uint64_t whole)
{
	unsigned __int128 n = whole ? (unsigned __int128)part * 10000 / whole : 10000;
	struct number out;

	(void)snprintf(out.text, sizeof(out.text), "%" PRIu64 ".%02u", (uint64_t)(n / 100),
		       (unsigned)(n % 100));
	return out;
}

struct number number_seconds(uint64_t ns)
{
	struct number out;

	(void)snprintf(out.text, sizeof(out.text), "%" PRIu64 ".%03u", ns / 1000000000,
		       (unsigned)(ns % 1000000000 / 1000000));
	return out;
}

struct number number_size(unsigned shift)
{
	static const char units[] = "BKMGTPE";
	struct number out;

	(void)snprintf(out.text, sizeof(out.text), "%u%c", 1u << (shift % 10),
		       units[shift / 10 % 7]);
	return out;
}
