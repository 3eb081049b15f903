/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.h - an earlier answer, as whatif --format=json wrote it, to hold a new one against.
 */
#ifndef TLBTRACE_CMD_BASELINE_H
#define TLBTRACE_CMD_BASELINE_H

#include "analyze/error.h"
#include "cmd/whatif_checks.h"

struct whatif;

/*
 * Adds one check per counter and policy to *out: of every alternative, or of the recorded policy where
 * there is none, in the totals over all inputs. missing: why not all that happened is counted, which
 * leaves undecided what would hold; NULL where it is. Returns 0, or -1 with *err filled (ERROR_INPUT: the file
 * is missing or no answer of whatif).
 */
int baseline_check(struct checks *out, const struct demands *d, const struct whatif *w,
		   const char *missing, struct error *err);

/* Writes the answer as the new baseline, whole or not at all. */
int baseline_write(const struct demands *d, const struct whatif *w, struct error *err);

#endif
