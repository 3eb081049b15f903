/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * params.h - the kernel's flush behaviour as feature switches and numbers.
 *
 * Distributions backport, so no version decides anything here: an era (policies 2.1) is a preset
 * over the switches, each switch is found in the trace by itself, and the user can override each.
 */
#ifndef TLBTRACE_PARAMS_H
#define TLBTRACE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"

/*
 * X(id, key, values, what it is). values: "" for a number, else the names of the values 0, 1, …,
 * separated by '|'. Keys are those of --recorded= and --policy=radix,…
 */
#define PARAMS_X(X)                                                                                    \
	X(PARAM_ERA, "era", "v4.13|v4.15|v4.18|v5.4|v5.9|v5.12|v5.14|v6.3|v6.4|v6.6",                  \
	  "preset for all that follows, by the first kernel release that had it")                      \
	X(PARAM_CEILING, "ceiling", "",                                                                \
	  "tlb_single_page_flush_ceiling: more pages than this and a global flush takes the PID")      \
	X(PARAM_LOCAL_CEILING, "local-ceiling", "",                                                    \
	  "tlb_local_single_page_flush_ceiling: the same for a local flush")                           \
	X(PARAM_COMPARE, "compare", "gt|ge",                                                           \
	  "promote when pages > ceiling, or >= (the RFC of August 2021)")                              \
	X(PARAM_PROMOTE, "promote", "pages|pmd|entire-range",                                          \
	  "promote by a flush's own pages; also from 2M on; or by all that its call unmaps")           \
	X(PARAM_RANGE, "range", "mm|va", "flush_tlb_range: whole mm (before v4.15), or by page")       \
	X(PARAM_TABLES, "tables", "all|pwc",                                                           \
	  "freed page tables: flush all of the PID (before v4.15), or its page walk cache")            \
	X(PARAM_BARRIERS, "barriers", "page|request",                                                  \
	  "barriers around every page (before v4.15), or once per request")                            \
	X(PARAM_PWC, "pwc", "off|on",                                                                  \
	  "flush_tlb_range of 2M and more also flushes the page walk cache (v5.14)")                   \
	X(PARAM_THP_PASS, "thp-pass", "off|on",                                                        \
	  "flush_tlb_range flushes whole PMDs again as 2M pages (CONFIG_TRANSPARENT_HUGEPAGE)")        \
	X(PARAM_FIXUPS, "fixups", "none|erat|erat+stq|old",                                            \
	  "extra tlbie that work around POWER9 errata")                                                \
	X(PARAM_SETS, "sets", "",                                                                      \
	  "tlbiel per local flush of a PID: 128 on POWER9, 1 on POWER10 with v5.11 or later")          \
	X(PARAM_TLBIE, "tlbie", "off|on", "off: other CPUs flush themselves with tlbiel, by IPI")      \
	X(PARAM_GTSE, "gtse", "off|on",                                                                \
	  "off: a guest's global flushes are hypervisor calls, H_RPT_INVALIDATE (v5.9)")               \
	X(PARAM_TRIM, "trim", "none|v4.18|v5.10|v5.12|v6.6",                                           \
	  "how CPUs leave an mm's mask: the first kernel release that did it so")                      \
	X(PARAM_LAZY, "lazy", "refcount|shootdown|combined",                                           \
	  "lazy TLB: mm_count (before v6.4), IPIs at the last mmdrop, or with the final flush (v6.6)") \
	X(PARAM_PAGE_SIZE, "page-size", "", "base page size in bytes (4K, 64K)")                       \
	X(PARAM_PTI, "pti", "off|on|no-invpcid",                                                       \
	  "x86 page table isolation: the user's half is flushed too, by INVPCID or later")             \
	X(PARAM_LAZY_SKIP, "lazy-skip", "off|on",                                                      \
	  "x86: no IPI to lazy CPUs, unless page tables are freed (v4.20)")                            \
	X(PARAM_INVLPGB, "invlpgb", "",                                                                \
	  "x86 (AMD): pages that one INVLPGB broadcast takes; 0: flushes are sent by IPI")             \
	X(PARAM_TARGET, "target", "recorded|arm64|arm64-range|riscv",                                  \
	  "whose instructions the requests are priced in; set by the policies of these names")         \
	X(PARAM_VARIANT, "variant", "old|v2|final",                                                    \
	  "what is remembered: the CPU's last vCPU (old), its VM too (v2), the last of each VM")

#define PARAMS_ENUM(id, key, values, what) id,
enum param {
	PARAMS_X(PARAMS_ENUM) PARAMS
};
#undef PARAMS_ENUM

enum {
	ERA_V4_13,
	ERA_V4_15,
	ERA_V4_18,
	ERA_V5_4,
	ERA_V5_9,
	ERA_V5_12,
	ERA_V5_14,
	ERA_V6_3,
	ERA_V6_4,
	ERA_V6_6,
	ERAS
};
enum {
	COMPARE_GT,
	COMPARE_GE
};
enum {
	PROMOTE_PAGES,
	PROMOTE_PMD,
	PROMOTE_ENTIRE_RANGE
};

enum {
	RANGE_MM,
	RANGE_VA
};
enum {
	TABLES_ALL,
	TABLES_PWC
};
enum {
	BARRIERS_PAGE,
	BARRIERS_REQUEST
};
enum {
	LAZY_REFCOUNT,
	LAZY_SHOOTDOWN,
	LAZY_COMBINED
};
enum {
	FIXUPS_NONE,
	FIXUPS_ERAT,
	FIXUPS_ERAT_STQ,
	FIXUPS_OLD
};

enum {
	TARGET_RECORDED,
	TARGET_ARM64,
	TARGET_ARM64_RANGE,
	TARGET_RISCV
};

enum {
	PTI_OFF,
	PTI_ON,
	PTI_NO_INVPCID
};

#define INVLPGB_MOST 65536u /* pages of one broadcast: a 16-bit count, and one */

struct params {
	uint64_t v[PARAMS];
	/* A bit for each that was given as a value (params_name). In a policy, the others are as they
	 * were recorded, also where that is not known exactly. */
	uint32_t named;
	/* Prices what one CPU of the mask does of a flush by IPI (tlbie off), COUNT_IPIS its rounds: for
	 * stateful.c, never part of a policy. */
	bool by_ipi;
};
_Static_assert(PARAMS <= 32, "params.named has a bit for each");

static inline void params_name(struct params *p, enum param id)
{
	p->named |= UINT32_C(1) << id;
}

static inline bool params_is_named(const struct params *p, enum param id)
{
	return p->named >> id & 1;
}

/* Where a value comes from, strongest last but for the option, which beats all. */
enum evidence {
	EVIDENCE_DEFAULT,
	EVIDENCE_UNAME,
	EVIDENCE_METADATA,
	EVIDENCE_TRACE,
	EVIDENCE_OPTION,
};

extern const char *const evidence_names[EVIDENCE_OPTION + 1];

/* What is known of one parameter of the recorded kernel: lo == hi where it is certain. */
struct param_fact {
	uint64_t lo;
	uint64_t hi; /* UINT64_MAX: no upper bound */
	enum evidence evidence;
	char why[120]; /* one clause for people, e.g. "longest run 33 pages" */
};

/* By which function mprotect flushes. */
enum mprotect {
	MPROTECT_EITHER, /* the release is not known */
	MPROTECT_RANGE,	 /* flush_tlb_range() for each mapping: before v6.0 */
	MPROTECT_GATHER, /* tlb_flush() of one mmu_gather */
};

/* The recorded kernel. used.v[i] lies in [fact[i].lo, fact[i].hi]. */
struct model {
	struct params used;
	struct param_fact fact[PARAMS];
	enum mprotect mprotect;
	bool open_scopes; /* which flushes were local only masks can tell, the recorded ones too */
};

extern const char *const param_keys[PARAMS];
extern const char *const param_values[PARAMS];
extern const char *const param_texts[PARAMS];

/* True where kernels of the architecture have the parameter: x86, or POWER's radix MMU. */
bool param_applies(enum param id, bool x86);

/* Mainline's behaviour in this era on a POWER9 with 64K pages: the defaults. */
struct params params_of_era(unsigned era);

/* Index of the machine (enum trim of observer.h) that follows the mask as this kernel keeps it. */
unsigned params_trim_kind(const struct params *p);

/* The era of a release such as "6.1.0-50-powerpc64le"; ERAS where the text names none. */
unsigned era_of_release(const char *release);

/*
 * Parses key=value. Numbers take K and M suffixes; an era also takes a release ("v6.1").
 * Setting the era sets all switches of that era. On failure *err (ERROR_USAGE) names the valid
 * keys or values.
 */
int params_set(struct params *p, const char *key, const char *value, enum param *which,
	       struct error *err);

/* The parameter of this key, or PARAMS. */
enum param param_by_key(const char *key);

/* "must be one of era, ceiling, …" of the parameters that `offers` takes, with the one that key may
 * have meant. Returns -1, *err filled (ERROR_USAGE). */
int params_unknown_key(const char *key, bool (*offers)(const void *arg, enum param id),
		       const void *arg, struct error *err);

/* Writes the value as the user would give it, e.g. "erat+stq", "64K". */
void param_format(enum param id, uint64_t value, char *buf, unsigned long len);

#endif
