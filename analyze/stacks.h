/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - the kernel stacks of a recording, each kept once under a number.
 */
#ifndef TLBTRACE_STACKS_H
#define TLBTRACE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#define STACK_DEPTH 24	      /* functions that are kept, from the innermost on */
#define STACKS_MAX (1u << 16) /* those beyond have the number 0, as if there were none */

/* Return addresses, the innermost first. */
struct stack {
	uint64_t ips[STACK_DEPTH];
	uint32_t n;
};

struct stacks;

/* NULL where memory is short. Of use to several threads at once. */
struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks); /* accepts NULL */

/*
 * The number of the stack with these addresses; 0 where there are none, or no more are kept. Numbers
 * are in no order that could be relied on.
 */
uint32_t stacks_number(struct stacks *stacks, const uint64_t *ips, uint32_t n);

/* NULL for 0; stays as it is. */
const struct stack *stacks_get(struct stacks *stacks, uint32_t number);

#endif
