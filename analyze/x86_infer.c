/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_infer.c - the recorded x86 kernel's parameters. */
#include "analyze/x86_infer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/release.h"

/* tlb_single_page_flush_ceiling's default, arch/x86/mm/tlb.c since v3.16. */
#define DEFAULT_CEILING 33

bool trace_is_x86(const struct trace *t)
{
	const char *arch = t->info->arch;
	const struct class *c = NULL;

	if (*arch)
		return strncmp(arch, "x86", 3) == 0 ||
		       (arch[0] == 'i' && strcmp(arch + 2, "86") == 0);
	while ((c = class_next(t->classes, c)))
		if (c->key.shape == SHAPE_X86)
			return true;
	return false;
}

/* What the trace says about the ceiling. */
struct ceiling_evidence {
	uint64_t longest;  /* that went page by page */
	uint64_t shortest; /* that is known to have gone over the ceiling; UINT64_MAX none */
	uint64_t bound;	   /* smallest bound above longest of a request that flushed everything */
};

static void take_class(struct ceiling_evidence *e, const struct class_key *k)
{
	const struct x86_share *x86 = &k->x86;

	if (k->shape != SHAPE_X86 || x86->whole || x86->orphan)
		return;
	if (x86->partial_cpus && x86->pages > e->longest)
		e->longest = x86->pages;
	/* Sent for everything is over the ceiling; one CPU alone may have been a generation behind. */
	if (x86->pages && x86->promoted && x86->pages < e->shortest)
		e->shortest = x86->pages;
}

static void take_bound(struct ceiling_evidence *e, const struct class_key *k)
{
	const struct x86_share *x86 = &k->x86;
	uint64_t most = x86->pages ? x86->pages : x86->pages_max;

	/* Sent as a number, so not over the ceiling: its CPUs were a generation behind. */
	if (x86->sent && !x86->promoted)
		return;
	if (k->shape == SHAPE_X86 && !x86->whole && !x86->orphan && x86->full_cpus &&
	    !x86->partial_cpus && most > e->longest && most < e->bound)
		e->bound = most;
}

static struct ceiling_evidence collect(const struct trace *t)
{
	struct ceiling_evidence e = { .shortest = UINT64_MAX, .bound = UINT64_MAX };
	const struct class *c = NULL;

	while ((c = class_next_recorded(t->classes, c)))
		take_class(&e, &c->key);
	while ((c = class_next_recorded(t->classes, c)))
		take_bound(&e, &c->key);
	return e;
}

static void set_ceiling(struct model *m, const struct ceiling_evidence *e)
{
	struct param_fact *fact = &m->fact[PARAM_CEILING];
	uint64_t over = e->bound < e->shortest ? e->bound : e->shortest;
	uint64_t *used = &m->used.v[PARAM_CEILING];

	/* A value that was noted is exact; the trace's bounds only have to allow it. */
	if (fact->evidence == EVIDENCE_METADATA && *used >= e->longest && *used < over)
		return;
	*used = DEFAULT_CEILING;
	fact->lo = e->longest;
	fact->hi = over == UINT64_MAX || over <= e->longest ? UINT64_MAX : over - 1;
	fact->evidence = EVIDENCE_TRACE;
	if (over <= e->longest)
		(void)snprintf(fact->why, sizeof(fact->why),
			       "contradictory: by page up to %" PRIu64 ", all from %" PRIu64,
			       e->longest, over);
	else if (fact->hi != UINT64_MAX)
		(void)snprintf(fact->why, sizeof(fact->why),
			       "by page up to %" PRIu64 ", all from %" PRIu64, e->longest, over);
	else
		(void)snprintf(fact->why, sizeof(fact->why),
			       "by page up to %" PRIu64 "; nothing shows what is too long",
			       e->longest);
	if (*used < fact->lo)
		*used = fact->lo;
	if (*used > fact->hi)
		*used = fact->hi;
	if (fact->hi == UINT64_MAX && *used == DEFAULT_CEILING)
		fact->evidence = EVIDENCE_DEFAULT;
}

static void set_default(struct model *m, enum param id, uint64_t value, enum evidence evidence,
			const char *why)
{
	struct param_fact *fact = &m->fact[id];

	m->used.v[id] = value;
	fact->lo = fact->hi = value;
	fact->evidence = evidence;
	(void)snprintf(fact->why, sizeof(fact->why), "%.119s", why);
}

/* v4.20 and later do not send IPIs to lazy CPUs. */
static void set_lazy_skip(struct model *m, const char *kernel)
{
	unsigned release = release_number(kernel);

	if (!release)
		set_default(m, PARAM_LAZY_SKIP, 1, EVIDENCE_DEFAULT,
			    "the file does not name its kernel");
	else
		set_default(m, PARAM_LAZY_SKIP, release >= 4020, EVIDENCE_UNAME, kernel);
}

/* v6.15 and later use it on an AMD that has it. */
static void set_invlpgb(struct model *m, const char *kernel)
{
	unsigned release = release_number(kernel);

	if (release && release < 6015) {
		set_default(m, PARAM_INVLPGB, 0, EVIDENCE_UNAME, kernel);
		return;
	}
	set_default(m, PARAM_INVLPGB, 0, EVIDENCE_DEFAULT,
		    "events do not tell: a broadcast has none");
	m->fact[PARAM_INVLPGB].hi = INVLPGB_MOST;
}

void x86_infer(struct model *m, const struct trace *t)
{
	struct ceiling_evidence e = collect(t);

	set_ceiling(m, &e);
	set_lazy_skip(m, t->info->kernel);
	set_default(m, PARAM_PAGE_SIZE, 4096, EVIDENCE_DEFAULT, "all x86 kernels have it");
	set_default(m, PARAM_PTI, PTI_OFF, EVIDENCE_DEFAULT, "events do not tell");
	m->fact[PARAM_PTI].hi = PTI_NO_INVPCID;
	set_invlpgb(m, t->info->kernel);
}
