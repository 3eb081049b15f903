/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kallsyms.c - the function at an address, in the text of /proc/kallsyms. */
#include "analyze/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/bytes.h"

bool kallsyms_line(const char *line, uint64_t len, struct kallsym *symbol)
{
	const char *type = memchr(line, ' ', len);
	char digits[20], *end;

	if (!type || type + 3 >= line + len || type[2] != ' ' || !strchr("tTwW", type[1]))
		return false;
	text_copy(digits, sizeof(digits), line, (uint64_t)(type - line));
	symbol->address = strtoull(digits, &end, 16);
	symbol->name = type + 3;
	symbol->len = 0;
	while (symbol->name + symbol->len < line + len && !strchr("\t ", symbol->name[symbol->len]))
		symbol->len++;
	return !*end;
}

bool kallsyms_find(const char *text, uint64_t len, uint64_t address, char *name, uint64_t size)
{
	struct kallsym best = { 0 }; /* nothing is better than address 0: that is hidden */
	uint64_t at = 0;

	while (at < len) {
		const char *eol = memchr(text + at, '\n', len - at);
		uint64_t n = eol ? (uint64_t)(eol - (text + at)) : len - at;
		struct kallsym found;

		if (kallsyms_line(text + at, n, &found) && found.address <= address &&
		    found.address > best.address)
			best = found;
		at += n + 1;
	}
	if (!best.address)
		return false;
	text_copy(name, size, best.name, best.len);
	return true;
}
