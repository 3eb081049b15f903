/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_error.h - what libbabeltrace2 has to say of a failure, in one line. */
#ifndef TLBTRACE_CTF_ERROR_H
#define TLBTRACE_CTF_ERROR_H

#include <stddef.h>

/*
 * Takes the calling thread's error off libbabeltrace2 and writes its causes to text[0, size), the
 * nearest to the root first, as "cause: cause: …"; "unknown cause" where there is none. What does
 * not fit is left out; there are no newlines.
 */
void ctf_take_error(char *text, size_t size);

#endif
