/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - kinds of flush, edges and doubts of a prediction. */
#include "replay/explain.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/split.h"
#include "replay/stateful.h"

#define FEW_KINDS 4 /* as many as people read */

/* What makes two flushes the same kind. Zeroed before use: padding takes part in hashing. */
struct kind_key {
	char name[COMM_LEN];
	uint64_t pages;
	uint8_t shape;
	uint8_t shift;
	uint8_t cause;
	uint8_t context;
	bool local;
	bool irq;
	bool pwc;
};

/* Which classes make kinds, and which differences make kinds of their own. */
enum grouping {
	GROUP_CHANGES_BY_SIZE,
	GROUP_CHANGES,
	GROUP_MISSES,
};

struct kind_node {
	struct kind_key key;
	struct flush_kind kind;
	UT_hash_handle hh;
};

/* What the classes of one kind have in common. */
struct part {
	const struct kind *kind;
	struct piece piece; /* what most of a flush is made of */
	enum grouping by;
};

static struct tally recorded_of(const struct question *q, const struct kind *kind,
				const struct class *c)
{
	return stateful_recorded(c, q->priced->recorded, kind->calls);
}

/* The requests that the likely reading makes of one flush of the kind. */
static struct pieces pieces_of(const struct question *q, const struct kind *kind)
{
	const struct class_key *k = &kind->like.key;

	return split_cut(k, kind->split.likely, split_longest(k, &q->priced->recorded->used));
}

/* The size of request that has most of a flush's pages, and how often it has it. */
static struct piece main_piece(const struct question *q, const struct kind *kind)
{
	struct pieces pieces = pieces_of(q, kind);
	struct piece best = { .pages = 0, .times = 0 };

	for (unsigned i = 0; i < pieces.n; i++)
		if (pieces.p[i].pages * pieces.p[i].times > best.pages * best.times)
			best = pieces.p[i];
	return best;
}

/* The size of a flush of any shape. */
static struct piece size_of_flush(const struct question *q, const struct kind *kind)
{
	if (kind->like.key.shape == SHAPE_VA)
		return main_piece(q, kind);
	if (kind->like.key.shape == SHAPE_X86)
		return (struct piece){ .pages = kind->like.key.x86.pages, .times = 1 };
	return (struct piece){ .times = 1 };
}

static void fill_key(struct kind_key *key, const struct question *q, const struct class_key *k,
		     uint64_t pages, enum grouping by)
{
	const struct mm *mm = mm_by_index(trace_mms(q->trace), k->mm);

	memset(key, 0, sizeof(*key));
	if (mm)
		memcpy(key->name, mm->name, strnlen(mm->name, COMM_LEN - 1));
	key->shape = k->shape;
	key->cause = k->cause;
	key->context = k->context;
	key->local = k->local;
	key->irq = k->irq;
	if (k->shape == SHAPE_VA)
		key->shift = k->shift;
	else if (k->shape == SHAPE_X86 && pages)
		key->shift = (uint8_t)k->x86.shift;
	if (by != GROUP_CHANGES && (k->shape == SHAPE_VA || k->shape == SHAPE_X86)) {
		key->pages = pages;
		key->pwc = k->pwc;
	}
}

static struct kind_node *new_node(const struct kind_key *key, uint32_t mm, uint64_t pages)
{
	struct kind_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	memcpy(&node->key, key, sizeof(*key));
	node->kind = (struct flush_kind){
		.pages_min = pages,
		.pages_max = pages,
		.first_mm = mm,
		.shape = key->shape,
		.shift = key->shift,
		.cause = key->cause,
		.context = key->context,
		.local = key->local,
		.irq = key->irq,
		.pwc = key->pwc,
	};
	memcpy(node->kind.name, key->name, COMM_LEN);
	return node;
}

static struct kind_node *find_node(struct kind_node **nodes, const struct kind_key *key,
				   uint32_t mm, uint64_t pages)
{
	struct kind_node *node;

	HASH_FIND(hh, *nodes, key, sizeof(*key), node);
	if (node)
		return node;
	node = new_node(key, mm, pages);
	if (node)
		HASH_ADD(hh, *nodes, key, sizeof(node->key), node);
	return node;
}

/* Flushes of class c, of the kind that takes part, which cost so many times `each`. */
static int add_class(struct kind_node **nodes, const struct question *q, const struct part *part,
		     const struct class *c, const struct counts *each, uint64_t times)
{
	struct tally was = recorded_of(q, part->kind, c);
	struct flush_kind *kind;
	struct kind_node *node;
	struct kind_key key;

	fill_key(&key, q, &c->key, part->piece.pages, part->by);
	node = find_node(nodes, &key, c->key.mm, part->piece.pages);
	if (!node)
		return -1;
	kind = &node->kind;
	if (kind->pages_min > part->piece.pages)
		kind->pages_min = part->piece.pages;
	if (kind->pages_max < part->piece.pages)
		kind->pages_max = part->piece.pages;
	kind->several_mms |= kind->first_mm != c->key.mm;
	kind->flushes += part->piece.times * c->count;
	tally_add(&kind->recorded, &was, 1);
	counts_add(&kind->predicted, each, times);
	return 0;
}

static void free_nodes(struct kind_node *nodes)
{
	struct kind_node *node = nodes;

	HASH_CLEAR(hh, nodes);
	while (node) {
		struct kind_node *next = node->hh.next;

		free(node);
		node = next;
	}
}

/* Moves the kinds into an array, in order of appearance. */
static int take_kinds(struct explanation *out, struct kind_node *nodes)
{
	out->n = 0;
	out->kinds = calloc(HASH_COUNT(nodes) + 1, sizeof(*out->kinds));
	if (!out->kinds)
		return -1;
	for (struct kind_node *node = nodes; node; node = node->hh.next)
		out->kinds[out->n++] = node->kind;
	return 0;
}

static bool same_instructions(const struct tally *a, const struct tally *b)
{
	return memcmp(&a->n[COUNT_TLBIE], &b->n[COUNT_TLBIE],
		      (COUNT_TLBIEL - COUNT_TLBIE + 1) * sizeof(*a->n)) == 0 &&
	       memcmp(&a->n[COUNT_INVLPG], &b->n[COUNT_INVLPG],
		      (COUNT_INVLPGB - COUNT_INVLPG + 1) * sizeof(*a->n)) == 0;
}

/* Whether flushes of class c of the kind, recorded as `was`, are some that the grouping is about. */
static bool takes_part(const struct question *q, const struct part *part, const struct class *c,
		       const struct tally *was, const struct counts *now)
{
	if (part->by == GROUP_MISSES)
		return !c->key.asked && !predict_replays(c, q->priced->recorded, part->kind->calls);
	return !same_instructions(was, &now->lo) || !same_instructions(was, &now->likely) ||
	       !same_instructions(was, &now->hi);
}

/* The same of any flush of a kind of which each costs the same. */
static bool all_take_part(const struct question *q, const struct part *part,
			  const struct counts *each)
{
	const struct class *like = &part->kind->like;
	struct counts now = { .open = false };
	struct tally was;

	if (!like->key.asked) {
		was = class_recorded(like);
		return takes_part(q, part, like, &was, each);
	}
	was = recorded_of(q, part->kind, like);
	counts_add(&now, each, like->count);
	return takes_part(q, part, like, &was, &now);
}

static int collect_alike(struct kind_node **nodes, const struct question *q,
			 const struct part *part, size_t kind)
{
	const struct kinds *k = q->priced->kinds;
	const struct counts *each = &q->priced->price[kind].each;

	if (!all_take_part(q, part, each))
		return 0;
	for (size_t i = k->first[kind]; i < k->first[kind + 1]; i++)
		if (add_class(nodes, q, part, k->classes[i], each, k->classes[i]->count))
			return -1;
	return 0;
}

static int collect_classes(struct kind_node **nodes, const struct question *q,
			   const struct part *part, size_t kind)
{
	const struct kinds *k = q->priced->kinds;
	struct stateful_cost cost = priced_cost(q->priced, kind);

	for (size_t i = k->first[kind]; i < k->first[kind + 1]; i++) {
		const struct class *c = k->classes[i];
		struct counts now = priced_class(q->priced, &cost, c);
		struct tally was = recorded_of(q, part->kind, c);

		if (takes_part(q, part, c, &was, &now) && add_class(nodes, q, part, c, &now, 1))
			return -1;
	}
	return 0;
}

static int collect(struct explanation *out, const struct question *q, enum grouping by)
{
	const struct kinds *k = q->priced->kinds;
	struct kind_node *nodes = NULL;
	int status = 0;

	for (size_t i = 0; status == 0 && i < k->n; i++) {
		struct part part = { &k->kind[i], size_of_flush(q, &k->kind[i]), by };

		if (q->priced->price[i].alike)
			status = collect_alike(&nodes, q, &part, i);
		else
			status = collect_classes(&nodes, q, &part, i);
	}
	if (status == 0)
		status = take_kinds(out, nodes);
	free_nodes(nodes);
	return status;
}

static uint64_t size_of(int64_t n)
{
	return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

struct change kind_change(const struct flush_kind *kind, enum counter counter)
{
	uint64_t was = kind->recorded.n[counter];
	struct change c = {
		.lo = (int64_t)(kind->predicted.lo.n[counter] - was),
		.likely = (int64_t)(kind->predicted.likely.n[counter] - was),
		.hi = (int64_t)(kind->predicted.hi.n[counter] - was),
	};

	c.size = size_of(c.likely);
	if (kind->predicted.open)
		c.size = size_of(c.lo) > size_of(c.hi) ? size_of(c.lo) : size_of(c.hi);
	return c;
}

/* Orders kinds that are equal in what matters, so that the same trace gives the same text. */
static int by_flushes(const void *a, const void *b)
{
	const struct flush_kind *x = a;
	const struct flush_kind *y = b;

	if (x->flushes != y->flushes)
		return x->flushes < y->flushes ? 1 : -1;
	if (x->first_mm != y->first_mm)
		return x->first_mm > y->first_mm ? 1 : -1;
	return (x->pages_min > y->pages_min) - (x->pages_min < y->pages_min);
}

static int by_change(const void *a, const void *b, void *arg)
{
	enum counter counter = *(const enum counter *)arg;
	uint64_t x = kind_change(a, counter).size;
	uint64_t y = kind_change(b, counter).size;

	return x != y ? (x < y) - (x > y) : by_flushes(a, b);
}

static int sort_changes(struct explanation *out, const struct question *q, enum counter counter,
			enum grouping by)
{
	if (collect(out, q, by))
		return -1;
	qsort_r(out->kinds, out->n, sizeof(*out->kinds), by_change, &counter);
	return 0;
}

/* Whether the first few kinds are less than half of the change. */
static bool is_scattered(const struct explanation *e, enum counter by)
{
	uint64_t few = 0;
	uint64_t all = 0;

	for (size_t i = 0; i < e->n; i++) {
		uint64_t size = kind_change(&e->kinds[i], by).size;

		all += size;
		few += i < FEW_KINDS ? size : 0;
	}
	return few < all / 2;
}

int explain_changes(struct explanation *out, const struct question *q, enum counter by)
{
	*out = (struct explanation){ .n = 0 };
	if (sort_changes(out, q, by, GROUP_CHANGES_BY_SIZE))
		return -1;
	if (!is_scattered(out, by))
		return 0;
	explanation_free(out);
	return sort_changes(out, q, by, GROUP_CHANGES);
}

int explain_misses(struct explanation *out, const struct question *q)
{
	*out = (struct explanation){ .n = 0 };
	if (collect(out, q, GROUP_MISSES))
		return -1;
	qsort(out->kinds, out->n, sizeof(*out->kinds), by_flushes);
	return 0;
}

void explanation_free(struct explanation *e)
{
	free(e->kinds);
	*e = (struct explanation){ .n = 0 };
}

/* Requests of one flush of the kind with exactly so many pages. */
static uint64_t requests_of(const struct question *q, const struct kind *kind, uint64_t pages)
{
	struct pieces pieces = pieces_of(q, kind);
	uint64_t n = 0;

	for (unsigned i = 0; i < pieces.n; i++)
		if (pieces.p[i].pages == pages)
			n += pieces.p[i].times;
	return n;
}

struct edge explain_edge(const struct question *q, bool local, uint64_t pages)
{
	struct edge edge = { .pages = pages };
	enum param id = local ? PARAM_LOCAL_CEILING : PARAM_CEILING;
	uint64_t by_shift[64] = { 0 };

	for (size_t i = 0; i < q->priced->kinds->n; i++) {
		const struct kind *kind = &q->priced->kinds->kind[i];
		const struct class_key *k = &kind->like.key;
		uint64_t n;

		if (k->shape != SHAPE_VA || k->entry == ENTRY_COLLAPSED ||
		    split_ceiling(k, &q->priced->recorded->used) != id)
			continue;
		n = requests_of(q, kind, pages) * kind->like.count;
		edge.flushes += n;
		by_shift[k->shift % 64] += n;
	}
	edge.records = edge.flushes * pages;
	for (uint8_t i = 0; i < 64; i++)
		if (by_shift[i] > by_shift[edge.shift])
			edge.shift = i;
	return edge;
}

uint64_t explain_pmd_cuts(const struct question *q)
{
	uint64_t cuts = 0;

	for (size_t i = 0; i < q->priced->kinds->n; i++) {
		const struct kind *kind = &q->priced->kinds->kind[i];
		struct pieces pieces;
		uint64_t requests = 0;

		if (kind->like.key.shape != SHAPE_VA || kind->split.likely != CUT_PMD)
			continue;
		pieces = pieces_of(q, kind);
		for (unsigned n = 0; n < pieces.n; n++)
			requests += pieces.p[n].times;
		cuts += (requests - (requests > 0)) * kind->like.count;
	}
	return cuts;
}

static enum doubt_reason reason_of(const struct question *q, const struct class *c)
{
	const struct class_key *k = &c->key;

	if (stateful_unsure(c, q->priced->alt, &q->priced->recorded->used))
		return DOUBT_SCOPE;
	if (stateful_nested(c, q->priced->alt, &q->priced->recorded->used))
		return DOUBT_NESTED;
	if (k->shape == SHAPE_HCALL)
		return DOUBT_HCALL;
	if (k->shape != SHAPE_VA)
		return DOUBT_CENSORED;
	switch ((enum flush_context)k->context) {
	case CONTEXT_CALL:
		return DOUBT_CALL;
	case CONTEXT_OUTSIDE:
		return DOUBT_OUTSIDE;
	default:
		return DOUBT_NO_CALLS;
	}
}

/* x86: the size is known; what is uncertain is how PTI or INVLPGB would treat it. */
static bool is_left_to_policy(const struct class_key *k)
{
	return k->shape == SHAPE_X86 && (k->x86.pages || k->x86.whole);
}

static uint64_t width_of(const struct counts *c, enum counter id)
{
	return c->hi.n[id] - c->lo.n[id];
}

/* The flushes of class c cost so many times n. */
static void add_doubt(struct doubt out[DOUBTS], const struct question *q, const struct class *c,
		      const struct counts *n, uint64_t times)
{
	uint64_t width = width_of(n, COUNT_TLBIE) + width_of(n, COUNT_TLBIEL) +
			 width_of(n, COUNT_INVLPG) + width_of(n, COUNT_CR3_WRITES);
	struct doubt *doubt;

	if (width == 0 || is_left_to_policy(&c->key))
		return;
	doubt = &out[reason_of(q, c)];
	doubt->flushes += c->count;
	doubt->width += times * width;
}

static void add_doubts_of_classes(struct doubt out[DOUBTS], const struct question *q, size_t kind)
{
	const struct kinds *k = q->priced->kinds;
	struct stateful_cost cost = priced_cost(q->priced, kind);

	for (size_t i = k->first[kind]; i < k->first[kind + 1]; i++) {
		struct counts n = priced_class(q->priced, &cost, k->classes[i]);

		add_doubt(out, q, k->classes[i], &n, 1);
	}
}

void explain_doubts(struct doubt out[DOUBTS], const struct question *q)
{
	memset(out, 0, DOUBTS * sizeof(*out));
	for (size_t i = 0; i < q->priced->kinds->n; i++) {
		const struct class *like = &q->priced->kinds->kind[i].like;

		if (q->priced->price[i].alike)
			add_doubt(out, q, like, &q->priced->price[i].each, like->count);
		else
			add_doubts_of_classes(out, q, i);
	}
}
