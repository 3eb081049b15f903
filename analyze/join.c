/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join.c - runs and events of all CPUs become flushes. */
#include "analyze/join.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/geometry.h"

/* A task's flushes that wait for what it does next: at most so many, older ones are given up. */
#define PENDING_MAX 4096u

/* The flush that a context of a CPU is writing. */
struct join_unit {
	bool open;
	struct flush f;
};

struct join_cpu {
	struct join_unit task;
	struct join_unit irq;
};

struct pending {
	struct flush *f;
	size_t n;
	size_t room;
	uint64_t longest;  /* of the call: pages of its longest run of base pages */
	uint32_t promoted; /* of the call */
	struct mm *promoted_mm;
};

struct join {
	struct join_sink sink;
	struct task_table *tasks;
	struct mm_table *mms;
	struct join_cpu *cpus;
	uint32_t n_cpus;
	unsigned base_shift;
};

struct join *join_new(const struct source *src, uint32_t cpus, unsigned base_shift,
		      const struct join_sink *sink)
{
	struct join *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->sink = *sink;
	j->n_cpus = cpus;
	j->base_shift = base_shift;
	j->tasks = task_table_new(src);
	j->mms = mm_table_new();
	j->cpus = calloc(cpus ? cpus : 1, sizeof(*j->cpus));
	if (!j->tasks || !j->mms || !j->cpus) {
		join_free(j);
		return NULL;
	}
	return j;
}

static void drop_pending(struct task *task)
{
	struct pending *p = task->pending;

	if (p)
		free(p->f);
	free(p);
	task->pending = NULL;
}

void join_free(struct join *j)
{
	if (!j)
		return;
	task_table_free(j->tasks, drop_pending);
	mm_table_free(j->mms);
	free(j->cpus);
	free(j);
}

const struct mm_table *join_mms(const struct join *j)
{
	return j->mms;
}

/* Entry of a flush by pages, as far as its shape tells. */
static enum flush_entry entry_of_pages(const struct flush *f)
{
	uint64_t pmd_pages = pages_per_pmd(f->shift);
	bool one_pmd = f->pages == pmd_pages && page_in_pmd(f->addr, f->shift) == 0;

	if (f->pages_2m)
		return ENTRY_RANGE;
	/* MADV_COLLAPSE and khugepaged; nothing else in them frees page tables. */
	if (f->pwc && one_pmd && (f->cause == CAUSE_MADVISE || f->cause == CAUSE_KTHREAD))
		return ENTRY_COLLAPSED;
	if (f->pwc)
		return ENTRY_PWC;
	if (f->shift == PMD_SHIFT && f->pages == 1)
		return ENTRY_PMD;
	if (f->context == CONTEXT_CALL)
		return ENTRY_GATHER;
	return f->pages == 1 ? ENTRY_PAGE : ENTRY_UNKNOWN;
}

static enum flush_entry entry_of_request(const struct told *told)
{
	switch (told->outer) {
	case REQUEST_GATHER:
		if (told->fullmm || told->inner == REQUEST_ALL_MM)
			return ENTRY_ALL;
		if (told->inner == REQUEST_MM)
			return ENTRY_MM;
		return told->tables ? ENTRY_PWC : ENTRY_GATHER;
	case REQUEST_RANGE:
		return ENTRY_RANGE;
	case REQUEST_PAGE:
	case REQUEST_PAGE_PSIZE:
		return ENTRY_PAGE;
	case REQUEST_PMD_RANGE:
		return ENTRY_PMD;
	case REQUEST_COLLAPSED:
		return ENTRY_COLLAPSED;
	case REQUEST_MM:
		return ENTRY_MM;
	case REQUEST_ALL_MM:
		return ENTRY_ALL;
	case REQUEST_KERNEL:
		return ENTRY_KERNEL;
	case REQUEST_PWC_RANGE:
		return ENTRY_PWC;
	default:
		return told->tables ? ENTRY_PWC : ENTRY_GATHER;
	}
}

static enum flush_entry entry_of(const struct flush *f)
{
	if (f->is_told)
		return entry_of_request(&f->told);
	if (f->irq)
		return f->shape == SHAPE_ALL ? ENTRY_TRIM : ENTRY_UNKNOWN;
	switch (f->shape) {
	case SHAPE_VA:
		return entry_of_pages(f);
	case SHAPE_KERNEL:
		return ENTRY_KERNEL;
	case SHAPE_PWC:
		return ENTRY_PWC;
	case SHAPE_PID:
		if (f->cause == CAUSE_FORK)
			return ENTRY_MM;
		return f->context == CONTEXT_CALL ? ENTRY_GATHER : ENTRY_UNKNOWN;
	case SHAPE_ALL:
		if (f->cause == CAUSE_EXIT || f->cause == CAUSE_EXEC)
			return ENTRY_ALL;
		return f->context == CONTEXT_CALL ? ENTRY_PWC : ENTRY_UNKNOWN;
	default:
		return ENTRY_UNKNOWN;
	}
}

static bool emit(struct join *j, struct flush *f)
{
	f->entry = entry_of(f);
	return j->sink.flush(j->sink.arg, f);
}

/* Hands out all that waits for this task. */
static bool release(struct join *j, struct pending *p)
{
	bool ok = true;

	for (size_t i = 0; i < p->n && ok; i++) {
		if (p->f[i].context == CONTEXT_CALL)
			p->f[i].call_longest = p->longest;
		ok = emit(j, &p->f[i]);
	}
	p->n = 0;
	return ok;
}

static bool wait_for_task(struct join *j, struct task *task, const struct flush *f)
{
	struct pending *p = task->pending;

	if (!p)
		p = task->pending = calloc(1, sizeof(*p));
	if (!p)
		return false;
	if (p->n >= PENDING_MAX && !release(j, p))
		return false;
	if (p->n == p->room) {
		size_t room = p->room ? p->room * 2 : 4;
		struct flush *grown = reallocarray(p->f, room, sizeof(*grown));

		if (!grown)
			return false;
		p->f = grown;
		p->room = room;
	}
	p->f[p->n++] = *f;
	return true;
}

static enum flush_cause cause_of_call(enum syscall_nr nr)
{
	switch (nr) {
	case SYSCALL_MUNMAP:
		return CAUSE_MUNMAP;
	case SYSCALL_MPROTECT:
		return CAUSE_MPROTECT;
	case SYSCALL_MADVISE:
		return CAUSE_MADVISE;
	case SYSCALL_MREMAP:
		return CAUSE_MREMAP;
	case SYSCALL_BRK:
		return CAUSE_BRK;
	case SYSCALL_SHMDT:
	case SYSCALL_SHMAT:
		return CAUSE_SHMDT;
	default:
		return CAUSE_UNKNOWN;
	}
}

/* Kernel threads that flush other tasks' mms. */
static bool is_flushing_kthread(const char *comm)
{
	static const char *const names[] = { "khugepaged", "kswapd",  "kcompactd", "ksmd",
					     "kworker",	   "oom_rea", "migration" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(comm, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void attach_task(struct flush *f, const struct task *task)
{
	const struct task_call *call = &task->call;

	memcpy(f->comm, task->comm, sizeof(f->comm));
	if (is_flushing_kthread(task->comm)) {
		f->context = CONTEXT_OUTSIDE;
		f->cause = CAUSE_KTHREAD;
	} else if (call->known && call->inside) {
		f->context = CONTEXT_CALL;
		f->cause = cause_of_call(call->nr);
		f->call_start = call->start;
		f->call_len = call->len;
	} else if (call->known) {
		f->context = CONTEXT_OUTSIDE;
	}
}

static bool attach_mm(struct join *j, struct flush *f, const struct task *task)
{
	struct mm_issuer issuer = {
		.tgid = f->irq || f->cause == CAUSE_KTHREAD ? -1 : task->tgid,
		.tgid_certain = task->tgid_certain,
		.comm = task->comm,
	};

	if (f->shape == SHAPE_KERNEL || f->shape == SHAPE_FOREIGN)
		return true;
	f->mm = mm_of_flush(j->mms, f->hw_pid, &issuer);
	if (!f->mm)
		return false;
	if (!f->irq) {
		f->mm->torn = f->shape == SHAPE_ALL && f->context != CONTEXT_CALL;
		if (f->mm->torn && task->exiting)
			f->mm->dead = true;
	}
	return true;
}

static bool whole_pid(const struct flush *f)
{
	return f->shape == SHAPE_PID || f->shape == SHAPE_ALL;
}

/* A flush inside a call: notes what the call as a whole tells about its parts. */
static bool settle_in_call(struct join *j, struct task *task, struct flush *f)
{
	struct pending *p;

	if (!whole_pid(f) && !flush_may_hide_requests(f))
		return emit(j, f);
	if (!wait_for_task(j, task, f))
		return false;
	p = task->pending;
	if (whole_pid(f)) {
		p->promoted++;
		p->promoted_mm = f->mm;
	} else if (f->shift < PMD_SHIFT && f->pages > p->longest) {
		p->longest = f->pages;
	}
	return true;
}

/* The task's request is the unit's, if it can be: the unit is then no guess. */
static void attach_request(struct flush *f, struct task *task)
{
	uint64_t addr = f->shape == SHAPE_VA ? f->addr : 0;

	if (f->irq || !told_matches(&task->told, f->hw_pid, addr))
		return;
	f->is_told = true;
	f->told = task->told;
	task->told.fresh = false;
}

static bool close_unit(struct join *j, struct join_unit *unit)
{
	struct flush *f = &unit->f;
	struct task *task;

	if (!unit->open)
		return true;
	unit->open = false;
	task = task_get(j->tasks, f->tid, -1);
	if (!task)
		return false;
	attach_request(f, task);
	if (f->irq)
		f->cause = f->shape == SHAPE_ALL ? CAUSE_TRIM : CAUSE_UNKNOWN;
	else
		attach_task(f, task);
	if (!attach_mm(j, f, task))
		return false;
	if (f->irq || f->cause == CAUSE_KTHREAD || f->shape == SHAPE_FOREIGN)
		return emit(j, f);
	if (task->exiting && f->shape == SHAPE_ALL)
		f->cause = CAUSE_EXIT;
	if (f->context == CONTEXT_CALL)
		return settle_in_call(j, task, f);
	return wait_for_task(j, task, f);
}

static enum flush_shape shape_of(enum tlbie_kind kind)
{
	switch (kind) {
	case TLBIE_VA:
		return SHAPE_VA;
	case TLBIE_PID:
		return SHAPE_PID;
	case TLBIE_ALL:
		return SHAPE_ALL;
	case TLBIE_PWC:
		return SHAPE_PWC;
	case TLBIE_KERNEL:
		return SHAPE_KERNEL;
	default:
		return SHAPE_FOREIGN;
	}
}

static void add_fixups(struct flush *f, const struct run *run)
{
	f->fix_erat = (uint8_t)(f->fix_erat + run->fix_erat);
	f->fix_stq = (uint8_t)(f->fix_stq + run->fix_stq);
	f->fix_old = (uint8_t)(f->fix_old + run->fix_old);
}

static void take_pages(struct flush *f, const struct run *run)
{
	f->shape = SHAPE_VA;
	f->shift = run->shift;
	f->addr = run->addr;
	f->pages = run->n;
}

static void open_unit(struct join_unit *unit, const struct run *run)
{
	struct flush *f = &unit->f;

	unit->open = true;
	*f = (struct flush){
		.start_ns = run->start_ns,
		.end_ns = run->end_ns,
		.cpu = run->cpu,
		.tid = run->tid,
		.hw_pid = run->hw_pid,
		.shape = shape_of(run->kind),
		.foreign = run->kind,
		.local = run->local,
		.irq = run->irq,
		.ended_by = run->ended_by,
	};
	add_fixups(f, run);
	if (f->shape == SHAPE_VA)
		take_pages(f, run);
	else if (f->shape == SHAPE_FOREIGN)
		f->pages = run->n;
	else
		f->sets = (uint32_t)run->n;
}

/* The 2 MiB pass that radix__flush_tlb_range derives from the range it has just flushed. */
static bool is_derived_pass(const struct flush *f, const struct run *run)
{
	uint64_t end = f->addr + (f->pages << f->shift);

	return f->shape == SHAPE_VA && f->shift < PMD_SHIFT && f->pages_2m == 0 &&
	       run->shift == PMD_SHIFT && run->n == range_n2m(f->addr, end) &&
	       run->addr == ((f->addr + PMD_BYTES - 1) & ~(PMD_BYTES - 1));
}

/* Adds run to the unit where one request writes both. Marks between them have closed the unit. */
static bool extend_unit(struct join_unit *unit, const struct run *run)
{
	struct flush *f = &unit->f;

	if (!unit->open || run->kind != TLBIE_VA || f->hw_pid != run->hw_pid ||
	    f->local != run->local)
		return false;
	if (f->shape == SHAPE_PWC) {
		take_pages(f, run);
		f->pwc = true;
		f->sets = 0;
	} else if (is_derived_pass(f, run)) {
		f->pages_2m = run->n;
	} else {
		return false;
	}
	add_fixups(f, run);
	f->end_ns = run->end_ns;
	f->ended_by = run->ended_by;
	return true;
}

static bool join_run(struct join *j, const struct run *run)
{
	struct join_cpu *cpu = &j->cpus[run->cpu];
	struct join_unit *unit = run->irq ? &cpu->irq : &cpu->task;

	if (extend_unit(unit, run))
		return true;
	if (!close_unit(j, unit))
		return false;
	open_unit(unit, run);
	return true;
}

/*
 * exec: the old mm is torn down, then come flushes of the new one, then the event (policies 14, 4).
 * What was flushed before the teardown was no part of it.
 */
static void blame_exec(struct pending *p)
{
	const struct mm *fresh = p->n ? p->f[p->n - 1].mm : NULL;
	size_t first = p->n;

	while (first > 0 && p->f[first - 1].mm == fresh)
		first--;
	if (first > 0 && p->f[first - 1].shape == SHAPE_ALL) {
		first--;
		p->f[first].mm->dead = true;
	}
	for (size_t i = first; i < p->n; i++)
		p->f[i].cause = CAUSE_EXEC;
}

static void blame_exit(struct pending *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->f[i].shape == SHAPE_ALL) {
			p->f[i].cause = CAUSE_EXIT;
			p->f[i].mm->dead = true;
		}
	}
}

/* dup_mmap() flushes the parent's whole mm before the child is announced. */
static void blame_fork(struct pending *p)
{
	for (size_t i = p->n; i > 0; i--) {
		if (p->f[i - 1].shape == SHAPE_PID) {
			p->f[i - 1].cause = CAUSE_FORK;
			return;
		}
	}
}

/* What the task does next tells what its last flushes outside of calls were for. */
static void blame(struct pending *p, const struct event *ev)
{
	if (ev->kind == EVENT_EXEC)
		blame_exec(p);
	else if (ev->kind == EVENT_EXIT)
		blame_exit(p);
	else if (ev->kind == EVENT_NEWTASK && !(ev->task.flags & CLONE_VM))
		blame_fork(p);
	for (size_t i = 0; i < p->n; i++)
		if (p->f[i].cause == CAUSE_UNKNOWN && p->f[i].shape == SHAPE_VA &&
		    p->f[i].context == CONTEXT_OUTSIDE)
			p->f[i].cause = CAUSE_FAULT;
}

static bool report_call(struct join *j, const struct task *task, struct pending *p)
{
	bool ok = true;

	if (p->promoted && j->sink.call && task->call.inside)
		ok = j->sink.call(j->sink.arg, p->promoted_mm, cause_of_call(task->call.nr),
				  p->promoted);
	p->promoted = 0;
	p->longest = 0;
	return ok;
}

/* Settles what waits for this task before ev changes the task's state. */
static bool settle_task(struct join *j, int32_t tid, const struct event *ev)
{
	struct task *task = task_find(j->tasks, tid);
	struct pending *p = task ? task->pending : NULL;

	if (task)
		task->told.fresh = false;
	if (!p)
		return true;
	if (!task->call.inside)
		blame(p, ev);
	if (!release(j, p) || !report_call(j, task, p))
		return false;
	drop_pending(task);
	return true;
}

static bool settles(const struct event *ev)
{
	switch ((enum event_kind)ev->kind) {
	case EVENT_SYS_ENTER:
	case EVENT_SYS_EXIT:
	case EVENT_NEWTASK:
	case EVENT_EXEC:
	case EVENT_EXIT:
		return true;
	default:
		return false;
	}
}

/* A probe on a flush function: what the task's next records are for. */
static bool note_request(struct join *j, const struct event *ev)
{
	struct task *task = task_get(j->tasks, ev->tid, ev->tgid);

	if (!task)
		return false;
	if (event_is_mark(ev))
		told_apply(&task->told, &ev->request, ev->time_ns, j->base_shift);
	return true;
}

static bool join_event(struct join *j, const struct event *ev)
{
	struct join_cpu *cpu = &j->cpus[ev->cpu];

	if (event_is_mark(ev) && (!close_unit(j, &cpu->task) || !close_unit(j, &cpu->irq)))
		return false;
	if (ev->kind == EVENT_REQUEST && !note_request(j, ev))
		return false;
	if (settles(ev) && !settle_task(j, ev->tid, ev))
		return false;
	if (!task_apply(j->tasks, ev))
		return false;
	if (ev->kind == EVENT_EXEC || ev->kind == EVENT_RENAME) {
		const struct task *task = task_find(j->tasks, ev->task.tid);

		if (task && task->tid == task->tgid)
			mm_rename(j->mms, task->tgid, task->comm);
	}
	return true;
}

bool join_item(struct join *j, const struct run_item *item)
{
	return item->is_run ? join_run(j, &item->run) : join_event(j, &item->event);
}

/* Collects what is left for one task; the table is freed afterwards. */
static bool settle_all(struct join *j)
{
	struct event end = { .kind = EVENT_LOST };
	struct task *task = NULL;

	while ((task = task_next(j->tasks, task)))
		if (!settle_task(j, task->tid, &end))
			return false;
	return true;
}

bool join_finish(struct join *j)
{
	for (uint32_t c = 0; c < j->n_cpus; c++)
		if (!close_unit(j, &j->cpus[c].task) || !close_unit(j, &j->cpus[c].irq))
			return false;
	return settle_all(j);
}
