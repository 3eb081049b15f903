/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_waiting.c - what one call tells of its 2 MiB pages (policies 14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyze/geometry.h"
#include "analyze/waiting.h"

#define A UINT64_C(0x7fff80000000)

/* The parts that came out. */
struct parts {
	struct flush f[16];
	size_t n;
};

static bool take_part(void *arg, struct flush *part)
{
	struct parts *parts = arg;

	assert_in_range(parts->n, 0, 15);
	parts->f[parts->n++] = *part;
	return true;
}

static struct flush in_call(enum flush_cause cause, enum flush_shape shape)
{
	return (struct flush){ .context = CONTEXT_CALL,
			       .cause = cause,
			       .shape = shape,
			       .local = true,
			       .call_start = A,
			       .call_len = 3 * PMD_BYTES };
}

static void feed(struct waiting *w, const struct flush *f)
{
	struct waiting_flush item = { .f = *f };

	if (waiting_note(w, &item))
		assert_true(waiting_add(w, &item));
	else
		free(item.f.times);
}

static void feed_huge(struct waiting *w, enum flush_cause cause, uint64_t first, uint64_t n)
{
	struct flush f = in_call(cause, SHAPE_VA);

	f.shift = PMD_SHIFT;
	f.addr = A + first * PMD_BYTES;
	f.pages = n;
	f.record = 100 * w->n;
	f.times = calloc(n, sizeof(*f.times)); /* exactly as long as the run: w frees it */
	assert_non_null(f.times);
	for (uint64_t i = 0; i < n; i++)
		f.times[i] = 1000 * (w->n + 1) + i;
	f.start_ns = f.times[0];
	feed(w, &f);
}

static void check(const struct parts *p, size_t i, uint64_t first, uint64_t n,
		  enum flush_parts parts)
{
	assert_true(i < p->n);
	assert_int_equal(p->f[i].addr, A + first * PMD_BYTES);
	assert_int_equal(p->f[i].pages, n);
	assert_int_equal(p->f[i].parts, parts);
}

static struct parts release(struct waiting *w)
{
	struct parts parts = { .n = 0 };

	assert_true(waiting_release(w, take_part, &parts));
	waiting_free(w);
	return parts;
}

static struct waiting *fresh(void)
{
	struct waiting *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	return w;
}

/* munmap of three transparent huge pages: each by itself, then the gather. */
static void gather_repeats_the_single_pages(void **state)
{
	struct waiting *w = fresh();
	struct parts p;

	feed_huge(w, CAUSE_MUNMAP, 0, 3);
	feed_huge(w, CAUSE_MUNMAP, 0, 3);
	p = release(w);
	assert_int_equal(p.n, 2);
	check(&p, 0, 0, 3, PARTS_SINGLES);
	check(&p, 1, 0, 3, PARTS_ONE);
}

/* The gather of one batch and the single pages of the next one touch: 0 1 | 0 1 2 3 | 2 3. */
static void batches_that_touch_are_cut(void **state)
{
	struct waiting *w = fresh();
	struct parts p;

	feed_huge(w, CAUSE_MADVISE, 0, 2);
	feed_huge(w, CAUSE_MADVISE, 0, 4);
	feed_huge(w, CAUSE_MADVISE, 2, 2);
	p = release(w);
	assert_int_equal(p.n, 4);
	check(&p, 0, 0, 2, PARTS_SINGLES);
	check(&p, 1, 0, 2, PARTS_ONE);
	check(&p, 2, 2, 2, PARTS_SINGLES);
	assert_int_equal(p.f[2].record, p.f[1].record + 2);
	assert_int_equal(p.f[1].start_ns, 2000);
	assert_int_equal(p.f[2].start_ns, 2002);
	check(&p, 3, 2, 2, PARTS_ONE);
}

/* A gather covers what lies between the pages that it cleared. */
static void gather_covers_holes(void **state)
{
	struct waiting *w = fresh();
	struct parts p;

	feed_huge(w, CAUSE_MUNMAP, 0, 1);
	feed_huge(w, CAUSE_MUNMAP, 2, 1);
	feed_huge(w, CAUSE_MUNMAP, 0, 3);
	p = release(w);
	assert_int_equal(p.n, 1);
	check(&p, 0, 0, 3, PARTS_ONE);
}

/* hugetlb: the whole call once, and nothing more; a promoted gather behind it tells of THP. */
static void whole_call_at_once(void **state)
{
	struct flush pid = in_call(CAUSE_MUNMAP, SHAPE_PID);
	struct waiting *w = fresh();
	struct parts p;

	feed_huge(w, CAUSE_MUNMAP, 0, 3);
	p = release(w);
	check(&p, 0, 0, 3, PARTS_LIKELY_ONE);
	w = fresh();
	feed_huge(w, CAUSE_MUNMAP, 0, 3);
	feed(w, &pid);
	p = release(w);
	check(&p, 0, 0, 3, PARTS_LIKELY_SINGLES);
	w = fresh();
	feed_huge(w, CAUSE_MUNMAP, 0, 2);
	p = release(w);
	check(&p, 0, 0, 2, PARTS_LIKELY_SINGLES);
}

/* mprotect: hugetlb is followed by a flush of everything from v6.1 on. */
static void mprotect_of_hugetlb(void **state)
{
	struct flush all = in_call(CAUSE_MPROTECT, SHAPE_ALL);
	struct waiting *w = fresh();
	struct parts p;

	feed_huge(w, CAUSE_MPROTECT, 0, 3);
	p = release(w);
	check(&p, 0, 0, 3, PARTS_LIKELY_SINGLES);
	w = fresh();
	feed_huge(w, CAUSE_MPROTECT, 0, 3);
	feed(w, &all);
	p = release(w);
	check(&p, 0, 0, 3, PARTS_LIKELY_ONE);
}

/* Two threads change transparent huge pages at once: the gather becomes one of the whole mm. */
static void nested_gathers_over_thp(void **state)
{
	struct flush all = in_call(CAUSE_MPROTECT, SHAPE_ALL);
	struct mm mm = { .index = 0 };
	struct waiting *w = fresh();
	struct parts p;

	feed_huge(w, CAUSE_MPROTECT, 0, 3);
	feed_huge(w, CAUSE_MPROTECT, 0, 3);
	w->item[0].f.mm = w->item[1].f.mm = &mm;
	p = release(w);
	check(&p, 0, 0, 3, PARTS_SINGLES);
	w = fresh();
	feed_huge(w, CAUSE_MPROTECT, 0, 3);
	w->item[0].f.mm = &mm;
	feed(w, &all);
	p = release(w);
	check(&p, 0, 0, 3, PARTS_LIKELY_SINGLES);
	w = fresh();
	all = in_call(CAUSE_MADVISE, SHAPE_ALL);
	feed_huge(w, CAUSE_MADVISE, 0, 3);
	feed(w, &all);
	p = release(w);
	check(&p, 0, 0, 3, PARTS_LIKELY_SINGLES);
}

/* What the call has flushed from its first page to its last: so far, and at its end. */
static void the_span_of_a_call(void **state)
{
	struct flush batch = in_call(CAUSE_SHMDT, SHAPE_VA);
	struct waiting *w = fresh();
	struct waiting_flush item;

	batch.shift = 16;
	batch.pages = 32;
	batch.ended_by = RUN_END_FIXUP;
	batch.fix_stq = 1;
	batch.local = false;
	batch.addr = A + PMD_BYTES;
	item.f = batch;
	assert_false(waiting_note(w, &item)); /* a fixup ends it: it need not wait */
	assert_int_equal(item.f.call_span, 32);
	assert_false(item.f.call_done);
	batch.addr = A + 4 * PMD_BYTES;
	item.f = batch;
	assert_false(waiting_note(w, &item));
	assert_int_equal(item.f.call_span, 128);
	batch.addr = A;
	item.f = batch;
	assert_false(waiting_note(w, &item));
	assert_int_equal(item.f.call_span, 160);
	waiting_reset(w);
	item.f = batch;
	assert_false(waiting_note(w, &item));
	assert_int_equal(item.f.call_span, 32);
	waiting_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gather_repeats_the_single_pages),
		cmocka_unit_test(batches_that_touch_are_cut),
		cmocka_unit_test(gather_covers_holes),
		cmocka_unit_test(whole_call_at_once),
		cmocka_unit_test(mprotect_of_hugetlb),
		cmocka_unit_test(nested_gathers_over_thp),
		cmocka_unit_test(the_span_of_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
