/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tidtable.c - names and thread groups of tasks from saved_cmdlines and saved_tgids. */
#include "analyze/tidtable.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/bytes.h"

static int compare(const void *a, const void *b)
{
	const struct tid_name *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static uint32_t count_lines(const char *text, uint64_t len)
{
	uint32_t n = 1;

	for (uint64_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

static void parse_line(struct tid_table *table, const char *line, uint64_t len)
{
	const char *space = memchr(line, ' ', len);
	struct tid_name *entry = &table->list[table->n];
	char digits[12], *end;

	if (!space)
		return;
	text_copy(digits, sizeof(digits), line, (uint64_t)(space - line));
	entry->tid = (int32_t)strtol(digits, &end, 10);
	if (end == digits || *end)
		return;
	entry->line = table->n;
	text_copy(entry->name, sizeof(entry->name), space + 1, len - (uint64_t)(space + 1 - line));
	table->n++;
}

int tid_table_parse(struct tid_table *table, const char *text, uint64_t len)
{
	uint64_t at = 0;

	*table = (struct tid_table){ 0 };
	if (len >= UINT32_MAX)
		return 0;
	table->list = calloc(count_lines(text, len), sizeof(*table->list));
	if (!table->list)
		return -1;
	while (at < len) {
		const char *eol = memchr(text + at, '\n', len - at);
		uint64_t n = eol ? (uint64_t)(eol - (text + at)) : len - at;

		parse_line(table, text + at, n);
		at += n + 1;
	}
	qsort(table->list, table->n, sizeof(*table->list), compare);
	return 0;
}

const char *tid_table_find(const struct tid_table *table, int32_t tid)
{
	uint32_t low = 0, high = table->n;

	/* The last entry that is not above tid. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->list[middle].tid <= tid)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || table->list[low - 1].tid != tid)
		return "";
	return table->list[low - 1].name;
}

void tid_table_free(struct tid_table *table)
{
	free(table->list);
	*table = (struct tid_table){ 0 };
}
