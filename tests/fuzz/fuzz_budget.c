/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_budget.c - any text is a budget or a message, and what is one decides without a trap. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "replay/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decide(const struct budget *b, uint64_t n)
{
	const struct budget_case c = { n, n, n, n, n };

	/* An exact counter decides all but a rate without a duration. */
	if (budget_decide(b, &c) == VERDICT_UNDECIDED &&
	    !(b->unit == BUDGET_PER_SECOND && c.duration_ns == 0))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { .class = ERROR_NONE };
	struct budget b;
	char text[256];

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (budget_parse(&b, text, &err)) {
		if (err.class != ERROR_USAGE || !*err.text)
			__builtin_trap();
		return 0;
	}
	decide(&b, 0);
	decide(&b, 1);
	decide(&b, UINT64_MAX);
	return 0;
}
