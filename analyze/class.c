/* SPDX-License-Identifier: GPL-2.0-or-later */
/* class.c - the table of classes. */
#include "analyze/class.h"

#include <stdlib.h>
#include <string.h>

/* Keys are whole words: mixed one by one, an eighth of the work that uthash would make of them. */
#define HASH_FUNCTION(key, len, hash) ((hash) = hash_words((key), (len)))
#include <uthash.h>

#include "analyze/geometry.h"

static unsigned hash_words(const void *key, size_t len)
{
	const unsigned char *at = key;
	uint64_t hash = 0, word;

	for (size_t i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, at + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return (unsigned)hash;
}

_Static_assert(sizeof(struct class_key) % sizeof(uint64_t) == 0, "hash_words takes words");

struct class_node {
	struct class class;
	UT_hash_handle hh;
};

struct call_key {
	uint32_t mm;
	uint32_t cause;
};

struct call_node {
	struct call_key key;
	struct call_evidence evidence;
	UT_hash_handle hh;
};

#define RECENT 64u

struct class_table {
	struct class_node *nodes;
	struct class_node *recent[RECENT]; /* by CPU: of its last flush; NULL unknown */
	struct call_node *calls;
	struct call_evidence no_calls;
	unsigned base_shift;
	uint64_t ends[RUN_END_LOST + 1];
};

struct class_table *class_table_new(unsigned base_shift)
{
	struct class_table *t = calloc(1, sizeof(*t));

	if (t)
		t->base_shift = base_shift;
	return t;
}

static void free_nodes(struct class_table *t)
{
	struct class_node *node = t->nodes;

	HASH_CLEAR(hh, t->nodes);
	while (node) {
		struct class_node *next = node->hh.next;

		free(node);
		node = next;
	}
}

static void free_calls(struct class_table *t)
{
	struct call_node *call = t->calls;

	HASH_CLEAR(hh, t->calls);
	while (call) {
		struct call_node *next = call->hh.next;

		free(call);
		call = next;
	}
}

void class_table_free(struct class_table *t)
{
	if (!t)
		return;
	free_nodes(t);
	free_calls(t);
	free(t);
}

/*
 * What a promoted request asked for. A probe tells; else a gather asks for what it cleared, which
 * lies in the range of its call, while one that frees page tables (ric 2) is widened beyond it.
 */
static void bound_pages(struct class_key *key, const struct flush *f, unsigned base_shift)
{
	const struct told *told = &f->told;

	key->pages_max = PAGES_UNKNOWN;
	if (f->is_told && told->has_range && told->end != ADDRESS_ALL && told->shift &&
	    told->outer != REQUEST_COLLAPSED) {
		key->shift = told->shift;
		key->pages = range_nva(told->start, told->end, told->shift);
		key->pages_max = key->pages;
		key->pwc = told->tables;
		if (told->outer == REQUEST_RANGE)
			key->pages_2m = range_n2m(told->start, told->end);
	} else if ((f->shape == SHAPE_PID || f->is_told) && f->context == CONTEXT_CALL &&
		   f->call_len && base_shift) {
		key->pages_max = (f->call_len + (UINT64_C(1) << base_shift) - 1) >> base_shift;
	}
}

/* Calls that unmap or protect what one gather collects. */
static bool is_gather(const struct flush *f)
{
	if (f->context != CONTEXT_CALL || (f->is_told && f->told.outer != REQUEST_GATHER))
		return false;
	return f->cause == CAUSE_MUNMAP || f->cause == CAUSE_MPROTECT ||
	       f->cause == CAUSE_MADVISE || f->cause == CAUSE_SHMDT || f->cause == CAUSE_BRK;
}

/* What the whole gather covers: as flushed so far, or as the call was asked for. */
static void fill_call(struct class_key *key, const struct flush *f)
{
	uint64_t asked = f->call_len >> f->shift;
	uint64_t pages = f->call_span > asked ? f->call_span : asked;

	if (!is_gather(f))
		return;
	if (pages > f->pages)
		key->call_pages = pages < CALL_PAGES_MOST ? (uint32_t)pages : CALL_PAGES_MOST;
	key->call_open = !f->call_done && f->call_len == 0;
}

static void fill_pages(struct class_key *key, const struct flush *f)
{
	key->shift = f->shift;
	key->pages = f->pages;
	key->pages_2m = f->pages_2m;
	key->pwc = f->pwc;
	if (f->pages > 1)
		key->first = page_in_pmd(f->addr, f->shift);
	fill_call(key, f);
	if (!key->may_hide)
		return;
	key->parts = (uint8_t)f->parts;
	if (f->context == CONTEXT_CALL)
		key->longest = f->call_longest;
}

static void fill_foreign(struct class_key *key, const struct flush *f)
{
	key->foreign = (uint8_t)f->foreign;
	key->pages = f->pages;
}

void class_key_of(struct class_key *key, const struct flush *f, unsigned base_shift)
{
	memset(key, 0, sizeof(*key)); /* padding takes part in hashing */
	key->mm = f->mm ? f->mm->index : CLASS_NO_MM;
	key->shape = (uint8_t)f->shape;
	key->entry = (uint8_t)f->entry;
	key->cause = (uint8_t)f->cause;
	key->context = (uint8_t)f->context;
	key->fix_erat = f->fix_erat;
	key->fix_stq = f->fix_stq;
	key->fix_old = f->fix_old;
	key->local = f->local;
	memcpy(key->scope, f->seen.scope, sizeof(key->scope));
	key->irq = f->irq;
	key->partial = f->partial;
	key->told = f->is_told;
	key->asked = f->asked;
	key->scope_open = f->scope_open;
	key->may_hide = flush_may_hide_requests(f);
	if (f->shape == SHAPE_VA)
		fill_pages(key, f);
	else if (f->shape == SHAPE_FOREIGN)
		fill_foreign(key, f);
	else if (f->shape == SHAPE_X86)
		key->x86 = f->x86;
	else
		key->sets = f->local && !f->asked ? f->sets : 0;
	if (f->shape == SHAPE_PID || f->shape == SHAPE_ALL || f->shape == SHAPE_HCALL)
		bound_pages(key, f, base_shift);
}

static void add_observation(struct class *c, const struct observation *seen)
{
	for (size_t i = 0; i < TRIMS; i++) {
		c->ipis[i] += seen->ipis[i];
		c->trims[i] += seen->trims[i];
		c->targets[i] += seen->targets[i];
		c->targets_most[i] += seen->targets_most[i];
		c->reached[i] += seen->targets[i] > 0;
	}
}

void class_of_flush(struct class *c, const struct flush *f, unsigned base_shift)
{
	memset(c, 0, sizeof(*c));
	class_key_of(&c->key, f, base_shift);
	c->count = 1;
	add_observation(c, &f->seen);
}

/* The class with this key, made where it is new. NULL where memory is short. */
static struct class_node *find_class(struct class_table *t, const struct class_key *key)
{
	struct class_node *node;

	HASH_FIND(hh, t->nodes, key, sizeof(*key), node);
	if (node)
		return node;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	memcpy(&node->class.key, key, sizeof(*key));
	HASH_ADD(hh, t->nodes, class.key, sizeof(*key), node);
	return node;
}

bool class_add(struct class_table *t, const struct flush *f, bool counted)
{
	struct class_node **recent = &t->recent[f->cpu % RECENT];
	struct class_node *node = *recent;
	struct class_key key;

	class_key_of(&key, f, t->base_shift);
	key.hidden = !counted;
	if (!node || !class_key_same(&node->class.key, &key)) {
		*recent = node = find_class(t, &key);
		if (!node)
			return false;
	}
	node->class.count++;
	add_observation(&node->class, &f->seen);
	t->ends[f->ended_by] += counted;
	return true;
}

bool class_put(struct class_table *t, const struct class *c)
{
	struct class_node *node = calloc(1, sizeof(*node));

	if (!node)
		return false;
	memcpy(&node->class, c, sizeof(*c));
	HASH_ADD(hh, t->nodes, class.key, sizeof(node->class.key), node);
	return true;
}

void class_put_ends(struct class_table *t, const uint64_t *ends)
{
	for (size_t i = 0; i <= RUN_END_LOST; i++)
		t->ends[i] += ends[i];
}

static void add_class(struct class *to, const struct class *from)
{
	to->count += from->count;
	for (size_t i = 0; i < TRIMS; i++) {
		to->ipis[i] += from->ipis[i];
		to->trims[i] += from->trims[i];
		to->targets[i] += from->targets[i];
		to->targets_most[i] += from->targets_most[i];
		to->reached[i] += from->reached[i];
	}
}

static void fold_classes(struct class_table *t, const uint32_t *into)
{
	struct class_node *node;
	struct class_node *next;
	struct class_node *same;

	memset(t->recent, 0, sizeof(t->recent)); /* some of them go */
	HASH_ITER(hh, t->nodes, node, next)
	{
		struct class_key *key = &node->class.key;

		if (key->mm == CLASS_NO_MM || into[key->mm] == key->mm)
			continue;
		/* uthash unlinks the node before it is freed. */
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
		HASH_DEL(t->nodes, node);
		key->mm = into[key->mm];
		HASH_FIND(hh, t->nodes, key, sizeof(*key), same);
		if (same) {
			add_class(&same->class, &node->class);
			free(node);
		} else {
			HASH_ADD(hh, t->nodes, class.key, sizeof(*key), node);
		}
	}
}

static void fold_calls(struct class_table *t, const uint32_t *into)
{
	struct call_node *node;
	struct call_node *next;
	struct call_node *same;

	HASH_ITER(hh, t->calls, node, next)
	{
		struct call_evidence *evidence = &node->evidence;

		if (node->key.mm == CLASS_NO_MM || into[node->key.mm] == node->key.mm)
			continue;
		/* uthash unlinks the node before it is freed. */
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
		HASH_DEL(t->calls, node);
		node->key.mm = evidence->mm = into[node->key.mm];
		HASH_FIND(hh, t->calls, &node->key, sizeof(node->key), same);
		if (same) {
			same->evidence.promoted_once += evidence->promoted_once;
			same->evidence.promoted_many += evidence->promoted_many;
			free(node);
		} else {
			HASH_ADD(hh, t->calls, key, sizeof(node->key), node);
		}
	}
}

void class_fold(struct class_table *t, const uint32_t *into)
{
	fold_classes(t, into);
	fold_calls(t, into);
}

static struct call_node *find_call(const struct class_table *t, uint32_t mm, enum flush_cause cause)
{
	struct call_key key = { mm, cause };
	struct call_node *node;

	HASH_FIND(hh, t->calls, &key, sizeof(key), node);
	return node;
}

bool class_put_calls(struct class_table *t, uint32_t mm, enum flush_cause cause,
		     uint64_t promoted_once, uint64_t promoted_many)
{
	struct call_node *node = find_call(t, mm, cause);

	if (!node) {
		node = calloc(1, sizeof(*node));
		if (!node)
			return false;
		node->key = (struct call_key){ mm, cause };
		node->evidence.mm = mm;
		node->evidence.cause = cause;
		node->evidence.traced = true;
		HASH_ADD(hh, t->calls, key, sizeof(node->key), node);
	}
	node->evidence.promoted_once += promoted_once;
	node->evidence.promoted_many += promoted_many;
	return true;
}

bool class_add_call(struct class_table *t, const struct mm *mm, enum flush_cause cause,
		    uint32_t promoted)
{
	return class_put_calls(t, mm ? mm->index : CLASS_NO_MM, cause, promoted == 1, promoted != 1);
}

void class_note_syscalls(struct class_table *t)
{
	t->no_calls.traced = true;
}

const struct call_evidence *class_calls(const struct class_table *t, uint32_t mm,
					enum flush_cause cause)
{
	const struct call_node *node = find_call(t, mm, cause);

	return node ? &node->evidence : &t->no_calls;
}

const struct class *class_next(const struct class_table *t, const struct class *after)
{
	const struct class_node *node = t->nodes;

	if (after)
		node = ((const struct class_node *)after)->hh.next;
	return node ? &node->class : NULL;
}

const struct class *class_next_counted(const struct class_table *t, const struct class *after)
{
	const struct class *c = class_next(t, after);

	while (c && c->key.hidden)
		c = class_next(t, c);
	return c;
}

const struct class *class_next_recorded(const struct class_table *t, const struct class *after)
{
	const struct class *c = class_next(t, after);

	while (c && c->key.asked)
		c = class_next(t, c);
	return c;
}

size_t class_count(const struct class_table *t)
{
	return HASH_COUNT(t->nodes);
}

const uint64_t *class_ends(const struct class_table *t)
{
	return t->ends;
}

struct tally class_recorded(const struct class *c)
{
	const struct class_key *k = &c->key;
	struct flush f = {
		.shape = k->shape,
		.foreign = k->foreign,
		.local = k->local,
		.pwc = k->pwc,
		.pages = k->pages,
		.pages_2m = k->pages_2m,
		.sets = k->sets,
		.fix_erat = k->fix_erat,
		.fix_stq = k->fix_stq,
		.fix_old = k->fix_old,
		.x86 = k->x86,
		.asked = k->asked,
	};

	return flush_recorded(&f);
}
