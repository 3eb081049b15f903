/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.c - cells of flushes per class. */
#include "analyze/profile.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define FIRST_PERIOD_NS 1000u

/* Open addressing; empty slots have count 0. room is a power of two, or 0. */
struct cells {
	struct profile_cell *slot;
	size_t n;
	size_t room;
};

struct class_node {
	struct class class; /* hashed by its key; count 0: unused */
	uint32_t index;
	UT_hash_handle hh;
};

struct task_node {
	struct profile_task task;
	uint32_t index;
	UT_hash_handle hh;
};

#define RECENT 64u

/* What the last flush of a CPU was: most are like the one before. NULL: unknown. */
struct recent {
	struct class_node *class;
	const struct task_node *task;
};

struct profile {
	const struct trace *trace;
	struct recent recent[RECENT]; /* by CPU */
	uint64_t period_ns;
	bool fixed;
	struct cells cells[PROFILE_AXES];
	struct class_node *class_nodes; /* by key */
	struct class_node **classes;	/* by index; NULL: unused */
	size_t n_classes;
	size_t room_classes;
	uint32_t *unused; /* indices of classes that became part of others, [n_unused] */
	size_t n_unused;
	struct task_node *task_nodes;
	struct profile_task tasks[PROFILE_TASKS];
	uint32_t n_tasks;
	bool has_stacks;
	bool no_memory; /* mms could not be folded: what follows would be counted wrongly */
};

static size_t first_slot(const struct cells *c, const struct profile_cell *cell)
{
	uint64_t h = (uint64_t)cell->period << 32 ^ (uint64_t)cell->place << 20 ^ cell->class;

	h *= UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
	return (size_t)(h >> 32) & (c->room - 1);
}

static bool same_cell(const struct profile_cell *a, const struct profile_cell *b)
{
	return a->period == b->period && a->place == b->place && a->class == b->class;
}

/* There is room. */
static void put_cell(struct cells *c, const struct profile_cell *cell)
{
	size_t at = first_slot(c, cell);

	while (c->slot[at].count && !same_cell(&c->slot[at], cell))
		at = (at + 1) & (c->room - 1);
	if (c->slot[at].count) {
		c->slot[at].count += cell->count;
		return;
	}
	c->slot[at] = *cell;
	c->n++;
}

/*
 * Moves all cells into `room` slots, with periods 2^halve times as long, and class i as class_of[i]
 * (NULL: as it is).
 */
static bool rebuild(struct cells *c, size_t room, unsigned halve, const uint32_t *class_of)
{
	struct cells fresh = { calloc(room, sizeof(*fresh.slot)), 0, room };

	if (!fresh.slot)
		return false;
	for (size_t i = 0; i < c->room; i++) {
		struct profile_cell cell = c->slot[i];

		if (cell.count == 0)
			continue;
		cell.period >>= halve;
		if (class_of)
			cell.class = class_of[cell.class];
		put_cell(&fresh, &cell);
	}
	free(c->slot);
	*c = fresh;
	return true;
}

static bool add_cell(struct cells *c, const struct profile_cell *cell)
{
	if (4 * c->n >= 3 * c->room && !rebuild(c, c->room ? 2 * c->room : 1024, 0, NULL))
		return false;
	put_cell(c, cell);
	return true;
}

static bool double_periods(struct profile *p)
{
	struct cells *c = &p->cells[PROFILE_CPU];

	p->period_ns *= 2;
	return c->room == 0 || rebuild(c, c->room, 1, NULL);
}

/* The period of a moment, which makes all periods longer where there would be too many. */
static bool find_period(struct profile *p, uint64_t ns, uint32_t *period)
{
	uint64_t since = ns > p->trace->first_ns ? ns - p->trace->first_ns : 0;
	uint64_t limit = p->fixed ? PROFILE_INTERVALS : PROFILE_PERIODS;

	while (!p->fixed && (since / p->period_ns >= limit ||
			     (p->cells[PROFILE_CPU].n >= PROFILE_CELLS && since >= p->period_ns)))
		if (!double_periods(p))
			return false;
	*period = (uint32_t)(since / p->period_ns < limit ? since / p->period_ns : limit - 1);
	return true;
}

/* Room for one more index, used and unused. */
static bool make_room(struct profile *p)
{
	size_t room = p->room_classes ? 2 * p->room_classes : 64;
	struct class_node **classes;
	uint32_t *unused;

	if (p->n_classes < p->room_classes)
		return true;
	classes = reallocarray(p->classes, room, sizeof(struct class_node *));
	if (!classes)
		return false;
	p->classes = classes;
	unused = reallocarray(p->unused, room, sizeof(*unused));
	if (!unused)
		return false;
	p->unused = unused;
	p->room_classes = room;
	return true;
}

static struct class_node *add_class(struct profile *p, const struct class_key *key)
{
	struct class_node *node = make_room(p) ? calloc(1, sizeof(*node)) : NULL;

	if (!node)
		return NULL;
	node->index = p->n_unused ? p->unused[--p->n_unused] : (uint32_t)p->n_classes++;
	memcpy(&node->class.key, key, sizeof(*key));
	p->classes[node->index] = node;
	HASH_ADD(hh, p->class_nodes, class.key, sizeof(*key), node);
	return node;
}

static unsigned base_shift(const struct profile *p)
{
	uint32_t size = p->trace->info->page_size;

	return size && (size & (size - 1)) == 0 ? (unsigned)__builtin_ctz(size) : 0;
}

/* The class with this key, made where it is new. NULL where memory is short. */
static struct class_node *get_class(struct profile *p, const struct class_key *key)
{
	struct class_node *node;

	HASH_FIND(hh, p->class_nodes, key, sizeof(*key), node);
	return node ? node : add_class(p, key);
}

static bool find_class(struct profile *p, const struct flush *f, uint32_t *index)
{
	struct class_node **recent = &p->recent[f->cpu % RECENT].class;
	struct class_key key;

	class_key_of(&key, f, base_shift(p));
	if (!*recent || !class_key_same(&(*recent)->class.key, &key)) {
		*recent = get_class(p, &key);
		if (!*recent)
			return false;
	}
	(*recent)->class.count++;
	*index = (*recent)->index;
	return true;
}

static bool find_task(struct profile *p, const struct flush *f, uint32_t *index)
{
	const struct task_node **recent = &p->recent[f->cpu % RECENT].task;
	struct profile_task task;
	struct task_node *node;

	memset(&task, 0, sizeof(task)); /* hashed as bytes */
	task.tid = f->irq ? -1 : f->tid;
	if (!f->irq)
		memcpy(task.comm, f->comm, strnlen(f->comm, COMM_LEN - 1));
	if (*recent && memcmp(&(*recent)->task, &task, sizeof(task)) == 0) {
		*index = (*recent)->index;
		return true;
	}
	HASH_FIND(hh, p->task_nodes, &task, sizeof(task), node);
	if (node)
		*recent = node;
	if (node || p->n_tasks == PROFILE_TASKS) {
		*index = node ? node->index : PROFILE_TASKS;
		return true;
	}
	node = calloc(1, sizeof(*node));
	if (!node)
		return false;
	node->task = task;
	node->index = p->n_tasks;
	HASH_ADD(hh, p->task_nodes, task, sizeof(task), node);
	p->tasks[p->n_tasks] = task;
	*index = p->n_tasks++;
	return true;
}

/* The first stack: the flushes before it had none. */
static bool start_stacks(struct profile *p)
{
	const struct profile_cell *cell = NULL;

	while ((cell = profile_next(p, PROFILE_TASK, cell))) {
		struct profile_cell without = { .class = cell->class, .count = cell->count };

		if (!add_cell(&p->cells[PROFILE_STACK], &without))
			return false;
	}
	p->has_stacks = true;
	return true;
}

static bool add_stack(struct profile *p, const struct flush *f, uint32_t class)
{
	struct profile_cell cell = { .place = f->stack, .class = class, .count = 1 };

	if (!p->has_stacks && !f->stack)
		return true;
	if (!p->has_stacks && !start_stacks(p))
		return false;
	return add_cell(&p->cells[PROFILE_STACK], &cell);
}

bool profile_flush(void *arg, const struct flush *f)
{
	struct profile *p = arg;
	struct profile_cell by_cpu = { .place = f->cpu, .count = 1 };
	struct profile_cell by_task = { .count = 1 };

	if (p->no_memory || !find_class(p, f, &by_cpu.class) ||
	    !find_period(p, f->start_ns, &by_cpu.period) || !find_task(p, f, &by_task.place))
		return false;
	by_task.class = by_cpu.class;
	return add_stack(p, f, by_cpu.class) && add_cell(&p->cells[PROFILE_CPU], &by_cpu) &&
	       add_cell(&p->cells[PROFILE_TASK], &by_task);
}

/* Class of another mm from now on; returns the index of the one that it has become part of, or its own. */
static uint32_t move_class(struct profile *p, struct class_node *node, uint32_t mm)
{
	struct class_node *same;

	HASH_DEL(p->class_nodes, node);
	node->class.key.mm = mm;
	HASH_FIND(hh, p->class_nodes, &node->class.key, sizeof(node->class.key), same);
	if (!same) {
		HASH_ADD(hh, p->class_nodes, class.key, sizeof(node->class.key), node);
		return node->index;
	}
	same->class.count += node->class.count;
	p->classes[node->index] = NULL;
	p->unused[p->n_unused++] = node->index;
	free(node);
	return same->index;
}

/* class_of[i]: what class i is afterwards. False where all are what they were. */
static bool fold_classes(struct profile *p, const uint32_t *into, uint32_t *class_of)
{
	bool moved = false;

	memset(p->recent, 0, sizeof(p->recent)); /* some of them go */
	for (uint32_t i = 0; i < p->n_classes; i++) {
		struct class_node *node = p->classes[i];
		uint32_t mm = node ? node->class.key.mm : CLASS_NO_MM;

		class_of[i] = i;
		if (mm == CLASS_NO_MM || into[mm] == mm)
			continue;
		class_of[i] = move_class(p, node, into[mm]);
		moved |= class_of[i] != i;
	}
	return moved;
}

void profile_fold(void *arg, const uint32_t *into)
{
	struct profile *p = arg;
	uint32_t *class_of = calloc(p->n_classes + 1, sizeof(*class_of));

	p->no_memory |= !class_of;
	if (class_of && fold_classes(p, into, class_of))
		for (size_t i = 0; i < PROFILE_AXES && !p->no_memory; i++)
			p->no_memory = !rebuild(&p->cells[i], p->cells[i].room, 0, class_of);
	free(class_of);
}

bool profile_classes_only(struct profile *p)
{
	const struct class *c = NULL;

	while ((c = class_next_counted(p->trace->classes, c))) {
		struct class_node *node = get_class(p, &c->key);
		struct profile_cell cell = { .count = c->count };

		if (!node)
			return false;
		node->class.count += c->count;
		cell.class = node->index;
		if (!add_cell(&p->cells[PROFILE_CPU], &cell))
			return false;
	}
	return true;
}

struct profile *profile_new(const struct trace *t, uint64_t interval_ns)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->trace = t;
	p->fixed = interval_ns != 0;
	p->period_ns = interval_ns ? interval_ns : FIRST_PERIOD_NS;
	return p;
}

static void drop_tasks(struct profile *p)
{
	struct task_node *node = p->task_nodes;

	HASH_CLEAR(hh, p->task_nodes);
	while (node) {
		struct task_node *next = node->hh.next;

		free(node);
		node = next;
	}
}

static void drop_all(struct profile *p)
{
	HASH_CLEAR(hh, p->class_nodes);
	for (size_t i = 0; i < p->n_classes; i++)
		free(p->classes[i]);
	free(p->classes);
	free(p->unused);
	drop_tasks(p);
	for (size_t i = 0; i < PROFILE_AXES; i++)
		free(p->cells[i].slot);
}

void profile_restart(struct profile *p)
{
	struct profile fresh = {
		.trace = p->trace,
		.fixed = p->fixed,
		.period_ns = p->fixed ? p->period_ns : FIRST_PERIOD_NS,
	};

	drop_all(p);
	*p = fresh;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	drop_all(p);
	free(p);
}

const struct profile_cell *profile_next(const struct profile *p, enum profile_axis axis,
					const struct profile_cell *after)
{
	const struct cells *c = &p->cells[axis];
	size_t at = after ? (size_t)(after - c->slot) + 1 : 0;

	while (at < c->room && c->slot[at].count == 0)
		at++;
	return at < c->room ? &c->slot[at] : NULL;
}

const struct class *profile_class(const struct profile *p, uint32_t index)
{
	static const struct class unused;

	return p->classes[index] ? &p->classes[index]->class : &unused;
}

size_t profile_classes(const struct profile *p)
{
	return p->n_classes;
}

const struct profile_task *profile_task(const struct profile *p, uint32_t index)
{
	return index < p->n_tasks ? &p->tasks[index] : NULL;
}

static uint32_t last_period(const struct profile *p)
{
	const struct profile_cell *cell = NULL;
	uint32_t last = 0;

	while ((cell = profile_next(p, PROFILE_CPU, cell)))
		if (cell->period > last)
			last = cell->period;
	return last;
}

bool profile_coarsen(struct profile *p, uint32_t periods)
{
	while (!p->fixed && last_period(p) >= periods)
		if (!double_periods(p))
			return false;
	return true;
}

uint64_t profile_period_ns(const struct profile *p)
{
	return p->period_ns;
}
