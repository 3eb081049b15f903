/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary_fields.h - the parts of a summary, field by field; private to replay/summary*.c.
 */
#ifndef TLBTRACE_REPLAY_SUMMARY_FIELDS_H
#define TLBTRACE_REPLAY_SUMMARY_FIELDS_H

#include "replay/summary.h"
#include "replay/summary_code.h"

/* Writes or reads all of it. Reading, *s is all zero before and is to be freed whatever comes of it. */
void summary_code(struct code *c, struct summary *s);

/* The same from the bytes that the file has packed, as summary_unpack(). */
int summary_decode(struct summary *out, const uint8_t *contents, uint64_t n, const char *name,
		   struct error *err);

/* Writes what tells one trace from others. */
void summary_code_identity(struct code *c, struct summary_group *g);

/* Writes what must be the same in groups that are added up. */
void summary_code_kernel(struct code *c, struct summary_group *g);

/*
 * Makes rows of g that no prediction tells apart one, and gives all of them their order. False where
 * memory is short.
 */
bool summary_fold(struct summary_group *g);

/* a + b, at most UINT64_MAX. */
static inline uint64_t summary_sum(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* The fields of a class that are compared and kept, in this order: X(field, most). */
#define SUMMARY_KEY_X(X)                                                                           \
	X(mm, UINT32_MAX)                                                                          \
	X(shape, SHAPE_HCALL)                                                                      \
	X(entry, FLUSH_ENTRIES - 1)                                                                \
	X(cause, FLUSH_CAUSES - 1)                                                                 \
	X(context, CONTEXT_OUTSIDE)                                                                \
	X(local, 1)                                                                                \
	X(irq, 1)                                                                                  \
	X(pages, UINT64_MAX)                                                                       \
	X(pages_2m, UINT64_MAX)                                                                    \
	X(longest, UINT64_MAX)                                                                     \
	X(pages_max, UINT64_MAX)                                                                   \
	X(sets, UINT32_MAX)                                                                        \
	X(first, UINT32_MAX)                                                                       \
	X(call_pages, CALL_PAGES_MOST)                                                             \
	X(parts, PARTS_LIKELY_SINGLES)                                                             \
	X(foreign, TLBIE_KINDS - 1)                                                                \
	X(shift, 63)                                                                               \
	X(fix_erat, UINT8_MAX)                                                                     \
	X(fix_stq, UINT8_MAX)                                                                      \
	X(fix_old, UINT8_MAX)                                                                      \
	X(pwc, 1)                                                                                  \
	X(told, 1)                                                                                 \
	X(may_hide, 1)                                                                             \
	X(hidden, 1)                                                                               \
	X(partial, 1)                                                                              \
	X(call_open, 1)                                                                            \
	X(scope[0], UINT8_MAX)                                                                     \
	X(scope[1], UINT8_MAX)                                                                     \
	X(scope[2], UINT8_MAX)                                                                     \
	X(scope[3], UINT8_MAX)                                                                     \
	X(scope[4], UINT8_MAX)                                                                     \
	X(x86.pages, UINT64_MAX)                                                                   \
	X(x86.pages_max, UINT64_MAX)                                                               \
	X(x86.partial_cpus, UINT32_MAX)                                                            \
	X(x86.full_cpus, UINT32_MAX)                                                               \
	X(x86.ipis_min, UINT32_MAX)                                                                \
	X(x86.ipis_usual, UINT32_MAX)                                                              \
	X(x86.ipis_max, UINT32_MAX)                                                                \
	X(x86.mask_max, UINT32_MAX)                                                                \
	X(x86.shift, 63)                                                                           \
	X(x86.sent, 1)                                                                             \
	X(x86.promoted, 1)                                                                         \
	X(x86.whole, 1)                                                                            \
	X(x86.batch, 1)                                                                            \
	X(x86.orphan, 1)                                                                           \
	X(x86.ipis_known, 1)

_Static_assert(TRIMS == 5, "SUMMARY_KEY_X has each scope");

#endif
