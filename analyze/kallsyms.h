/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h - the function at an address, in the text of /proc/kallsyms.
 */
#ifndef TLBTRACE_KALLSYMS_H
#define TLBTRACE_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

struct kallsym {
	uint64_t address;
	const char *name; /* in the text, not terminated */
	uint64_t len;
};

/* One line without its end, "c0000000000b2a40 t radix__tlb_flush[\t[module]]". False for anything but
 * a function. */
bool kallsyms_line(const char *line, uint64_t len, struct kallsym *symbol);

/*
 * Looks through text[0, len) for the function with the highest address that is not above the given
 * one. Returns true with its name, terminated, in name[0, size). Addresses of 0 (kptr_restrict) are
 * no functions. Linear: a few ms for a whole kernel; meant to be asked a few times.
 */
bool kallsyms_find(const char *text, uint64_t len, uint64_t address, char *name, uint64_t size);

#endif
