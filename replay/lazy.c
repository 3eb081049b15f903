/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.c - counts what the lazy TLB schemes do. */
#include "replay/lazy.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "replay/cpumask.h"

#define SECOND_NS UINT64_C(1000000000)
#define LAZY_ROWS_MAX 4096u
#define OTHER_NAMES "(other names)"

/* Atomics in the current second, and in the busiest so far. */
struct rate {
	uint64_t second;
	uint64_t n;
	uint64_t peak;
};

/* What a space has at its ext. */
struct lazy_mm {
	uint64_t atomics;
	struct rate rate;
	bool dead;
	uint64_t cpus[]; /* that did atomics */
};

struct row_node {
	struct lazy_row row;
	UT_hash_handle hh;
};

struct lazy {
	uint32_t n_cpus;
	size_t words;
	size_t ext_at;
	uint64_t *holders; /* CPUs that hold a dying mm lazily */
	uint64_t *perhaps; /* CPUs that may, as far as tasks tell */
	struct lazy_totals totals;
	struct rate rate;
	uint64_t *shots_to[TRIMS];
	struct row_node *rows;
	struct lazy_row *sorted;
};

struct lazy *lazy_new(uint32_t cpus, size_t ext_at)
{
	struct lazy *l = calloc(1, sizeof(*l));
	bool ok;

	if (!l)
		return NULL;
	l->n_cpus = cpus ? cpus : 1;
	l->words = (l->n_cpus + 63) / 64;
	l->ext_at = ext_at;
	l->holders = calloc(l->words, sizeof(uint64_t));
	l->perhaps = calloc(l->words, sizeof(uint64_t));
	ok = l->holders && l->perhaps;
	for (size_t i = 0; i < TRIMS; i++) {
		l->shots_to[i] = calloc(l->n_cpus, sizeof(uint64_t));
		ok &= l->shots_to[i] != NULL;
	}
	if (ok)
		return l;
	lazy_free(l);
	return NULL;
}

void lazy_free(struct lazy *l)
{
	struct row_node *node = l ? l->rows : NULL;

	if (!l)
		return;
	HASH_CLEAR(hh, l->rows);
	while (node) {
		struct row_node *next = node->hh.next;

		free(node);
		node = next;
	}
	for (size_t i = 0; i < TRIMS; i++)
		free(l->shots_to[i]);
	free(l->sorted);
	free(l->holders);
	free(l->perhaps);
	free(l);
}

size_t lazy_ext_bytes(const struct lazy *l)
{
	return sizeof(struct lazy_mm) + l->words * sizeof(uint64_t);
}

static struct lazy_mm *mm_of(const struct lazy *l, const struct space *space)
{
	return (struct lazy_mm *)((char *)space->ext + l->ext_at);
}

static void count_in(struct rate *r, uint64_t time_ns)
{
	if (r->second != time_ns / SECOND_NS) {
		r->second = time_ns / SECOND_NS;
		r->n = 0;
	}
	if (++r->n > r->peak)
		r->peak = r->n;
}

/* One atomic on the mm_count of space, NULL where it is unknown. */
static void count_atomic(struct lazy *l, struct space *space, uint64_t time_ns, uint32_t cpu)
{
	struct lazy_mm *mm;

	l->totals.atomics++;
	count_in(&l->rate, time_ns);
	if (!space)
		return;
	mm = mm_of(l, space);
	mm->atomics++;
	count_in(&mm->rate, time_ns);
	mm->cpus[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

/* True where the task has an mm as far as events tell: a "user" of policies 4.2. */
static bool has_mm(const struct ts_task *task)
{
	return task->kind != TS_KERNEL && !task->exited;
}

/* How many atomics more there are if a task whose kind is unsure is a kernel thread. */
static void note_doubt(struct ts_task *task, bool other_has_mm)
{
	if (task->kind == TS_LIKELY_USER && !task->exited)
		task->owed += other_has_mm ? 1 : -1;
}

void lazy_switched(struct lazy *l, const struct taskstate *ts, uint64_t time_ns, uint32_t cpu,
		   struct ts_task *prev, struct ts_task *next)
{
	bool from = has_mm(prev);
	bool to = has_mm(next);

	note_doubt(prev, to);
	note_doubt(next, from);
	if (from == to)
		return;
	l->totals.enter += from;
	l->totals.leave += to;
	count_atomic(l, ts_cpu(ts, cpu)->active, time_ns, cpu);
}

void lazy_exited(struct lazy *l, uint64_t time_ns, uint32_t cpu, struct ts_task *task,
		 struct space *space)
{
	if (task->kind == TS_LIKELY_USER)
		task->owed--;
	l->totals.exits++;
	count_atomic(l, space, time_ns, cpu);
}

/* A CPU of which nothing was seen yet may hold what was before the trace; and a task that may be a
 * kernel thread leaves what the CPU held before. */
static void find_holders(struct lazy *l, const struct taskstate *ts, const struct space *space)
{
	memset(l->holders, 0, l->words * sizeof(uint64_t));
	memset(l->perhaps, 0, l->words * sizeof(uint64_t));
	for (uint32_t c = 0; c < l->n_cpus; c++) {
		const struct ts_cpu *cpu = ts_cpu(ts, c);
		bool holds = cpu->active == space && cpu->cur != space;

		if (holds)
			cpus_add(l->holders, c);
		if (holds || cpu->unsure || (!cpu->active && !space->born))
			cpus_add(l->perhaps, c);
	}
}

static void count_targets(struct lazy *l, const struct masks *m, const struct space *space,
			  enum trim kind)
{
	for (uint32_t c = 0; c < l->n_cpus; c++)
		l->shots_to[kind][c] += c != space->left_cpu && masks_has(m, space, kind, c);
}

/* certain: it has died; else it may. */
static void shoot(struct lazy *l, const struct masks *m, const struct space *space, enum trim kind,
		  uint32_t now_cpu, bool certain)
{
	struct lazy_shots *s = &l->totals.shots[kind];
	uint32_t useful;
	uint32_t perhaps;
	uint32_t there = masks_others(m, space, kind, space->left_cpu, l->holders, &useful);
	uint32_t now = masks_others(m, space, kind, now_cpu, l->holders, &perhaps);

	if (certain) {
		s->ipis_lo += there < now ? there : now;
		s->useful_lo += useful;
	}
	if (masks_open(space, kind)) {
		s->ipis_hi += l->n_cpus - 1;
		s->useful_hi += cpus_others(l->perhaps, l->words, space->left_cpu);
		return;
	}
	(void)masks_others(m, space, kind, space->left_cpu, l->perhaps, &perhaps);
	s->ipis_hi += there > now ? there : now;
	s->useful_hi += perhaps;
}

void lazy_died(struct lazy *l, const struct taskstate *ts, const struct masks *m,
	       struct space *space, uint32_t now_cpu)
{
	mm_of(l, space)->dead = true;
	l->totals.deaths++;
	find_holders(l, ts, space);
	for (unsigned kind = 0; kind < TRIMS; kind++) {
		shoot(l, m, space, (enum trim)kind, now_cpu, true);
		count_targets(l, m, space, (enum trim)kind);
	}
}

void lazy_may_die(struct lazy *l, const struct taskstate *ts, const struct masks *m,
		  const struct space *space)
{
	find_holders(l, ts, space);
	for (unsigned kind = 0; kind < TRIMS; kind++)
		shoot(l, m, space, (enum trim)kind, space->left_cpu, false);
}

static struct row_node *find_row(const struct lazy *l, const char *name)
{
	struct row_node *node;

	HASH_FIND_STR(l->rows, name, node);
	return node;
}

static struct lazy_row *row_of(struct lazy *l, const char *name)
{
	struct row_node *node = find_row(l, name);

	if (!node && HASH_COUNT(l->rows) >= LAZY_ROWS_MAX) {
		name = OTHER_NAMES;
		node = find_row(l, name);
	}
	if (node)
		return &node->row;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	memcpy(node->row.name, name, strnlen(name, COMM_LEN - 1));
	HASH_ADD_STR(l->rows, row.name, node);
	return &node->row;
}

bool lazy_forgotten(struct lazy *l, const struct space *space)
{
	const struct lazy_mm *mm = mm_of(l, space);
	struct lazy_row *row;
	uint32_t cpus = 0;

	if (mm->atomics == 0 && !mm->dead)
		return true;
	row = row_of(l, space->name);
	if (!row)
		return false;
	for (size_t i = 0; i < l->words; i++)
		cpus += (uint32_t)__builtin_popcountll(mm->cpus[i]);
	row->mms++;
	row->atomics += mm->atomics;
	row->deaths += mm->dead;
	row->cpus = cpus > row->cpus ? cpus : row->cpus;
	row->peak = mm->rate.peak > row->peak ? mm->rate.peak : row->peak;
	return true;
}

struct lazy_totals lazy_totals(const struct lazy *l, const struct taskstate *ts)
{
	struct lazy_totals t = l->totals;
	uint64_t less = 0;
	uint64_t more = 0;
	const struct ts_task *task = NULL;

	while ((task = ts_task_next(ts, task))) {
		if (task->kind != TS_LIKELY_USER)
			continue;
		if (task->owed < 0)
			less += (uint64_t)-task->owed;
		else
			more += (uint64_t)task->owed;
	}
	t.atomics_lo = t.atomics > less ? t.atomics - less : 0;
	t.atomics_hi = t.atomics + more;
	t.peak = l->rate.peak;
	return t;
}

static int by_atomics(const void *a, const void *b)
{
	const struct lazy_row *x = a;
	const struct lazy_row *y = b;

	if (x->atomics != y->atomics)
		return x->atomics < y->atomics ? 1 : -1;
	return strcmp(x->name, y->name);
}

const struct lazy_row *lazy_rows(struct lazy *l, size_t *n)
{
	size_t i = 0;
	const struct row_node *node;

	*n = HASH_COUNT(l->rows);
	free(l->sorted);
	l->sorted = calloc(*n ? *n : 1, sizeof(*l->sorted));
	if (!l->sorted)
		return NULL;
	for (node = l->rows; node; node = node->hh.next)
		l->sorted[i++] = node->row;
	qsort(l->sorted, *n, sizeof(*l->sorted), by_atomics);
	return l->sorted;
}

const uint64_t *lazy_shots_to(const struct lazy *l, enum trim kind)
{
	return l->shots_to[kind];
}
