/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flush.c - names of what a flush can be, and the instructions that one recorded. */
#include "analyze/flush.h"

#define FLUSH_KEY(id, key) [id] = key,
const char *const flush_entry_keys[FLUSH_ENTRIES] = { FLUSH_ENTRIES_X(FLUSH_KEY) };
const char *const flush_cause_keys[FLUSH_CAUSES] = { FLUSH_CAUSES_X(FLUSH_KEY) };
const char *const flush_known_keys[KNOWNS] = { "told", "seen", "ambiguous", "censored" };
const char *const flush_scope_keys[SCOPES] = { "local", "global", "multicast" };

static void record_foreign(struct tally *t, const struct flush *f)
{
	switch (f->foreign) {
	case TLBIE_HASH:
	case TLBIE_HASH_PARTITION:
		t->n[COUNT_TLBIE_HASH] = f->pages;
		break;
	default:
		t->n[COUNT_TLBIE_LPID] = f->pages;
		break;
	}
}

static void record_global(struct tally *t, const struct flush *f)
{
	switch (f->shape) {
	case SHAPE_VA:
		t->n[COUNT_TLBIE_VA] = f->pages + f->pages_2m;
		t->n[COUNT_TLBIE_PWC] = f->pwc;
		break;
	case SHAPE_PID:
	case SHAPE_ALL:
		t->n[COUNT_TLBIE_PID] = 1;
		break;
	case SHAPE_PWC:
		t->n[COUNT_TLBIE_PWC] = 1;
		break;
	case SHAPE_KERNEL:
		t->n[COUNT_TLBIE_KERNEL] = 1;
		break;
	case SHAPE_FOREIGN:
		record_foreign(t, f);
		break;
	case SHAPE_X86:
	case SHAPE_HCALL:
		break;
	}
	t->n[COUNT_TLBIE_FIXUP] = flush_fixups(f);
}

static uint64_t recorded_tlbiel(const struct flush *f)
{
	switch (f->shape) {
	case SHAPE_VA:
		return f->pages + f->pages_2m + f->pwc;
	case SHAPE_PWC:
		return 1;
	case SHAPE_FOREIGN:
		return f->pages;
	default:
		return f->sets;
	}
}

struct tally flush_recorded(const struct flush *f)
{
	struct tally t = { .n[COUNT_FLUSHES] = 1 };

	if (f->asked)
		return t;
	if (f->shape == SHAPE_X86)
		return x86_recorded(&f->x86);
	if (f->shape == SHAPE_HCALL)
		t.n[COUNT_HCALLS] = 1;
	else if (f->local)
		t.n[COUNT_TLBIEL] = recorded_tlbiel(f);
	else
		record_global(&t, f);
	tally_sum_tlbie(&t);
	return t;
}

bool flush_may_hide_requests(const struct flush *f)
{
	return f->shape == SHAPE_VA && !f->is_told && flush_fixups(f) == 0 && f->pages > 1 &&
	       f->pages_2m == 0;
}
