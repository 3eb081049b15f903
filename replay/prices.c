/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prices.c - the memory of what kinds of flush cost. */
#include "replay/prices.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/split.h"

/* All that predict_class() looks at. Zeroed before use: padding takes part in hashing. */
struct price_key {
	struct class_key key;
	struct split split;
};

struct priced {
	struct price_key key;
	struct counts one;
	UT_hash_handle hh;
};

static struct price_key key_of(const struct prices *p, const struct class *c,
			       const struct call_evidence *calls)
{
	struct price_key key;

	memset(&key, 0, sizeof(key));
	memcpy(&key.key, &c->key, sizeof(key.key));
	key.key.mm = 0;
	if (c->key.shape == SHAPE_VA)
		key.split = split_of(&c->key, &p->recorded->used, calls);
	return key;
}

static const struct counts *remember(struct prices *p, const struct price_key *key)
{
	struct priced *node = calloc(1, sizeof(*node));

	if (!node)
		return &p->last;
	memcpy(&node->key, key, sizeof(*key));
	node->one = p->last;
	HASH_ADD(hh, p->known, key, sizeof(node->key), node);
	return &node->one;
}

const struct counts *prices_of(struct prices *p, const struct class *c,
			       const struct call_evidence *calls, uint64_t *times)
{
	struct price_key key;
	struct priced *node;

	if (stateful_differs(p->alt, &p->recorded->used)) {
		p->last = stateful_class(c, p->alt, p->recorded, calls);
		*times = 1;
		return &p->last;
	}
	*times = c->count;
	key = key_of(p, c, calls);
	HASH_FIND(hh, p->known, &key, sizeof(key), node);
	if (node)
		return &node->one;
	p->last = predict_class(c, p->alt, p->recorded, calls);
	return remember(p, &key);
}

void prices_free(struct prices *p)
{
	struct priced *node = p->known;

	HASH_CLEAR(hh, p->known);
	while (node) {
		struct priced *next = node->hh.next;

		free(node);
		node = next;
	}
}
