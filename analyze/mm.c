/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mm.c - the table of address spaces. */
#include "analyze/mm.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define HW_PIDS (1u << 20) /* mmu_pid_bits is 20 on POWER9 and POWER10 */

/* The living mm of a process. */
struct process_node {
	int32_t tgid;
	struct mm *mm;
	UT_hash_handle hh;
};

/* The mm for those of one name that are gone. */
struct name_node {
	char name[COMM_LEN];
	struct mm *mm;
	UT_hash_handle hh;
};

/*
 * New mms after which those that are gone are folded once more: so few that what is known of them
 * stays in the processor's cache.
 */
#define FOLD_STEP 256u
#define NAMES_MAX 1024u
#define RECENT 64u /* mms that a new name may be meant for */

struct mm_table {
	struct mm **mms; /* by index; NULL where an index is free */
	size_t n;
	size_t room;
	uint32_t *unused; /* indices, [n_unused] of room */
	size_t n_unused;
	size_t crowd;		 /* mms from which on it is crowded */
	uint32_t recent[RECENT]; /* indices of the youngest, round and round */
	uint64_t made;
	struct name_node *names;
	uint32_t *current; /* by hardware PID: index + 1 of its living mm, or of the last one */
	struct process_node *processes;
};

struct mm_table *mm_table_new(void)
{
	struct mm_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->crowd = MM_DETAIL;
	t->current = calloc(HW_PIDS, sizeof(*t->current));
	if (!t->current) {
		free(t);
		return NULL;
	}
	return t;
}

static void free_processes(struct mm_table *t)
{
	struct process_node *node = t->processes;

	HASH_CLEAR(hh, t->processes);
	while (node) {
		struct process_node *next = node->hh.next;

		free(node);
		node = next;
	}
}

static void free_names(struct mm_table *t)
{
	struct name_node *node = t->names;

	HASH_CLEAR(hh, t->names);
	while (node) {
		struct name_node *next = node->hh.next;

		free(node);
		node = next;
	}
}

void mm_table_free(struct mm_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->mms[i]);
	free(t->mms);
	free(t->unused);
	free(t->current);
	free_processes(t);
	free_names(t);
	free(t);
}

size_t mm_count(const struct mm_table *t)
{
	return t->n;
}

struct mm *mm_by_index(const struct mm_table *t, uint32_t index)
{
	return index < t->n ? t->mms[index] : NULL;
}

static bool grow(struct mm_table *t)
{
	size_t room = t->room ? t->room * 2 : 64;
	struct mm **mms = reallocarray(t->mms, room, sizeof(struct mm *));
	uint32_t *unused;

	if (!mms)
		return false;
	t->mms = mms;
	unused = reallocarray(t->unused, room, sizeof(*unused));
	if (!unused)
		return false;
	t->unused = unused;
	t->room = room;
	return true;
}

static struct mm *new_mm(struct mm_table *t)
{
	struct mm *mm;

	if (!t->n_unused && t->n == t->room && !grow(t))
		return NULL;
	mm = calloc(1, sizeof(*mm));
	if (!mm)
		return NULL;
	mm->index = t->n_unused ? t->unused[--t->n_unused] : (uint32_t)t->n++;
	mm->tgid = -1;
	t->mms[mm->index] = mm;
	return mm;
}

static struct mm *add_mm(struct mm_table *t, uint32_t hw_pid)
{
	struct mm *mm = new_mm(t);

	if (!mm)
		return NULL;
	mm->hw_pid = hw_pid;
	t->current[hw_pid] = mm->index + 1;
	t->recent[t->made++ % RECENT] = mm->index;
	return mm;
}

static void set_name(struct mm *mm, const char *comm)
{
	size_t len = strnlen(comm, COMM_LEN - 1);

	memcpy(mm->name, comm, len);
	mm->name[len] = '\0';
}

struct mm *mm_add_gone(struct mm_table *t, const char *name, int32_t tgid, uint64_t members)
{
	struct mm *mm = new_mm(t);

	if (!mm)
		return NULL;
	set_name(mm, name);
	mm->tgid = tgid;
	mm->dead = true;
	mm->members = members;
	return mm;
}

/* True where the issuer cannot be a task of the process that mm belonged to. */
static bool is_other_process(const struct mm *mm, const struct mm_issuer *issuer)
{
	if (issuer->tgid < 0 || issuer->tgid == mm->tgid)
		return false;
	return issuer->tgid_certain || strncmp(issuer->comm, mm->name, COMM_LEN - 1) != 0;
}

struct mm *mm_of_flush(struct mm_table *t, uint32_t hw_pid, const struct mm_issuer *issuer)
{
	struct mm *mm;

	hw_pid &= HW_PIDS - 1;
	mm = t->current[hw_pid] ? t->mms[t->current[hw_pid] - 1] : NULL;
	if (!mm || (mm->dead && issuer->tgid >= 0) || (mm->torn && is_other_process(mm, issuer)))
		mm = add_mm(t, hw_pid);
	if (mm && mm->tgid < 0 && issuer->tgid >= 0) {
		mm->tgid = issuer->tgid;
		set_name(mm, issuer->comm);
	} else if (mm && issuer->is_leader && issuer->tgid == mm->tgid) {
		set_name(mm, issuer->comm);
	}
	return mm;
}

struct mm *mm_of_process(struct mm_table *t, int32_t tgid, const char *comm)
{
	struct process_node *node;

	HASH_FIND_INT(t->processes, &tgid, node);
	if (node)
		return node->mm;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->tgid = tgid;
	node->mm = add_mm(t, 0);
	if (!node->mm) {
		free(node);
		return NULL;
	}
	node->mm->tgid = tgid;
	set_name(node->mm, comm);
	HASH_ADD_INT(t->processes, tgid, node);
	return node->mm;
}

void mm_process_left(struct mm_table *t, int32_t tgid)
{
	struct process_node *node;

	HASH_FIND_INT(t->processes, &tgid, node);
	if (!node)
		return;
	node->mm->dead = true;
	HASH_DEL(t->processes, node);
	free(node);
}

void mm_rename(struct mm_table *t, int32_t tgid, const char *comm)
{
	/* A thread group has one or two mms alive, the youngest ones. */
	for (uint64_t i = 0; i < RECENT && i < t->made; i++) {
		struct mm *mm = t->mms[t->recent[i]];

		if (mm && mm->tgid == tgid && !mm->dead)
			set_name(mm, comm);
	}
}

struct mm *mm_of_owner(struct mm_table *t, int32_t tgid, const char *comm)
{
	for (uint64_t i = 0; i < RECENT && i < t->made; i++) {
		struct mm *mm = t->mms[t->recent[i]];

		if (mm && mm->hw_pid && mm->tgid == tgid && !mm->dead && !mm->torn)
			return mm;
	}
	return mm_of_process(t, tgid, comm);
}

bool mm_crowded(const struct mm_table *t)
{
	return t->n - t->n_unused >= t->crowd;
}

/* The mm for those of this name; names beyond NAMES_MAX have one in common, without a name. */
static struct mm *mm_of_name(struct mm_table *t, const char *name)
{
	struct name_node *node;

	HASH_FIND_STR(t->names, name, node);
	if (!node && HASH_COUNT(t->names) >= NAMES_MAX - 1) {
		name = "";
		HASH_FIND_STR(t->names, name, node);
	}
	if (node)
		return node->mm;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	memcpy(node->name, name, strlen(name));
	node->mm = new_mm(t);
	if (!node->mm) {
		free(node);
		return NULL;
	}
	memcpy(node->mm->name, node->name, sizeof(node->name));
	node->mm->dead = true;
	HASH_ADD_STR(t->names, name, node);
	return node->mm;
}

/* Whether another flush could be found to belong to it. */
static bool is_reachable(const struct mm_table *t, const struct mm *mm)
{
	if (mm->held || mm->members || t->current[mm->hw_pid] == mm->index + 1)
		return true;
	return !mm->hw_pid && !mm->dead;
}

uint32_t *mm_fold(struct mm_table *t)
{
	size_t n = t->n;
	/* One name's mm may be new for each that goes. */
	uint32_t *into = calloc(n + NAMES_MAX, sizeof(*into));

	if (!into)
		return NULL;
	for (size_t i = 0; i < n + NAMES_MAX; i++)
		into[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++) {
		struct mm *mm = t->mms[i];
		struct mm *name = mm && !is_reachable(t, mm) ? mm_of_name(t, mm->name) : NULL;

		if (!name || name == mm)
			continue;
		name->members++;
		into[i] = name->index;
	}
	return into;
}

void mm_fold_done(struct mm_table *t, uint32_t *into)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!t->mms[i])
			continue;
		t->mms[i]->held = false;
		if (into[i] == i)
			continue;
		free(t->mms[i]);
		t->mms[i] = NULL;
		t->unused[t->n_unused++] = (uint32_t)i;
	}
	t->crowd = t->n - t->n_unused;
	t->crowd += t->crowd / 8 > FOLD_STEP ? t->crowd / 8 : FOLD_STEP;
	free(into);
}
