/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_text.c - any text as those that a trace carries or that stand beside one: lines of metadata,
 * kernel symbols, names of tasks, an earlier answer as baseline.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/kallsyms.h"
#include "analyze/metadata.h"
#include "analyze/symbols.h"
#include "analyze/tidtable.h"
#include "cmd/baseline.h"
#include "cmd/whatif.h"
#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_metadata(const char *text, size_t size)
{
	struct metadata m = { .n_lines = 0 };

	for (size_t at = 0; at <= size;) {
		const char *eol = memchr(text + at, '\n', size - at);
		size_t n = eol ? (size_t)(eol - (text + at)) : size - at;

		(void)metadata_take(&m, text + at, n);
		at += n + 1;
	}
	for (size_t i = 0; i < m.n_pairs; i++)
		must(m.pairs[i].key[0] && m.pairs[i].value);
	metadata_free(&m);
}

/* The table and the search through the text find the same function. */
static void try_symbols(const char *text, size_t size)
{
	static const uint64_t addresses[] = { 1, 0xc000000000095360, UINT64_MAX };
	struct symbols_table *table = symbols_new(text, size);
	char a[64], b[64];

	if (!table)
		return;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		bool found = symbols_find(table, addresses[i], a, sizeof(a));

		must(found == kallsyms_find(text, size, addresses[i], b, sizeof(b)));
		must(!found || !strcmp(a, b));
	}
	symbols_free(table);
}

static void try_names(const char *text, size_t size)
{
	struct tid_table table;

	if (!tid_table_parse(&table, text, size))
		(void)tid_table_find(&table, 14);
	tid_table_free(&table);
}

static void try_baseline(const char *text, size_t size)
{
	struct whatif w = { .n_results = 0 };
	struct demands d = { .n_budgets = 0 };
	struct checks checks = { .n = 0 };
	struct error err = { .class = ERROR_NONE };
	int fd = memfd_create("baseline", MFD_CLOEXEC);
	char path[40];

	if (fd < 0)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	d.baseline = path;
	if (write(fd, text, size) == (ssize_t)size && baseline_check(&checks, &d, &w, NULL, &err))
		must(err.class == ERROR_INPUT && err.text[0]);
	checks_free(&checks);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	try_metadata(text, size);
	try_symbols(text, size);
	try_names(text, size);
	try_baseline(text, size);
	free(text);
	return 0;
}
