/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_scout.h - how far libbabeltrace2 gets in CTF traces without crashing.
 *
 * libbabeltrace2 (2.0) trusts the lengths of arrays: a damaged one makes it crash, take all memory or
 * go on for hours. So a child process opens the traces first, and reads those streams to their end
 * whose events have arrays of any length. Where it dies, or takes too long, reading ends before.
 */
#ifndef TLBTRACE_CTF_SCOUT_H
#define TLBTRACE_CTF_SCOUT_H

#include <stdint.h>

#include "analyze/ctf_reader.h"

struct ctf_scout; /* what the child says, in shared memory */

/* Returns what it found, or NULL with *err filled: then nothing at all can be read. */
struct ctf_scout *ctf_scout_send(const char *path, struct error *err);

/* How many messages of the port can be asked for; UINT64_MAX: all there are. */
uint64_t ctf_scout_limit(const struct ctf_scout *scout, uint32_t port);

void ctf_scout_free(struct ctf_scout *scout);

#endif
