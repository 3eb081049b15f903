/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_tlbie.c - the encoding vectors of policies 1.2 and the sixteen rules of 1.4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/tlbie.h"

#define RS_PID 0x1a300000000 /* hardware PID 0x1a3 */

/* A record and what it must be decoded to. */
struct vector {
	const char *name;
	struct tlbie_record rec;
	struct tlbie_op op;
};

static void check_vectors(const struct vector *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct tlbie_op op = tlbie_decode(&v[i].rec);

		if (op.kind != v[i].op.kind)
			fail_msg("%s: decoded as %s", v[i].name, tlbie_kind_names[op.kind]);
		assert_int_equal(op.hw_pid, v[i].op.hw_pid);
		assert_int_equal(op.addr, v[i].op.addr);
		assert_int_equal(op.shift, v[i].op.shift);
		assert_int_equal(op.set, v[i].op.set);
		assert_int_equal(op.local, v[i].op.local);
	}
}

#define RECORD(local_, rb_, rs_, ric_, prs_, r_)                                                   \
	{                                                                                          \
		.rb = (rb_), .rs = (rs_), .local = (local_), .ric = (ric_), .prs = (prs_),         \
		.r = (r_)                                                                          \
	}

/* policies 1.2, row by row */
static void encoding_vectors(void **state)
{
	static const struct vector v[] = {
		{ "tlbie VA 64K",
		  RECORD(0, 0x7fff800100a0, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_VA, .hw_pid = 0x1a3, .addr = 0x7fff80010000, .shift = 16 } },
		{ "tlbie VA 4K",
		  RECORD(0, 0x7fff80010000, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_VA, .hw_pid = 0x1a3, .addr = 0x7fff80010000, .shift = 12 } },
		{ "tlbie VA 2M",
		  RECORD(0, 0x7fff80000020, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_VA, .hw_pid = 0x1a3, .addr = 0x7fff80000000, .shift = 21 } },
		{ "tlbie VA 1G",
		  RECORD(0, 0x7fff80000040, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_VA, .hw_pid = 0x1a3, .addr = 0x7fff80000000, .shift = 30 } },
		{ "tlbie PID, all",
		  RECORD(0, 0x400, RS_PID, 2, 1, 1),
		  { .kind = TLBIE_ALL, .hw_pid = 0x1a3 } },
		{ "tlbie PWC",
		  RECORD(0, 0x400, RS_PID, 1, 1, 1),
		  { .kind = TLBIE_PWC, .hw_pid = 0x1a3 } },
		{ "tlbiel PID set 5",
		  RECORD(1, 0x5400, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_PID, .hw_pid = 0x1a3, .set = 5, .local = true } },
		{ "tlbiel PID set 127",
		  RECORD(1, 0x7f400, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_PID, .hw_pid = 0x1a3, .set = 127, .local = true } },
		{ "kernel range", RECORD(0, 0x400, 0, 2, 1, 1), { .kind = TLBIE_KERNEL } },
		{ "ERAT fixup", RECORD(0, 0x400, 0, 0, 1, 1), { .kind = TLBIE_FIXUP_ERAT } },
		{ "STQ sentinel",
		  RECORD(0, 0xffffffffff0a0, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_FIXUP_SENTINEL,
		    .hw_pid = 0x1a3,
		    .addr = 0xffffffffff000,
		    .shift = 16 } },
	};

	check_vectors(v, sizeof(v) / sizeof(*v));
}

static void rules_1_and_2_hash(void **state)
{
	static const struct vector v[] = {
		{ "partition", RECORD(0, 0x800, 7, 2, 0, 0), { .kind = TLBIE_HASH_PARTITION } },
		/* the same rb, but not ric 2: an ordinary page whose low bits look like that */
		{ "page, rb 0x800", RECORD(0, 0x800, 0, 0, 0, 0), { .kind = TLBIE_HASH } },
		{ "page",
		  RECORD(0, 0x3d5ba1e7000, 0, 0, 0, 0),
		  { .kind = TLBIE_HASH, .addr = 0x3d5ba1e7000, .shift = 12 } },
		{ "tlbiel page",
		  RECORD(1, 0x3d5ba1e7000, 0, 0, 0, 0),
		  { .kind = TLBIE_HASH, .addr = 0x3d5ba1e7000, .shift = 12, .local = true } },
	};

	check_vectors(v, sizeof(v) / sizeof(*v));
}

static void rules_3_to_5_partitions(void **state)
{
	static const struct vector v[] = {
		{ "LPID", RECORD(0, 0x800, 7, 2, 0, 1), { .kind = TLBIE_LPID } },
		{ "LPID PWC", RECORD(0, 0x800, 7, 1, 0, 1), { .kind = TLBIE_LPID } },
		{ "LPID set 3",
		  RECORD(1, 0x3800, 0, 0, 0, 1),
		  { .kind = TLBIE_LPID, .set = 3, .local = true } },
		{ "guest-physical page",
		  RECORD(0, 0x400100a0, 7, 0, 0, 1),
		  { .kind = TLBIE_LPID_VA, .addr = 0x40010000, .shift = 16 } },
		{ "guest of an LPID", RECORD(0, 0x800, 7, 2, 1, 1), { .kind = TLBIE_LPID_GUEST } },
		/* rule 5 stands before rule 6: rs is an LPID here, not a guest's PID */
		{ "guest of an LPID, ric 0",
		  RECORD(0, 0x800, 7, 0, 1, 1),
		  { .kind = TLBIE_LPID_GUEST } },
	};

	check_vectors(v, sizeof(v) / sizeof(*v));
}

/* A guest's PID must never be taken for one of the host's. */
static void rule_6_guest_requests(void **state)
{
	static const struct vector v[] = {
		{ "PID",
		  RECORD(0, 0x400, RS_PID | 7, 2, 1, 1),
		  { .kind = TLBIE_GUEST, .hw_pid = 0x1a3 } },
		{ "page",
		  RECORD(0, 0x7fff800100a0, RS_PID | 7, 0, 1, 1),
		  { .kind = TLBIE_GUEST, .hw_pid = 0x1a3, .addr = 0x7fff80010000, .shift = 16 } },
		{ "its fixup", RECORD(0, 0x400, 7, 0, 1, 1), { .kind = TLBIE_GUEST } },
	};

	check_vectors(v, sizeof(v) / sizeof(*v));
}

static void rules_8_to_10_fixups(void **state)
{
	static const struct vector v[] = {
		{ "after a page",
		  RECORD(0, 0x7fff800100a0, 0, 0, 1, 1),
		  { .kind = TLBIE_FIXUP_ERAT, .addr = 0x7fff80010000, .shift = 16 } },
		{ "after a 4K page",
		  RECORD(0, 0x7fff80010000, 0, 0, 1, 1),
		  { .kind = TLBIE_FIXUP_ERAT, .addr = 0x7fff80010000, .shift = 12 } },
		{ "old form",
		  RECORD(0, 0xffffffffff0a0, 0, 0, 1, 1),
		  { .kind = TLBIE_FIXUP_OLD, .addr = 0xffffffffff000, .shift = 16 } },
	};

	check_vectors(v, sizeof(v) / sizeof(*v));
}

/* tlbiel never has a fixup: sets 1 … of a local flush of PID 0 only look like one. */
static void fixups_are_broadcast_only(void **state)
{
	struct tlbie_record rec = RECORD(1, 0x1400, 0, 0, 1, 1);

	assert_int_equal(tlbie_decode(&rec).kind, TLBIE_PID);
	assert_int_equal(tlbie_decode(&rec).set, 1);
	rec = (struct tlbie_record)RECORD(1, 0x7fff800100a0, 0, 0, 1, 1);
	assert_int_equal(tlbie_decode(&rec).kind, TLBIE_VA);
}

static void rules_12_to_16_process(void **state)
{
	static const struct vector v[] = {
		{ "local VA",
		  RECORD(1, 0x7fff800100a0, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_VA,
		    .hw_pid = 0x1a3,
		    .addr = 0x7fff80010000,
		    .shift = 16,
		    .local = true } },
		{ "local PWC",
		  RECORD(1, 0x400, RS_PID, 1, 1, 1),
		  { .kind = TLBIE_PWC, .hw_pid = 0x1a3, .local = true } },
		{ "PID, TLB only",
		  RECORD(0, 0x400, RS_PID, 0, 1, 1),
		  { .kind = TLBIE_PID, .hw_pid = 0x1a3 } },
		{ "local ALL, set 0",
		  RECORD(1, 0x400, RS_PID, 2, 1, 1),
		  { .kind = TLBIE_ALL, .hw_pid = 0x1a3, .local = true } },
		{ "IS 3",
		  RECORD(0, 0xc00, RS_PID, 2, 1, 1),
		  { .kind = TLBIE_EVERYTHING, .hw_pid = 0x1a3 } },
		{ "IS 3, partition scope",
		  RECORD(0, 0xc00, 0, 2, 0, 1),
		  { .kind = TLBIE_EVERYTHING } },
	};

	check_vectors(v, sizeof(v) / sizeof(*v));
}

/* 20 bits of hardware PID, and all 32 of the register. */
static void hw_pid_is_the_upper_word(void **state)
{
	struct tlbie_record rec = RECORD(0, 0x400, 0xfffff00000000, 2, 1, 1);

	assert_int_equal(tlbie_decode(&rec).hw_pid, 0xfffff);
	rec.rs = 0xffffffff00000000;
	assert_int_equal(tlbie_decode(&rec).hw_pid, 0xffffffff);
}

/* "Decoder: unknown AP -> report, do not guess." */
static void unknown_operands_stay_unknown(void **state)
{
	static const unsigned reserved[] = { 3, 4, 6, 7 };
	struct tlbie_record rec = RECORD(0, 0x7fff80010000, RS_PID, 0, 1, 1);

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++) {
		rec.rb = 0x7fff80010000 | reserved[i] << 5;
		rec.prs = 1;
		assert_int_equal(tlbie_decode(&rec).kind, TLBIE_UNKNOWN);
		assert_int_equal(tlbie_decode(&rec).shift, 0);
		rec.prs = 0;
		assert_int_equal(tlbie_decode(&rec).kind, TLBIE_UNKNOWN);
		assert_int_equal(tlbie_ap_shift(reserved[i]), 0);
	}
	rec = (struct tlbie_record)RECORD(0, 0x400, RS_PID, 3, 1, 1);
	assert_int_equal(tlbie_decode(&rec).kind, TLBIE_UNKNOWN);
	rec = (struct tlbie_record)RECORD(0, 0x400, RS_PID, 0, 0, 1);
	assert_int_equal(tlbie_decode(&rec).kind, TLBIE_UNKNOWN);
}

static void every_kind_has_a_name_of_its_own(void **state)
{
	for (size_t i = 0; i < TLBIE_KINDS; i++) {
		assert_non_null(tlbie_kind_names[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(tlbie_kind_names[i], tlbie_kind_names[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoding_vectors),
		cmocka_unit_test(rules_1_and_2_hash),
		cmocka_unit_test(rules_3_to_5_partitions),
		cmocka_unit_test(rule_6_guest_requests),
		cmocka_unit_test(rules_8_to_10_fixups),
		cmocka_unit_test(fixups_are_broadcast_only),
		cmocka_unit_test(rules_12_to_16_process),
		cmocka_unit_test(hw_pid_is_the_upper_word),
		cmocka_unit_test(unknown_operands_stay_unknown),
		cmocka_unit_test(every_kind_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
