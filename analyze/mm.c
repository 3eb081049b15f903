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

struct mm_table {
	struct mm **mms; /* by index */
	size_t n;
	size_t room;
	uint32_t *current; /* by hardware PID: index + 1 of its living mm, or of the last one */
	struct process_node *processes;
};

struct mm_table *mm_table_new(void)
{
	struct mm_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
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

void mm_table_free(struct mm_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->mms[i]);
	free(t->mms);
	free(t->current);
	free_processes(t);
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

static struct mm *add_mm(struct mm_table *t, uint32_t hw_pid)
{
	struct mm *mm;

	if (t->n == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		struct mm **mms = reallocarray(t->mms, room, sizeof(struct mm *));

		if (!mms)
			return NULL;
		t->mms = mms;
		t->room = room;
	}
	mm = calloc(1, sizeof(*mm));
	if (!mm)
		return NULL;
	mm->index = (uint32_t)t->n;
	mm->hw_pid = hw_pid;
	mm->tgid = -1;
	t->mms[t->n++] = mm;
	t->current[hw_pid] = (uint32_t)t->n;
	return mm;
}

static void set_name(struct mm *mm, const char *comm)
{
	size_t len = strnlen(comm, COMM_LEN - 1);

	memcpy(mm->name, comm, len);
	mm->name[len] = '\0';
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
	for (size_t i = t->n; i > 0 && t->n - i < 64; i--)
		if (t->mms[i - 1]->tgid == tgid && !t->mms[i - 1]->dead)
			set_name(t->mms[i - 1], comm);
}
