/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.c - the kernel stacks of a recording, each kept once under a number. */
#include "analyze/stacks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct stack_node {
	struct stack stack;
	uint32_t number;
	UT_hash_handle hh;
};

struct stacks {
	struct stack_node *table;
	struct stack_node **list; /* by number, from 1 on */
	uint32_t n;
	uint32_t room;
	pthread_mutex_t lock;
};

struct stacks *stacks_new(void)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (stacks)
		pthread_mutex_init(&stacks->lock, NULL);
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	HASH_CLEAR(hh, stacks->table);
	for (uint32_t i = 0; i < stacks->n; i++)
		free(stacks->list[i]);
	free(stacks->list);
	pthread_mutex_destroy(&stacks->lock);
	free(stacks);
}

static int need_room(struct stacks *stacks)
{
	uint32_t room = stacks->room ? 2 * stacks->room : 64;
	struct stack_node **bigger;

	if (stacks->n < stacks->room)
		return 0;
	bigger = reallocarray(stacks->list, room, sizeof(struct stack_node *));
	if (!bigger)
		return -1;
	stacks->list = bigger;
	stacks->room = room;
	return 0;
}

static uint32_t add(struct stacks *stacks, const struct stack *stack)
{
	struct stack_node *node;

	if (stacks->n == STACKS_MAX || need_room(stacks))
		return 0;
	node = calloc(1, sizeof(*node));
	if (!node)
		return 0;
	node->stack = *stack;
	node->number = stacks->n + 1;
	HASH_ADD(hh, stacks->table, stack, sizeof(node->stack), node);
	if (!node->hh.tbl) {
		free(node);
		return 0;
	}
	stacks->list[stacks->n++] = node;
	return node->number;
}

uint32_t stacks_number(struct stacks *stacks, const uint64_t *ips, uint32_t n)
{
	struct stack_node *node;
	struct stack stack;
	uint32_t number;

	memset(&stack, 0, sizeof(stack)); /* hashed as bytes */
	for (uint32_t i = 0; i < n && stack.n < STACK_DEPTH; i++)
		if (ips[i]) /* powerpc's frames without a return address */
			stack.ips[stack.n++] = ips[i];
	if (!stack.n)
		return 0;
	pthread_mutex_lock(&stacks->lock);
	HASH_FIND(hh, stacks->table, &stack, sizeof(stack), node);
	number = node ? node->number : add(stacks, &stack);
	pthread_mutex_unlock(&stacks->lock);
	return number;
}

const struct stack *stacks_get(struct stacks *stacks, uint32_t number)
{
	const struct stack *stack = NULL;

	pthread_mutex_lock(&stacks->lock);
	if (number && number <= stacks->n)
		stack = &stacks->list[number - 1]->stack;
	pthread_mutex_unlock(&stacks->lock);
	return stack;
}
