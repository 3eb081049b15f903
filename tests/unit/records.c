/* SPDX-License-Identifier: GPL-2.0-or-later */
/* records.c - operands of traced instructions. */
#include "records.h"

#include <stdbool.h>

static struct tlbie_record process_scoped(uint64_t rb, uint32_t hw_pid, unsigned ric, bool local)
{
	return (struct tlbie_record){
		.rb = rb,
		.rs = (uint64_t)hw_pid << 32,
		.local = local,
		.ric = (uint8_t)ric,
		.prs = 1,
		.r = 1,
	};
}

struct tlbie_record op_va(uint32_t hw_pid, uint64_t addr, unsigned ap)
{
	return process_scoped(addr | ap << 5, hw_pid, 0, false);
}

struct tlbie_record op_pid(uint32_t hw_pid, unsigned ric)
{
	return process_scoped(0x400, hw_pid, ric, false);
}

struct tlbie_record op_set(uint32_t hw_pid, unsigned set, unsigned ric)
{
	return process_scoped(0x400 | (uint64_t)set << 12, hw_pid, ric, true);
}

struct tlbie_record op_local(struct tlbie_record op)
{
	op.local = 1;
	return op;
}

struct tlbie_record op_fix_erat(void)
{
	return op_pid(0, 0);
}

struct tlbie_record op_sentinel(uint32_t hw_pid)
{
	return process_scoped(0xffffffffff0a0, hw_pid, 0, false);
}
