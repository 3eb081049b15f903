/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm.h - address spaces: hardware PID and epoch, name, owner.
 *
 * A hardware PID (mm->context.id) is the lowest free number and is used again when its mm is gone,
 * so it names an mm only until that mm dies: an epoch (policies 1.4).
 */
#ifndef TLBTRACE_MM_H
#define TLBTRACE_MM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/event.h"

struct mm {
	uint32_t index;	 /* in order of appearance */
	uint32_t hw_pid; /* 0 on x86 */
	int32_t tgid;	 /* of its owner; -1 until a task of its own has issued a flush */
	char name[COMM_LEN];
	bool torn;	  /* its last flush was of everything: perhaps its teardown */
	bool dead;	  /* that flush was the teardown: its task exited or executed a program */
	bool thp_changed; /* a call of it flushed 2 MiB pages one by one, and then at once: no hugetlb */
	bool held;	  /* mm_fold: a flush that names it is still on its way */
	uint64_t members; /* > 0: stands for so many of its name that are gone */
};

struct mm_table;

struct mm_table *mm_table_new(void);
void mm_table_free(struct mm_table *t);

/* Who issued a flush. The leader of the group gives the mm its name: another since an exec that was
 * not recorded, which only later events tell. */
struct mm_issuer {
	bool is_leader;
	int32_t tgid; /* -1: not a task of the mm's own, such as an IPI handler or a kernel thread */
	bool tgid_certain; /* false: taken for a group of its own because nothing says otherwise */
	const char *comm;
};

/*
 * The mm that a flush of hw_pid concerns. A new epoch begins where the old mm is dead, or torn and
 * the issuer is another process. NULL where memory is short.
 */
struct mm *mm_of_flush(struct mm_table *t, uint32_t hw_pid, const struct mm_issuer *issuer);

/*
 * Where records have no hardware PID (x86): the mm of process tgid, made where it is new. An epoch
 * ends when the process executes a program or its tgid is given out again: mm_process_left.
 */
struct mm *mm_of_process(struct mm_table *t, int32_t tgid, const char *comm);
void mm_process_left(struct mm_table *t, int32_t tgid);

/* The living mm of process tgid, the one that flushes of a hardware PID have shown if there is one,
 * else as mm_of_process(). */
struct mm *mm_of_owner(struct mm_table *t, int32_t tgid, const char *comm);

/*
 * Memory stays flat however many processes there are: where MM_DETAIL mms are kept apart, or many
 * have come since the last time, mm_crowded() says so, and mm_fold() makes those that no further flush can belong to, and that are
 * not held, part of one mm for their name. Returns for each index, [mm_count()], the one that has it
 * now: its own where it stays. Until mm_fold_done(), which frees that, no mm may be added; after it
 * the indices of those that are gone are given out again. NULL where memory is short.
 */
#define MM_DETAIL 2048u
bool mm_crowded(const struct mm_table *t);
uint32_t *mm_fold(struct mm_table *t);
void mm_fold_done(struct mm_table *t, uint32_t *into);

/* One that no flush will belong to any more, with what is to be known of it; as mm_of_flush. */
struct mm *mm_add_gone(struct mm_table *t, const char *name, int32_t tgid, uint64_t members);

/* The mm with this index, or NULL. */
struct mm *mm_by_index(const struct mm_table *t, uint32_t index);
size_t mm_count(const struct mm_table *t);

/* The owner of tgid has become comm: its living mms take the name. */
void mm_rename(struct mm_table *t, int32_t tgid, const char *comm);

#endif
