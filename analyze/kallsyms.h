/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h - the function at an address, in the text of /proc/kallsyms.
 */
#ifndef TLBTRACE_KALLSYMS_H
#define TLBTRACE_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Looks through text[0, len) for the function with the highest address that is not above the given
 * one. Returns true with its name, terminated, in name[0, size). Addresses of 0 (kptr_restrict) are
 * no functions. Linear: a few ms for a whole kernel; meant to be asked a few times.
 */
bool kallsyms_find(const char *text, uint64_t len, uint64_t address, char *name, uint64_t size);

#endif
