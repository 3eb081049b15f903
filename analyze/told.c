/* SPDX-License-Identifier: GPL-2.0-or-later */
/* told.c - nested probes become one request. */
#include "analyze/told.h"

#include "analyze/geometry.h"

/* Flags of struct mmu_gather that have the same bit in every kernel with a radix MMU. */
enum {
	GATHER_FULLMM = 1,
	GATHER_FREED_TABLES = 4
};

bool told_is_request(enum request_fn fn)
{
	return fn <= REQUEST_KERNEL;
}

/* Which function calls which (radix_tlb.c, v5.10 to v6.12). */
static bool calls(enum request_fn caller, enum request_fn fn)
{
	switch (caller) {
	case REQUEST_GATHER:
		return fn == REQUEST_RANGE_PSIZE || fn == REQUEST_PWC_RANGE ||
		       fn == REQUEST_ALL_MM || fn == REQUEST_MM || fn == REQUEST_RANGE;
	case REQUEST_PAGE:
		return fn == REQUEST_PAGE_PSIZE;
	case REQUEST_PMD_RANGE:
	case REQUEST_HUGETLB:
	case REQUEST_PWC_RANGE:
		return fn == REQUEST_RANGE_PSIZE || fn == REQUEST_PWC_RANGE;
	case REQUEST_COLLAPSED:
		return fn == REQUEST_ALL_MM;
	case REQUEST_ALL_MM:
		return fn == REQUEST_ALL_MM;
	default:
		return false;
	}
}

/* MMU_PAGE_* of asm/mmu.h: the sizes that radix uses. */
static uint8_t shift_of_psize(int32_t psize)
{
	switch (psize) {
	case 0:
		return 12;
	case 2:
		return 16;
	case 7:
		return 21;
	case 12:
		return 30;
	default:
		return 0;
	}
}

static uint8_t shift_of(const struct request_record *rec, unsigned base_shift)
{
	uint32_t size = rec->has & REQUEST_HAS_PAGE_SIZE ? rec->page_size : 0;

	if (rec->has & REQUEST_HAS_PSIZE)
		return shift_of_psize(rec->psize);
	if (rec->fn == REQUEST_PMD_RANGE)
		return PMD_SHIFT;
	if (size && (size & (size - 1)) == 0)
		return (uint8_t)__builtin_ctz(size);
	return (uint8_t)base_shift;
}

static void take_range(struct told *t, const struct request_record *rec)
{
	t->has_range = true;
	t->start = rec->start;
	t->end = rec->end;
	/* A page's address may lie anywhere in it; records have the page. */
	if (rec->fn == REQUEST_PAGE || rec->fn == REQUEST_PAGE_PSIZE) {
		uint64_t size = UINT64_C(1) << t->shift;

		t->start = rec->start & ~(size - 1);
		t->end = t->start + size;
	}
	if (rec->fn == REQUEST_COLLAPSED)
		t->end = t->start + PMD_BYTES;
}

bool told_continues(const struct told *t, enum request_fn fn)
{
	return t->fresh && calls(t->inner, fn);
}

void told_apply(struct told *t, const struct request_record *rec, uint64_t time_ns,
		unsigned base_shift)
{
	uint8_t shift = shift_of(rec, base_shift);

	if (rec->fn == REQUEST_SCOPE_IN && t->fresh && !t->hw_pid && (rec->has & REQUEST_HAS_HW_PID))
		t->hw_pid = rec->hw_pid;
	if (!told_is_request(rec->fn))
		return;
	if (!told_continues(t, rec->fn))
		*t = (struct told){ .outer = rec->fn, .time_ns = time_ns };
	t->fresh = true;
	t->inner = rec->fn;
	if (shift)
		t->shift = shift;
	t->unsized = (rec->has & REQUEST_HAS_PAGE_SIZE) && rec->page_size == 0;
	if (rec->has & REQUEST_HAS_HW_PID)
		t->hw_pid = rec->hw_pid;
	if (rec->has & REQUEST_HAS_RANGE)
		take_range(t, rec);
	if (rec->has & REQUEST_HAS_BITS) {
		t->fullmm |= rec->bits & GATHER_FULLMM;
		t->tables |= (rec->bits & GATHER_FREED_TABLES) != 0;
	}
	t->fullmm |= (rec->has & REQUEST_HAS_FULLMM) && rec->fullmm;
	t->tables |= ((rec->has & REQUEST_HAS_PWC) && rec->pwc) || rec->fn == REQUEST_PWC_RANGE ||
		     rec->fn == REQUEST_COLLAPSED;
	/* A full-mm gather and a flush of all have no range, whatever the gather collected. */
	if (t->fullmm || rec->fn == REQUEST_ALL_MM || rec->fn == REQUEST_MM)
		t->has_range = false;
}

bool told_matches(const struct told *t, uint32_t hw_pid, uint64_t addr)
{
	if (!t->fresh || (t->hw_pid && t->hw_pid != hw_pid))
		return false;
	return !addr || !t->has_range || t->start == addr;
}
