/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_callers.c - who asked for flushes, by the stacks that were recorded with them. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/source_file.h"
#include "analyze/symbols.h"
#include "cmd/report.h"

#define SHOWN 4 /* functions of a stack */

struct namer {
	struct symbols_table *table; /* NULL: there are no names */
	uint64_t moved;		     /* from the recording's addresses to the table's */
	uint64_t text;		     /* _text as recorded; 0 unknown */
};

/*
 * What every flush comes through, from the tracepoint to the functions of mm/mmu_gather.c: by the
 * beginning of their names, in kernels from v4.9 to v6.17.
 */
static const char *const flushing[] = {
	"trace_",
	"perf_",
	"__traceiter_",
	"ftrace_",
	"radix__",
	"__radix__",
	"hash__",
	"_tlbie",
	"__tlbie",
	"__tlbiel",
	"fixup_tlbie",
	"tlb_",
	"__tlb_",
	"flush_tlb",
	"__flush_tlb",
	"native_flush_tlb",
	"flush_all_mm",
	"__flush_all_mm",
	"do_flush_tlb",
	"arch_tlbbatch_flush",
	"do_tlbiel",
	"pseries_rpt",
	"smp_call_function",
	"on_each_cpu",
	"generic_smp_call",
	"__flush_smp_call",
	"sysvec_call_function",
	"__sysvec_call_function",
	"asm_sysvec_call_function",
	NULL,
};

static bool only_flushes(const char *name)
{
	for (size_t i = 0; flushing[i]; i++)
		if (!strncmp(name, flushing[i], strlen(flushing[i])))
			return true;
	return false;
}

/* A return address lies behind the call, perhaps behind the whole function that called. */
static bool find_name(const struct namer *namer, uint64_t ip, char *name, size_t size)
{
	return namer->table && symbols_find(namer->table, ip + namer->moved - 1, name, size);
}

static void name_address(const struct namer *namer, uint64_t ip, char *name, size_t size)
{
	if (namer->text && ip >= namer->text)
		(void)snprintf(name, size, "_text+%#" PRIx64, ip - namer->text);
	else
		(void)snprintf(name, size, "%#" PRIx64, ip);
}

/* "zap_pte_range < unmap_page_range < unmap_vmas": the innermost functions that do more than flush. */
static char *label_of(const struct namer *namer, const struct stack *stack)
{
	char label[SHOWN * 64], name[60];
	size_t at = 0;
	unsigned shown = 0;

	for (uint32_t i = 0; i < stack->n && shown < SHOWN; i++) {
		bool named = find_name(namer, stack->ips[i], name, sizeof(name));

		if (named && !shown && i + 1 < stack->n && only_flushes(name))
			continue;
		if (!named)
			name_address(namer, stack->ips[i], name, sizeof(name));
		at += (size_t)snprintf(label + at, sizeof(label) - at, "%s%s", shown++ ? " < " : "",
				       name);
	}
	return strndup(label, sizeof(((struct report_row *)0)->label) - 1);
}

/* ---- symbols ---- */

static int from_text(struct namer *namer, const char *text, uint64_t len, const char *path,
		     struct error *err)
{
	namer->table = symbols_new(text, len);
	if (!namer->table)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
	return 0;
}

/* The kernel of the file may be the same, moved elsewhere at boot. */
static void move(struct namer *namer)
{
	uint64_t text = symbols_address(namer->table, "_text");

	if (text && namer->text)
		namer->moved = text - namer->text;
}

static int from_file(struct namer *namer, const char *path, struct source_file *file,
		     struct error *err)
{
	if (source_file_open(file, path, err) || source_file_load(file, err))
		return -1;
	if (from_text(namer, (const char *)file->data, file->size, path, err))
		return -1;
	if (!symbols_count(namer->table))
		return error_set(err, ERROR_INPUT,
				 "%s: no addresses of functions: the text of /proc/kallsyms, read by "
				 "root, is wanted",
				 path);
	move(namer);
	return 0;
}

static int from_trace(struct namer *namer, const struct report *r, struct error *err)
{
	uint64_t len;
	const char *text = source_kallsyms(r->base.trace.src, &len);

	if (!text)
		return 0;
	if (from_text(namer, text, len, r->base.trace.info->path, err))
		return -1;
	/* All hidden (kptr_restrict): as if there were none. */
	if (!symbols_count(namer->table)) {
		symbols_free(namer->table);
		namer->table = NULL;
	}
	return 0;
}

/* ---- the labels ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static uint32_t highest_stack(const struct report *r)
{
	const struct profile_cell *cell = NULL;
	uint32_t highest = 0;

	while ((cell = profile_next(r->profile, PROFILE_STACK, cell)))
		if (cell->place > highest)
			highest = cell->place;
	return highest;
}

/* Sorts them and leaves one of each. */
static void make_unique(struct report_callers *c)
{
	uint32_t kept = 0;

	qsort(c->labels, c->n, sizeof(*c->labels), by_text);
	for (uint32_t i = 0; i < c->n; i++) {
		if (kept && !strcmp(c->labels[kept - 1], c->labels[i]))
			free(c->labels[i]);
		else
			c->labels[kept++] = c->labels[i];
	}
	c->n = kept;
}

static uint32_t index_of(const struct report_callers *c, const char *label)
{
	char *const *found = bsearch(&label, c->labels, c->n, sizeof(*c->labels), by_text);

	return (uint32_t)(found - c->labels);
}

static int label_stacks(struct report_callers *c, const struct report *r, const struct namer *namer,
			char **texts)
{
	const uint32_t n = c->n_of;

	for (uint32_t i = 1; i < n; i++) {
		const struct stack *stack = source_stack(r->base.trace.src, i);

		texts[i] = stack ? label_of(namer, stack) : strdup("?");
		if (!texts[i])
			return -1;
		c->labels[c->n] = strdup(texts[i]);
		if (!c->labels[c->n])
			return -1;
		c->n++;
	}
	make_unique(c);
	for (uint32_t i = 1; i < n; i++)
		c->of[i] = index_of(c, texts[i]);
	return 0;
}

static int fill_callers(struct report_callers *c, const struct report *r, const struct namer *namer)
{
	char **texts;
	int status = -1;

	c->n_of = highest_stack(r) + 1;
	c->labels = calloc(c->n_of, sizeof(*c->labels));
	c->of = calloc(c->n_of, sizeof(*c->of));
	texts = calloc(c->n_of, sizeof(*texts));
	if (c->labels && c->of && texts)
		status = label_stacks(c, r, namer, texts);
	for (uint32_t i = 0; texts && i < c->n_of; i++)
		free(texts[i]);
	free(texts);
	return status;
}

int report_callers(struct report *r, const char *kallsyms, struct error *err)
{
	struct namer namer = { .text = r->base.trace.info->text };
	struct source_file file = { .fd = -1 };
	int status;

	if (!highest_stack(r) && !kallsyms)
		return 0;
	if (!highest_stack(r))
		return error_set(err, ERROR_INPUT,
				 "%s: no stacks were recorded: --kallsyms has nothing to name "
				 "(perf record -g, trace-cmd record -T)",
				 r->base.trace.info->path);
	status = kallsyms ? from_file(&namer, kallsyms, &file, err) : from_trace(&namer, r, err);
	if (!status && fill_callers(&r->callers, r, &namer))
		status = error_set(err, ERROR_ENVIRONMENT, "%s: out of memory",
				   r->base.trace.info->path);
	symbols_free(namer.table);
	source_file_close(&file);
	return status;
}

void report_callers_free(struct report_callers *callers)
{
	for (uint32_t i = 0; i < callers->n; i++)
		free(callers->labels[i]);
	free(callers->labels);
	free(callers->of);
	*callers = (struct report_callers){ .n = 0 };
}
