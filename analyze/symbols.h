/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the kernel's functions by address, from the text of a /proc/kallsyms.
 */
#ifndef TLBTRACE_SYMBOLS_H
#define TLBTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols_table;

/*
 * The functions in text[0, len), which must stay. NULL where memory is short. Addresses of 0
 * (kptr_restrict) are no functions: without any symbols_count() is 0.
 */
struct symbols_table *symbols_new(const char *text, uint64_t len);
void symbols_free(struct symbols_table *table); /* accepts NULL */
uint64_t symbols_count(const struct symbols_table *table);

/* The address of the function with that name; 0: none. */
uint64_t symbols_address(const struct symbols_table *table, const char *name);

/* The name, terminated, of the function with the highest address that is not above this one. */
bool symbols_find(const struct symbols_table *table, uint64_t address, char *name, uint64_t size);

#endif
