/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kinds.c - classes that differ only in their mm become one. */
#include "replay/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* All that predict_class() and stateful_cost() look at. Zeroed before use: padding takes part in
 * hashing. */
struct kind_key {
	struct class_key key; /* mm 0 */
	struct split_evidence evidence;
};

struct kind_node {
	struct kind_key key;
	uint32_t index;
	UT_hash_handle hh;
};

static struct kind_key key_of(const struct class *c, const struct call_evidence *calls)
{
	struct kind_key key;

	memset(&key, 0, sizeof(key));
	memcpy(&key.key, &c->key, sizeof(key.key));
	key.key.mm = 0;
	if (c->key.shape == SHAPE_VA)
		key.evidence = split_evidence(calls);
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

static struct kind_node *add_kind(struct kinds *k, const struct kind_key *key, const struct class *c,
				  const struct model *recorded, const struct call_evidence *calls)
{
	struct kind_node *node = make_room(k) ? calloc(1, sizeof(*node)) : NULL;
	struct kind *kind;

	if (!node)
		return NULL;
	memcpy(&node->key, key, sizeof(*key));
	node->index = (uint32_t)k->n;
	kind = &k->kind[k->n++];
	*kind = (struct kind){ .calls = calls };
	memcpy(&kind->like.key, &c->key, sizeof(c->key));
	if (c->key.shape == SHAPE_VA)
		kind->split = split_of(&c->key, &recorded->used, calls);
	HASH_ADD(hh, k->nodes, key, sizeof(node->key), node);
	return node;
}

int kinds_add(struct kinds *k, const struct class *c, const struct model *recorded,
	      const struct call_evidence *calls, uint32_t *index)
{
	struct kind_key key = key_of(c, calls);
	struct kind_node *node;

	HASH_FIND(hh, k->nodes, &key, sizeof(key), node);
	if (!node)
		node = add_kind(k, &key, c, recorded, calls);
	if (!node)
		return -1;
	k->kind[node->index].like.count += c->count;
	*index = node->index;
	return 0;
}

/* A class that is selected, and its kind. */
struct found {
	const struct class *class;
	uint32_t kind;
};

static int find_all(struct kinds *k, struct found *found, size_t *n, const struct trace *t,
		    const struct model *recorded, predict_filter filter, void *arg)
{
	const struct class *c = NULL;

	while ((c = class_next_counted(t->classes, c))) {
		const struct call_evidence *calls = class_calls(t->classes, c->key.mm, c->key.cause);

		if (filter && !filter(arg, c))
			continue;
		found[*n].class = c;
		if (kinds_add(k, c, recorded, calls, &found[*n].kind))
			return -1;
		++*n;
	}
	return 0;
}

/* Classes of a kind one behind the other, in their order. */
static int sort_by_kind(struct kinds *k, const struct found *found, size_t n)
{
	size_t before = 0;

	/* An array of pointers is what is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
	k->classes = calloc(n + 1, sizeof(*k->classes));
	k->first = calloc(k->n + 1, sizeof(*k->first));
	if (!k->classes || !k->first)
		return -1;
	for (size_t i = 0; i < n; i++)
		k->first[found[i].kind]++;
	for (size_t i = 0; i <= k->n; i++) {
		size_t own = k->first[i];

		k->first[i] = before;
		before += own;
	}
	/* Each moves to the end of its kind, which is the beginning of the next. */
	for (size_t i = 0; i < n; i++)
		k->classes[k->first[found[i].kind]++] = found[i].class;
	memmove(k->first + 1, k->first, k->n * sizeof(*k->first));
	k->first[0] = 0;
	return 0;
}

int kinds_find(struct kinds *out, const struct trace *t, const struct model *recorded,
	       predict_filter filter, void *arg)
{
	struct found *found = calloc(class_count(t->classes) + 1, sizeof(*found));
	size_t n = 0;
	int status = -1;

	*out = (struct kinds){ .n_mms = mm_count(trace_mms(t)) + 1 };
	if (found && find_all(out, found, &n, t, recorded, filter, arg) == 0)
		status = sort_by_kind(out, found, n);
	free(found);
	if (status)
		kinds_free(out);
	return status;
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
	free(k->classes);
	free(k->first);
	*k = (struct kinds){ .n = 0 };
}

/* Whether the flushes of all its classes cost the same each. */
static bool is_alike(const struct priced *p, size_t kind, const struct stateful_cost *cost)
{
	const struct kinds *k = p->kinds;
	bool reaches = cost->n && cost->in[0].reaches;

	if (!stateful_adds_up(cost))
		return false;
	if (!reaches && !cost->trims)
		return true;
	for (size_t c = k->first[kind]; c < k->first[kind + 1]; c++) {
		struct stateful_units one = stateful_units(k->classes[c], p->alt,
							   &p->recorded->used);

		if ((reaches && one.targets_most) || one.trims || one.trim_ipis)
			return false;
	}
	return true;
}

struct stateful_cost priced_cost(const struct priced *p, size_t kind)
{
	const struct kind *of = &p->kinds->kind[kind];

	return stateful_cost(&of->like, p->alt, p->recorded, of->calls);
}

static void price_by_masks(const struct priced *p, size_t kind)
{
	struct stateful_cost cost = priced_cost(p, kind);

	p->price[kind].alike = is_alike(p, kind, &cost);
	if (cost.n)
		p->price[kind].each = cost.in[0].flush;
}

int priced_find(struct priced *out, const struct kinds *k, const struct model *recorded,
		const struct params *alt)
{
	struct kind_price *price = calloc(k->n + 1, sizeof(*price));

	*out = (struct priced){ k, recorded, alt, price };
	if (!price)
		return -1;
	for (size_t i = 0; i < k->n; i++)
		if (stateful_decides(alt, recorded))
			price_by_masks(out, i);
		else
			price[i] = (struct kind_price){
				predict_class(&k->kind[i].like, alt, recorded, k->kind[i].calls),
				true,
			};
	return 0;
}

void priced_free(struct priced *p)
{
	free(p->price);
	p->price = NULL;
}

struct counts priced_class(const struct priced *p, const struct stateful_cost *cost,
			   const struct class *c)
{
	struct stateful_units units = stateful_units(c, p->alt, &p->recorded->used);
	struct counts sum = { .open = false };

	stateful_add(&sum, cost, &units);
	return sum;
}

static int start_prediction(struct prediction *out, const struct kinds *k)
{
	*out = (struct prediction){ .n_mms = k->n_mms };
	out->by_mm = calloc(out->n_mms, sizeof(*out->by_mm));
	return out->by_mm ? 0 : -1;
}

static struct counts *of_mm(struct prediction *p, const struct class *c)
{
	return &p->by_mm[c->key.mm == CLASS_NO_MM ? p->n_mms - 1 : c->key.mm];
}

/* The classes of a kind that are alike, each to its mm, and all of them to the total. */
static void sum_alike(struct prediction *out, const struct priced *p, size_t kind)
{
	const struct kinds *k = p->kinds;
	const struct counts *each = &p->price[kind].each;

	counts_add(&out->total, each, k->kind[kind].like.count);
	for (size_t c = k->first[kind]; c < k->first[kind + 1]; c++)
		counts_add(of_mm(out, k->classes[c]), each, k->classes[c]->count);
}

static void sum_classes(struct prediction *out, const struct priced *p, size_t kind)
{
	const struct kinds *k = p->kinds;
	struct stateful_cost cost = priced_cost(p, kind);

	for (size_t c = k->first[kind]; c < k->first[kind + 1]; c++) {
		struct counts all = priced_class(p, &cost, k->classes[c]);

		counts_add(of_mm(out, k->classes[c]), &all, 1);
		counts_add(&out->total, &all, 1);
	}
}

int priced_sum(struct prediction *out, const struct priced *p)
{
	if (start_prediction(out, p->kinds))
		return -1;
	for (size_t i = 0; i < p->kinds->n; i++)
		if (p->price[i].alike)
			sum_alike(out, p, i);
		else
			sum_classes(out, p, i);
	return 0;
}

static void add_units(struct stateful_units *sum, const struct stateful_units *add)
{
	sum->flushes += add->flushes;
	sum->targets += add->targets;
	sum->targets_likely += add->targets_likely;
	sum->targets_most += add->targets_most;
	sum->reached += add->reached;
	sum->trims += add->trims;
	sum->trim_ipis += add->trim_ipis;
}

struct stateful_units *kinds_units(const struct kinds *k, const struct params *alt,
				   const struct params *recorded)
{
	struct stateful_units *units = calloc(k->n + 1, sizeof(*units));

	for (size_t i = 0; units && i < k->n; i++)
		for (size_t c = k->first[i]; c < k->first[i + 1]; c++) {
			struct stateful_units one = stateful_units(k->classes[c], alt, recorded);

			add_units(&units[i], &one);
		}
	return units;
}

struct counts kinds_stateful(const struct kinds *k, size_t kind, const struct stateful_units *units,
			     const struct model *recorded, const struct params *alt)
{
	const struct kind *of = &k->kind[kind];
	struct stateful_cost cost = stateful_cost(&of->like, alt, recorded, of->calls);
	struct counts sum = { .open = false };

	if (stateful_adds_up(&cost)) {
		stateful_add(&sum, &cost, units);
		return sum;
	}
	for (size_t c = k->first[kind]; c < k->first[kind + 1]; c++) {
		struct stateful_units one = stateful_units(k->classes[c], alt, &recorded->used);

		stateful_add(&sum, &cost, &one);
	}
	return sum;
}

int kinds_predict(struct prediction *out, const struct kinds *k, const struct model *recorded,
		  const struct params *alt)
{
	struct priced p;
	int status = priced_find(&p, k, recorded, alt);

	if (status == 0)
		status = priced_sum(out, &p);
	priced_free(&p);
	return status;
}
