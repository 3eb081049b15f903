/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tlbie.c - decoding of tlbie operands. */
#include "analyze/tlbie.h"

const char *const tlbie_kind_names[TLBIE_KINDS] = {
	[TLBIE_VA] = "page",
	[TLBIE_PID] = "PID flush",
	[TLBIE_PWC] = "page walk cache flush",
	[TLBIE_ALL] = "PID flush with page walk cache",
	[TLBIE_KERNEL] = "kernel flush",
	[TLBIE_FIXUP_ERAT] = "ERAT fixup",
	[TLBIE_FIXUP_SENTINEL] = "STQ fixup",
	[TLBIE_FIXUP_OLD] = "fixup of v4.16 to v5.2",
	[TLBIE_LPID] = "LPID flush",
	[TLBIE_LPID_VA] = "guest-physical page",
	[TLBIE_LPID_GUEST] = "guest flush of an LPID",
	[TLBIE_GUEST] = "guest request carried out by the host",
	[TLBIE_HASH] = "hash MMU page",
	[TLBIE_HASH_PARTITION] = "hash MMU partition flush",
	[TLBIE_EVERYTHING] = "flush of everything",
	[TLBIE_UNKNOWN] = "unknown operand",
	[TLBIE_HCALL] = "hypervisor call",
};

enum {
	IS_VA,
	IS_PID,
	IS_LPID,
	IS_EVERYTHING
};

static unsigned op_is(const struct tlbie_record *rec)
{
	return (unsigned)(rec->rb >> 10) & 3;
}

unsigned tlbie_ap_shift(unsigned ap)
{
	static const unsigned char shifts[8] = { [0] = 12, [1] = 21, [2] = 30, [5] = 16 };

	return shifts[ap & 7];
}

static enum tlbie_kind hash_kind(const struct tlbie_record *rec)
{
	return rec->ric == 2 && rec->rb == 0x800 ? TLBIE_HASH_PARTITION : TLBIE_HASH;
}

static enum tlbie_kind partition_kind(const struct tlbie_record *rec)
{
	switch (op_is(rec)) {
	case IS_VA:
		return tlbie_ap_shift((unsigned)(rec->rb >> 5)) ? TLBIE_LPID_VA : TLBIE_UNKNOWN;
	case IS_LPID:
		return TLBIE_LPID;
	case IS_EVERYTHING:
		return TLBIE_EVERYTHING;
	default:
		return TLBIE_UNKNOWN;
	}
}

static enum tlbie_kind va_kind(const struct tlbie_record *rec, uint32_t hw_pid)
{
	if (rec->rb == TLBIE_SENTINEL_RB && !rec->local)
		return hw_pid ? TLBIE_FIXUP_SENTINEL : TLBIE_FIXUP_OLD;
	if (hw_pid == 0 && !rec->local)
		return TLBIE_FIXUP_ERAT;
	return tlbie_ap_shift((unsigned)(rec->rb >> 5)) ? TLBIE_VA : TLBIE_UNKNOWN;
}

static enum tlbie_kind pid_kind(const struct tlbie_record *rec, uint32_t hw_pid)
{
	if (hw_pid == 0 && !rec->local && rec->ric == 2)
		return TLBIE_KERNEL;
	if (hw_pid == 0 && !rec->local && rec->ric == 0)
		return TLBIE_FIXUP_ERAT;
	switch (rec->ric) {
	case 0:
		return TLBIE_PID;
	case 1:
		return TLBIE_PWC;
	case 2:
		return TLBIE_ALL;
	default:
		return TLBIE_UNKNOWN;
	}
}

static enum tlbie_kind process_kind(const struct tlbie_record *rec, uint32_t hw_pid)
{
	unsigned is = op_is(rec);

	if (is == IS_LPID)
		return TLBIE_LPID_GUEST;
	if ((uint32_t)rec->rs != 0)
		return TLBIE_GUEST;
	if (is == IS_VA)
		return va_kind(rec, hw_pid);
	return is == IS_PID ? pid_kind(rec, hw_pid) : TLBIE_EVERYTHING;
}

struct tlbie_op tlbie_decode(const struct tlbie_record *rec)
{
	struct tlbie_op op = { .hw_pid = (uint32_t)(rec->rs >> 32), .local = rec->local != 0 };

	if (rec->r == 0)
		op.kind = hash_kind(rec);
	else if (rec->prs == 0)
		op.kind = partition_kind(rec);
	else
		op.kind = process_kind(rec, op.hw_pid);
	if (op_is(rec) == IS_VA) {
		op.addr = rec->rb & ~UINT64_C(0xfff);
		op.shift = tlbie_ap_shift((unsigned)(rec->rb >> 5));
	} else {
		op.set = (uint32_t)(rec->rb >> 12) & 0xfff;
	}
	return op;
}
