/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.c - the kernel's functions by address. */
#include "analyze/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/bytes.h"
#include "analyze/kallsyms.h"

struct symbols_table {
	struct kallsym *list; /* by address */
	uint64_t n;
};

static uint64_t count_lines(const char *text, uint64_t len)
{
	uint64_t n = 1;

	for (uint64_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

static int by_address(const void *a, const void *b)
{
	const struct kallsym *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void take_lines(struct symbols_table *table, const char *text, uint64_t len)
{
	uint64_t at = 0;

	while (at < len) {
		const char *eol = memchr(text + at, '\n', len - at);
		uint64_t n = eol ? (uint64_t)(eol - (text + at)) : len - at;
		struct kallsym *symbol = &table->list[table->n];

		table->n += kallsyms_line(text + at, n, symbol) && symbol->address;
		at += n + 1;
	}
}

struct symbols_table *symbols_new(const char *text, uint64_t len)
{
	struct symbols_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->list = reallocarray(NULL, count_lines(text, len) + 1, sizeof(*table->list));
	if (!table->list) {
		free(table);
		return NULL;
	}
	take_lines(table, text, len);
	if (table->n)
		qsort(table->list, table->n, sizeof(*table->list), by_address);
	return table;
}

void symbols_free(struct symbols_table *table)
{
	if (!table)
		return;
	free(table->list);
	free(table);
}

uint64_t symbols_count(const struct symbols_table *table)
{
	return table->n;
}

uint64_t symbols_address(const struct symbols_table *table, const char *name)
{
	uint64_t len = strlen(name);

	for (uint64_t i = 0; i < table->n; i++)
		if (table->list[i].len == len && !memcmp(table->list[i].name, name, len))
			return table->list[i].address;
	return 0;
}

bool symbols_find(const struct symbols_table *table, uint64_t address, char *name, uint64_t size)
{
	uint64_t low = 0, high = table->n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (table->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	/* Of several names of one address the first. */
	while (low > 1 && table->list[low - 2].address == table->list[low - 1].address)
		low--;
	text_copy(name, size, table->list[low - 1].name, table->list[low - 1].len);
	return true;
}
