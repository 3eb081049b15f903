/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kinds.c - classes that differ only in their mm become one. */
#include "replay/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* All that predict_class() looks at. Zeroed before use: padding takes part in hashing. */
struct kind_key {
	struct class_key key; /* mm 0 */
	struct split split;
};

struct kind_node {
	struct kind_key key;
	uint32_t index;
	UT_hash_handle hh;
};

static struct kind_key key_of(const struct class *c, const struct model *recorded,
			      const struct call_evidence *calls)
{
	struct kind_key key;

	memset(&key, 0, sizeof(key));
	memcpy(&key.key, &c->key, sizeof(key.key));
	key.key.mm = 0;
	if (c->key.shape == SHAPE_VA)
		key.split = split_of(&c->key, &recorded->used, calls);
	return key;
}

static bool make_room(struct kinds *k)
{
	size_t room = k->room ? 2 * k->room : 64;
	struct kind *more;

	if (k->n < k->room)
		return true;
	more = reallocarray(k->kind, room, sizeof(*more));
	if (!more)
		return false;
	k->kind = more;
	k->room = room;
	return true;
}

static struct kind_node *add_kind(struct kinds *k, const struct kind_key *key,
				  const struct class *c, const struct call_evidence *calls)
{
	struct kind_node *node = make_room(k) ? calloc(1, sizeof(*node)) : NULL;
	struct kind *kind;

	if (!node)
		return NULL;
	memcpy(&node->key, key, sizeof(*key));
	node->index = (uint32_t)k->n;
	kind = &k->kind[k->n++];
	kind->like = (struct class){ .count = 0 };
	memcpy(&kind->like.key, &c->key, sizeof(c->key));
	kind->split = key->split;
	kind->calls = calls;
	HASH_ADD(hh, k->nodes, key, sizeof(node->key), node);
	return node;
}

int kinds_add(struct kinds *k, const struct class *c, const struct model *recorded,
	      const struct call_evidence *calls, uint32_t *index)
{
	struct kind_key key = key_of(c, recorded, calls);
	struct kind_node *node;

	HASH_FIND(hh, k->nodes, &key, sizeof(key), node);
	if (!node)
		node = add_kind(k, &key, c, calls);
	if (!node)
		return -1;
	k->kind[node->index].like.count += c->count;
	*index = node->index;
	return 0;
}

static int find_all(struct kinds *k, const struct trace *t, const struct model *recorded,
		    predict_filter filter, void *arg)
{
	const struct class *c = NULL;

	while ((c = class_next_counted(t->classes, c))) {
		const struct call_evidence *calls = class_calls(t->classes, c->key.mm, c->key.cause);
		struct kind_share share = { 0, c->key.mm, c->count };

		if (filter && !filter(arg, c))
			continue;
		if (kinds_add(k, c, recorded, calls, &share.kind))
			return -1;
		k->shares[k->n_shares++] = share;
	}
	return 0;
}

int kinds_find(struct kinds *out, const struct trace *t, const struct model *recorded,
	       predict_filter filter, void *arg)
{
	*out = (struct kinds){ .n_mms = mm_count(trace_mms(t)) + 1 };
	out->shares = calloc(class_count(t->classes) + 1, sizeof(*out->shares));
	if (out->shares && find_all(out, t, recorded, filter, arg) == 0)
		return 0;
	kinds_free(out);
	return -1;
}

void kinds_free(struct kinds *k)
{
	struct kind_node *node = k->nodes;

	HASH_CLEAR(hh, k->nodes);
	while (node) {
		struct kind_node *next = node->hh.next;

		free(node);
		node = next;
	}
	free(k->kind);
	free(k->shares);
	*k = (struct kinds){ .n = 0 };
}

struct counts *kinds_prices(const struct kinds *k, const struct model *recorded,
			    const struct params *alt)
{
	struct counts *prices = calloc(k->n + 1, sizeof(*prices));

	for (size_t i = 0; prices && i < k->n; i++)
		prices[i] = predict_class(&k->kind[i].like, alt, recorded, k->kind[i].calls);
	return prices;
}

int kinds_sum(struct prediction *out, const struct kinds *k, const struct counts *prices)
{
	*out = (struct prediction){ .n_mms = k->n_mms };
	out->by_mm = calloc(out->n_mms, sizeof(*out->by_mm));
	if (!out->by_mm)
		return -1;
	for (size_t i = 0; i < k->n; i++)
		counts_add(&out->total, &prices[i], k->kind[i].like.count);
	for (size_t i = 0; i < k->n_shares; i++) {
		const struct kind_share *s = &k->shares[i];
		size_t mm = s->mm == CLASS_NO_MM ? out->n_mms - 1 : s->mm;

		counts_add(&out->by_mm[mm], &prices[s->kind], s->count);
	}
	return 0;
}

int kinds_predict(struct prediction *out, const struct kinds *k, const struct model *recorded,
		  const struct params *alt)
{
	struct counts *prices = kinds_prices(k, recorded, alt);
	int status = prices ? kinds_sum(out, k, prices) : -1;

	free(prices);
	return status;
}
