/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_summary.c - the file of a summary: its layout, every truncation and every flipped bit of it, parts
 * and versions to come; and what adding must not mix.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "analyze/infer.h"
#include "replay/summary_fields.h"

#define HEADER 32u

static struct summary summary_of(const char *name)
{
	struct error err = { .class = ERROR_NONE };
	struct watch *watch = watch_new(true);
	struct observer observer = watch_observer(watch);
	struct trace_options opt = { .observer = &observer };
	struct summary s;
	struct model model;
	struct trace t;
	char path[512];

	assert_non_null(getenv("DATA"));
	(void)snprintf(path, sizeof(path), "%s/%s", getenv("DATA"), name);
	if (trace_read(&t, path, &opt, &err))
		fail_msg("%s", err.text);
	assert_int_equal(infer_model(&model, &t, NULL, &err), 0);
	assert_int_equal(summary_take(&s, &t, watch, &model, "", &err), 0);
	trace_close(&t);
	watch_free(watch);
	return s;
}

/* A file's bytes; data is to be freed. */
struct file {
	uint8_t *data;
	size_t size;
};

static struct file file_of(const struct summary *s)
{
	struct error err = { .class = ERROR_NONE };
	struct file f;

	f.data = summary_pack(s, &f.size, &err);
	assert_non_null(f.data);
	return f;
}

static struct file file_of_trace(const char *name)
{
	struct summary s = summary_of(name);
	struct file f = file_of(&s);

	summary_free(&s);
	return f;
}

/* What the file has packed. */
static struct file contents_of(const struct file *f)
{
	struct file c = { .size = load_u64(f->data + 24, false) };

	c.data = malloc(c.size);
	assert_non_null(c.data);
	assert_int_equal(ZSTD_decompress(c.data, c.size, f->data + HEADER, f->size - HEADER),
			 c.size);
	return c;
}

static void refused(const uint8_t *data, size_t size, const char *why)
{
	struct error err = { .class = ERROR_NONE };
	/* A copy of just this size: reading beyond it shows. */
	uint8_t *copy = malloc(size + !size);
	struct summary s;

	assert_non_null(copy);
	memcpy(copy, data, size);
	if (summary_unpack(&s, copy, size, "x", &err) == 0)
		fail_msg("taken: %s", why);
	assert_int_equal(err.class, ERROR_INPUT);
	if (!strstr(err.text, "at offset") || (why && !strstr(err.text, why)))
		fail_msg("'%s' does not say '%s'", err.text, why ? why : "at offset");
	free(copy);
}

static void test_round_trip(void **state)
{
	struct error err = { .class = ERROR_NONE };
	struct file f = file_of_trace("truth_p9_local_thp.dat");
	struct summary s;
	struct file again;

	assert_memory_equal(f.data, "\x89TLBSUM\n\x02\0\0\0", 12);
	assert_true(f.size < 4096);
	assert_int_equal(summary_unpack(&s, f.data, f.size, "x", &err), 0);
	assert_int_equal(s.n_ids, 1);
	assert_int_equal(s.n_groups, 1);
	assert_string_equal(s.groups[0].info.kernel, "6.1.0-50-powerpc64le");
	again = file_of(&s);
	assert_int_equal(again.size, f.size);
	assert_memory_equal(again.data, f.data, f.size);
	summary_free(&s);
	free(again.data);
	free(f.data);
}

static void test_truncated(void **state)
{
	struct file f = file_of_trace("slim_shm_c31.dat");

	for (size_t size = 0; size < f.size; size++)
		refused(f.data, size, size < 8 ? "not a summary" : "cut off");
	free(f.data);
}

static void test_every_bit(void **state)
{
	struct file f = file_of_trace("slim_shm_c31.dat");

	for (size_t bit = 0; bit < 8 * f.size; bit++) {
		const char *why = bit < 64 ? "not a summary" : bit < 96 ? "of version" : NULL;

		f.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		refused(f.data, f.size, why);
		f.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(f.data);
}

static void test_version_to_come(void **state)
{
	struct file f = file_of_trace("slim_shm_c31.dat");

	f.data[8] = 3;
	refused(f.data, f.size, "a summary of version 3, and this tlbtrace reads version 2");
	free(f.data);
}

/* The checksum cannot tell a writer's mistake: what it protects is checked as well. */
static void test_every_byte_of_contents(void **state)
{
	struct file f = file_of_trace("slim_shm_c31.dat");
	struct file c = contents_of(&f);
	size_t wrong = 0;

	for (size_t at = 0; at < c.size; at++) {
		uint8_t was = c.data[at];

		for (unsigned value = 0; value < 256; value += 15) {
			struct error err = { .class = ERROR_NONE };
			struct summary s;

			c.data[at] = (uint8_t)value;
			if (summary_decode(&s, c.data, c.size, "x", &err)) {
				assert_non_null(strstr(err.text, "at offset 0x"));
				wrong++;
			} else {
				summary_free(&s);
			}
		}
		c.data[at] = was;
	}
	assert_true(wrong > c.size); /* of 18 for each byte */
	for (size_t size = 0; size < c.size; size++) {
		struct error err = { .class = ERROR_NONE };
		struct summary s;

		assert_int_equal(summary_decode(&s, c.data, size, "x", &err), -1);
	}
	free(c.data);
	free(f.data);
}

/* Contents with a part between the ids and the first group. */
static struct file with_part(const struct file *c, const char *tag)
{
	/* The ids: tag, size, number, 16 bytes; the number of groups follows. */
	size_t at = 12 + load_u64(c->data + 4, false) + 1;
	struct file f = { .size = c->size + 12 + 5 };

	f.data = calloc(1, f.size);
	assert_non_null(f.data);
	memcpy(f.data, c->data, at);
	memcpy(f.data + at, tag, 4);
	f.data[at + 4] = 5;
	memcpy(f.data + at + 17, c->data + at, c->size - at);
	return f;
}

static void test_parts_to_come(void **state)
{
	struct error err = { .class = ERROR_NONE };
	struct file f = file_of_trace("slim_shm_c31.dat");
	struct file c = contents_of(&f);
	struct file optional = with_part(&c, "note");
	struct file needed = with_part(&c, "NOTE");
	struct summary s;

	assert_int_equal(summary_decode(&s, c.data, c.size, "x", &err), 0);
	assert_int_equal(s.unknown, 0);
	summary_free(&s);
	assert_int_equal(summary_decode(&s, optional.data, optional.size, "x", &err), 0);
	assert_int_equal(s.unknown, 1);
	assert_int_equal(s.n_groups, 1);
	summary_free(&s);
	assert_int_equal(summary_decode(&s, needed.data, needed.size, "x", &err), -1);
	assert_non_null(strstr(err.text, "newer version"));
	free(needed.data);
	free(optional.data);
	free(c.data);
	free(f.data);
}

/* A size that no allocation should follow. */
static void test_sizes(void **state)
{
	struct error err = { .class = ERROR_NONE };
	struct file f = file_of_trace("slim_shm_c31.dat");
	struct file c = contents_of(&f);
	uint8_t ids[] = { 'I', 'D',  'S',  '_',	 10,   0,    0,	   0,	 0,    0,    0,
			  0,   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0 };
	struct summary s;

	assert_int_equal(summary_decode(&s, ids, sizeof(ids), "x", &err), -1);
	assert_non_null(strstr(err.text, "number of traces"));
	memset(f.data + 24, 0xff, 8);
	refused(f.data, f.size, NULL);
	free(c.data);
	free(f.data);
}

static void add(struct summary *to, const char *name)
{
	struct error err = { .class = ERROR_NONE };
	struct summary one = summary_of(name);

	if (summary_add(to, &one, false, name, &err))
		fail_msg("%s", err.text);
	summary_free(&one);
}

static void test_groups(void **state)
{
	struct summary s = { .n_groups = 0 };

	add(&s, "p9_shm_c34.dat");
	assert_int_equal(s.n_groups, 1);
	add(&s, "p10_shm_c34.dat"); /* no fixups */
	assert_int_equal(s.n_groups, 2);
	add(&s, "truth_612_ranges_c33.dat"); /* another release */
	assert_int_equal(s.n_groups, 3);
	add(&s, "slim_4k_ranges_c33.dat"); /* another page size */
	assert_int_equal(s.n_groups, 4);
	assert_int_equal(s.n_ids, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(s.groups[i].kept.inputs, 1);
	summary_free(&s);
}

static void test_same_trace(void **state)
{
	struct error err = { .class = ERROR_NONE };
	struct summary s = { .n_groups = 0 };
	struct summary again = summary_of("p9_shm_c34.dat");
	struct summary x86 = summary_of("x86_det8_single.dat");

	add(&s, "p9_shm_c34.dat");
	assert_int_equal(summary_add(&s, &again, false, "again", &err), -1);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_int_equal(summary_add(&s, &x86, false, "x86", &err), -1);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_int_equal(summary_add(&s, &again, true, "again", &err), 0);
	assert_int_equal(s.n_ids, 2);
	assert_int_equal(s.n_groups, 1);
	assert_int_equal(s.groups[0].kept.inputs, 2);
	assert_int_equal(s.groups[0].first_ns, 0);
	for (size_t i = 0; i < s.groups[0].n_mms; i++)
		assert_int_equal(s.groups[0].mms[i].tgid, -1);
	summary_free(&s);
	summary_free(&again);
	summary_free(&x86);
}

/* So many address spaces of one page each, the largest first. */
static struct summary many_mms(size_t n)
{
	struct summary s = { .groups = calloc(1, sizeof(*s.groups)), .n_groups = 1 };
	struct summary_group *g = s.groups;

	assert_non_null(g);
	g->kept.inputs = 1;
	g->n_mms = g->n_classes = n;
	g->mms = calloc(n, sizeof(*g->mms));
	g->classes = calloc(n, sizeof(*g->classes));
	assert_true(g->mms && g->classes);
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(g->mms[i].name, COMM_LEN, "p%u", (unsigned int)i);
		g->mms[i].tgid = (int32_t)i + 1;
		g->classes[i].key.mm = (uint32_t)i;
		g->classes[i].key.pages = 1;
		g->classes[i].count = n - i;
	}
	return s;
}

/* Beyond SUMMARY_MMS the small ones have no names any more; nothing of them is lost. */
static void test_small_mms(void **state)
{
	struct summary s = many_mms(9000);
	const struct summary_group *g = s.groups;
	uint64_t flushes = 0;
	uint64_t nameless = 0;
	bool largest = false;

	assert_true(summary_fold(s.groups));
	assert_true(g->kept.folded);
	assert_in_range(g->n_mms, SUMMARY_MMS / 2, SUMMARY_MMS);
	for (size_t i = 0; i < g->n_classes; i++)
		flushes += g->classes[i].count;
	for (size_t i = 0; i < g->n_mms; i++) {
		nameless += *g->mms[i].name ? 0 : g->mms[i].members;
		largest |= strcmp(g->mms[i].name, "p0") == 0 && g->mms[i].tgid == 1;
	}
	assert_int_equal(flushes, UINT64_C(9000) * 9001 / 2);
	assert_int_equal(nameless + g->n_mms - 1, 9000);
	assert_true(largest);
	summary_free(&s);
	s = many_mms(SUMMARY_MMS);
	assert_true(summary_fold(s.groups));
	assert_false(s.groups[0].kept.folded);
	assert_int_equal(s.groups[0].n_mms, SUMMARY_MMS);
	summary_free(&s);
}

/* A multicast sends its first IPI only where there is a target, and two readings are not one. */
static void test_classes_without_a_sum(void **state)
{
	struct summary s = many_mms(4);
	struct summary_group *g = s.groups;

	for (size_t i = 0; i < 4; i++) {
		memcpy(&g->mms[i], &g->mms[0], sizeof(g->mms[i]));
		g->classes[i].count = 2;
	}
	g->classes[1].targets_most[TRIM_V5_12] = 3;
	g->classes[2].targets_most[TRIM_V5_12] = 5;
	g->mms[3].calls[CAUSE_MUNMAP].promoted_once = 1;
	assert_true(summary_fold(g));
	assert_int_equal(g->n_mms, 2);
	assert_int_equal(g->n_classes, 3);
	assert_int_equal(g->classes[1].targets_most[TRIM_V5_12], 8);
	assert_int_equal(g->classes[1].count, 4);
	summary_free(&s);
}

/* A file that nobody could read again is not written. */
static void test_too_large(void **state)
{
	struct summary s = many_mms(1);
	struct error err = { .class = ERROR_NONE };
	size_t size;

	s.n_ids = (UINT64_C(64) << 20) / sizeof(*s.ids);
	s.ids = calloc(s.n_ids, sizeof(*s.ids));
	assert_non_null(s.ids);
	assert_null(summary_pack(&s, &size, &err));
	assert_int_equal(err.class, ERROR_INPUT);
	assert_non_null(strstr(err.text, "more than 67108864: merge fewer traces"));
	summary_free(&s);
}

/* A class of pages has at least one: what is cut into requests is never nothing. */
static void test_class_of_no_pages(void **state)
{
	struct summary s = summary_of("slim_shm_c31.dat");
	struct class *c = s.groups[0].classes;
	struct file f;

	while (c->key.shape != SHAPE_VA)
		c++;
	c->key.pages = 0;
	f = file_of(&s);
	refused(f.data, f.size, "number of pages of a class is damaged");
	free(f.data);
	summary_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_every_bit),
		cmocka_unit_test(test_version_to_come),
		cmocka_unit_test(test_every_byte_of_contents),
		cmocka_unit_test(test_parts_to_come),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_same_trace),
		cmocka_unit_test(test_small_mms),
		cmocka_unit_test(test_classes_without_a_sum),
		cmocka_unit_test(test_class_of_no_pages),
		cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
