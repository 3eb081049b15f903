/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join.c - runs and events of all CPUs become flushes. */
#include "analyze/join.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/cause.h"
#include "analyze/geometry.h"
#include "analyze/params.h"
#include "analyze/waiting.h"
#include "analyze/x86_join.h"

/*
 * A flush outside of calls waits for what its task does next, but not for ever: tasks sleep. After
 * so many flushes of others it is handed out, with what is known. Looked for as often.
 */
#define STALE_FLUSHES 16384u

/* The flush that a context of a CPU is writing. */
struct join_unit {
	bool open;
	struct flush f;
};

struct join_cpu {
	struct join_unit task;
	struct join_unit irq;
};

struct join {
	struct join_sink sink;
	struct task_table *tasks;
	struct mm_table *mms;
	struct x86_join *x86; /* NULL where the file names another architecture */
	struct join_cpu *cpus;
	uint32_t n_cpus;
	unsigned base_shift;
	uint64_t emitted;      /* flushes handed out */
	uint64_t next_look;    /* for stale ones, at this number */
	bool ranges_flush_pwc; /* flush_tlb_range of 2M and more begins with a PWC flush (v5.14) */
};

/* By its release alone; a backport shows itself by the first range that it flushes. */
static bool has_pwc_ranges(const char *release)
{
	unsigned era = era_of_release(release);
	struct params p;

	if (era == ERAS)
		return false;
	p = params_of_era(era);
	return p.v[PARAM_PWC];
}

/* False where memory is short. Other architectures have no such events. */
static bool add_x86(struct join *j, const struct source_info *info)
{
	struct x86_join_env env = {
		.tasks = j->tasks,
		.mms = j->mms,
		.n_cpus = j->n_cpus,
		.kernel = info->kernel,
		.flush = j->sink.flush,
		.asked = j->sink.asked,
		.arg = j->sink.arg,
	};

	if (strncmp(info->arch, "ppc", 3) == 0)
		return true;
	j->x86 = x86_join_new(&env);
	return j->x86;
}

struct join *join_new(const struct source *src, uint32_t cpus, unsigned base_shift,
		      const struct join_sink *sink)
{
	struct join *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->sink = *sink;
	j->n_cpus = cpus;
	j->base_shift = base_shift;
	j->next_look = STALE_FLUSHES;
	j->ranges_flush_pwc = has_pwc_ranges(source_info(src)->kernel);
	j->tasks = task_table_new(src);
	j->mms = mm_table_new();
	j->cpus = calloc(cpus ? cpus : 1, sizeof(*j->cpus));
	if (!j->tasks || !j->mms || !j->cpus || !add_x86(j, source_info(src))) {
		join_free(j);
		return NULL;
	}
	return j;
}

static void drop_waiting(struct task *task)
{
	waiting_free(task->waiting);
	task->waiting = NULL;
}

void join_free(struct join *j)
{
	if (!j)
		return;
	task_table_free(j->tasks, drop_waiting);
	mm_table_free(j->mms);
	for (uint32_t c = 0; j->cpus && c < j->n_cpus; c++) {
		free(j->cpus[c].task.f.times);
		free(j->cpus[c].irq.f.times);
	}
	x86_join_free(j->x86);
	free(j->cpus);
	free(j);
}

const struct x86_strays *join_x86_strays(const struct join *j)
{
	return j->x86 ? x86_join_strays(j->x86) : NULL;
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

static bool emit_part(void *arg, struct flush *f)
{
	struct join *j = arg;

	f->entry = entry_of(f);
	j->emitted++;
	return j->sink.flush(j->sink.arg, f);
}

/* Hands out f, which is owned, now. */
static bool emit(struct join *j, struct flush *f)
{
	bool ok = emit_part(j, f);

	free(f->times);
	f->times = NULL;
	return ok;
}

static struct waiting *waiting_of(struct task *task)
{
	if (!task->waiting)
		task->waiting = calloc(1, sizeof(*task->waiting));
	return task->waiting;
}

/* The task keeps the item, which is owned, until it does something that explains it. */
static bool wait_for_task(struct join *j, struct task *task, struct waiting_flush *item)
{
	struct waiting *w = waiting_of(task);
	bool ok = w && (w->n < WAITING_MAX || waiting_release(w, emit_part, j)) &&
		  waiting_add(w, item);

	if (ok && w->n == 1)
		w->since = j->emitted;
	if (!ok)
		free(item->f.times);
	return ok;
}

/* A hypervisor call does not name its mm. Unless a probe does, it is the caller's own. */
static bool attach_mm_of_caller(struct join *j, struct flush *f, const struct task *task)
{
	if (f->cause == CAUSE_KTHREAD || (f->is_told && f->told.outer == REQUEST_KERNEL))
		return true;
	f->mm = mm_of_owner(j->mms, task->tgid, task->comm);
	return f->mm;
}

static bool attach_mm(struct join *j, struct flush *f, const struct task *task)
{
	struct mm_issuer issuer = {
		.is_leader = task->tid == task->tgid,
		.tgid = f->irq || f->cause == CAUSE_KTHREAD ? -1 : task->tgid,
		.tgid_certain = task->tgid_certain,
		.comm = task->comm,
	};

	if (f->shape == SHAPE_KERNEL || f->shape == SHAPE_FOREIGN || (f->asked && !f->hw_pid))
		return true;
	if (f->shape == SHAPE_HCALL && !f->hw_pid)
		return attach_mm_of_caller(j, f, task);
	f->mm = mm_of_flush(j->mms, f->hw_pid, &issuer);
	if (!f->mm)
		return false;
	if (!f->irq && f->cause != CAUSE_KTHREAD) {
		f->mm->torn = f->shape == SHAPE_ALL && f->context != CONTEXT_CALL;
		if (f->mm->torn && task->exiting)
			f->mm->dead = true;
	}
	return true;
}

/* A flush inside a call: may say something about the call, and the call about it. */
static bool settle_in_call(struct join *j, struct task *task, struct flush *f)
{
	struct waiting_flush item = { .f = *f };
	struct waiting *w = waiting_of(task);

	if (w && waiting_note(w, &item))
		return wait_for_task(j, task, &item);
	return emit(j, &item.f) && w;
}

/*
 * move_page_tables() flushes a range for each PMD it empties, so a second pass is of the last PMD of the
 * pages before it only. Those in front of that were flushed before, where no PWC flush (v5.14) and no
 * fixup marks the edge.
 */
static uint64_t pages_before_last_pmd(const struct flush *f)
{
	uint64_t per = pages_per_pmd(f->shift);
	bool marked = f->pwc || flush_fixups(f) || f->is_told || f->irq;

	if (f->cause != CAUSE_MREMAP || marked || f->pages_2m != 1 || f->pages <= per ||
	    page_in_pmd(f->addr + (f->pages << f->shift), f->shift) != 0)
		return 0;
	return f->pages - per;
}

/* Takes the first pages of f; what becomes of their times is the rest's. */
static struct flush take_head(struct flush *f, uint64_t pages)
{
	struct flush head = *f;

	head.pages = pages;
	head.pages_2m = 0;
	head.ended_by = RUN_END_RECORD;
	head.times = NULL;
	if (f->times) {
		head.end_ns = f->times[pages - 1];
		f->start_ns = f->times[pages];
		memmove(f->times, f->times + pages, (f->pages - pages) * sizeof(*f->times));
	}
	f->addr += pages << f->shift;
	f->pages -= pages;
	f->record += pages;
	return head;
}

/* The task's request is the unit's, if it can be: the unit is then no guess. */
static void attach_request(struct flush *f, struct task *task)
{
	uint64_t addr = f->shape == SHAPE_VA ? f->addr : 0;
	uint32_t hw_pid = f->shape == SHAPE_HCALL ? task->told.hw_pid : f->hw_pid;

	if (f->irq || !told_matches(&task->told, hw_pid, addr))
		return;
	f->is_told = true;
	f->told = task->told;
	task->told.fresh = false;
	if (f->shape == SHAPE_HCALL)
		f->hw_pid = f->told.hw_pid;
	if (f->asked && f->shape == SHAPE_VA) {
		f->pwc = f->told.tables;
		if (f->told.outer == REQUEST_RANGE)
			f->pages_2m = range_n2m(f->told.start, f->told.end);
	}
}

/* Finds out who made the flush and why, as far as the moment tells. */
static bool attach(struct join *j, struct flush *f, struct task *task)
{
	attach_request(f, task);
	f->tgid = task->tgid_certain ? task->tgid : -1;
	if (f->irq)
		f->cause = f->shape == SHAPE_ALL ? CAUSE_TRIM : CAUSE_UNKNOWN;
	else
		cause_of_task(f, task);
	if (!attach_mm(j, f, task))
		return false;
	if (task->exiting && f->shape == SHAPE_ALL && !f->irq && f->cause != CAUSE_KTHREAD)
		f->cause = CAUSE_EXIT;
	return true;
}

static bool settle_parts(struct join *j, struct task *task, struct flush *f)
{
	uint64_t before = pages_before_last_pmd(f);

	if (before) {
		struct flush head = take_head(f, before);

		if (!settle_in_call(j, task, &head)) {
			free(f->times);
			return false;
		}
	}
	return settle_in_call(j, task, f);
}

/* f is owned. */
static bool settle_flush(struct join *j, struct flush *f)
{
	struct task *task = task_get(j->tasks, f->tid, -1);

	if (!task || !attach(j, f, task)) {
		free(f->times);
		return false;
	}
	/* Nothing more will come of a task that has exited: v7.2 flushes behind the event. */
	if (f->irq || f->cause == CAUSE_KTHREAD || f->cause == CAUSE_EXIT ||
	    f->shape == SHAPE_FOREIGN)
		return emit(j, f);
	if (f->context == CONTEXT_CALL)
		return settle_parts(j, task, f);
	return wait_for_task(j, task, &(struct waiting_flush){ .f = *f });
}

static bool close_unit(struct join *j, struct join_unit *unit)
{
	bool ok;

	if (!unit->open)
		return true;
	unit->open = false;
	ok = settle_flush(j, &unit->f);
	unit->f.times = NULL;
	return ok;
}

/* With tlbie off, kernel addresses are flushed by tlbiel of PID 0 on every CPU. */
static bool is_local_kernel(const struct run *run)
{
	return run->local && run->hw_pid == 0 && (run->kind == TLBIE_ALL || run->kind == TLBIE_PID);
}

static enum flush_shape shape_of(const struct run *run)
{
	if (is_local_kernel(run))
		return SHAPE_KERNEL;
	switch ((enum tlbie_kind)run->kind) {
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
	case TLBIE_HCALL:
		return SHAPE_HCALL;
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
	f->times = run->times;
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
		.stack = run->stack,
		.shape = shape_of(run),
		.foreign = run->kind,
		.local = run->local,
		.irq = run->irq,
		.partial = run->partial,
		.record = run->record,
		.ended_by = run->ended_by,
		.asked = run->asked,
		.scope_open = run->scope_open,
	};
	add_fixups(f, run);
	if (f->shape == SHAPE_VA)
		take_pages(f, run);
	else if (f->shape == SHAPE_FOREIGN)
		f->pages = run->n;
	else
		f->sets = (uint32_t)run->n;
}

/*
 * The 2 MiB pass that radix__flush_tlb_range derives from the range it has just flushed. From v5.14
 * on a range that has one begins with a PWC flush: without it, the pass is a flush_pmd_tlb_range.
 */
static bool is_derived_pass(const struct join *j, const struct flush *f, const struct run *run)
{
	uint64_t end = f->addr + (f->pages << f->shift);
	/* A single 2 MiB page of a machine without an AP code for it looks like one of 4K. */
	bool size_fits = run->shift == PMD_SHIFT || (j->base_shift == 12 && run->n == 1);

	if (!f->pwc && j->ranges_flush_pwc)
		return false;
	return f->shape == SHAPE_VA && f->shift < PMD_SHIFT && f->pages_2m == 0 && size_fits &&
	       run->n == range_n2m(f->addr, end) &&
	       run->addr == ((f->addr + PMD_BYTES - 1) & ~(PMD_BYTES - 1));
}

/* Adds run to the unit where one request writes both. Marks between them have closed the unit. */
static bool extend_unit(struct join *j, struct join_unit *unit, const struct run *run)
{
	struct flush *f = &unit->f;

	if (!unit->open || run->asked || run->kind != TLBIE_VA || f->hw_pid != run->hw_pid ||
	    f->local != run->local)
		return false;
	if (f->shape == SHAPE_PWC) {
		take_pages(f, run);
		f->pwc = true;
		f->sets = 0;
	} else if (is_derived_pass(j, f, run)) {
		j->ranges_flush_pwc |= f->pwc;
		f->pages_2m = run->n;
		free(run->times);
	} else {
		return false;
	}
	add_fixups(f, run);
	f->end_ns = run->end_ns;
	f->ended_by = run->ended_by;
	f->partial |= run->partial;
	return true;
}

static bool join_run(struct join *j, const struct run *run)
{
	struct join_cpu *cpu = &j->cpus[run->cpu];
	struct join_unit *unit = run->irq ? &cpu->irq : &cpu->task;

	if (extend_unit(j, unit, run))
		return true;
	if (!close_unit(j, unit)) {
		free(run->times);
		return false;
	}
	open_unit(unit, run);
	if (run->asked && !run->hw_pid)
		return true;
	return !j->sink.observer || j->sink.observer->flush(j->sink.observer->arg, &unit->f);
}

/*
 * exec: the old mm is torn down, then come flushes of the new one, then the event (policies 14, 4).
 * What was flushed before the teardown was no part of it.
 */
static void blame_exec(struct waiting *w)
{
	const struct mm *fresh = w->n ? w->item[w->n - 1].f.mm : NULL;
	size_t first = w->n;

	while (first > 0 && w->item[first - 1].f.mm == fresh)
		first--;
	if (first > 0 && w->item[first - 1].f.shape == SHAPE_ALL) {
		first--;
		w->item[first].f.mm->dead = true;
	}
	for (size_t i = first; i < w->n; i++)
		w->item[i].f.cause = CAUSE_EXEC;
}

/* The last flush of everything is the mm's end; without system calls, others may wait before it. */
static void blame_exit(struct waiting *w)
{
	for (size_t i = w->n; i > 0; i--) {
		if (w->item[i - 1].f.shape == SHAPE_ALL) {
			w->item[i - 1].f.cause = CAUSE_EXIT;
			w->item[i - 1].f.mm->dead = true;
			return;
		}
	}
}

/* dup_mmap() flushes the parent's whole mm before the child is announced. */
static void blame_fork(struct waiting *w)
{
	for (size_t i = w->n; i > 0; i--) {
		if (w->item[i - 1].f.shape == SHAPE_PID) {
			w->item[i - 1].f.cause = CAUSE_FORK;
			return;
		}
	}
}

/* What the task does next tells what its last flushes outside of calls were for. */
static void blame(struct waiting *w, const struct event *ev)
{
	if (ev->kind == EVENT_EXEC)
		blame_exec(w);
	else if (ev->kind == EVENT_EXIT)
		blame_exit(w);
	else if (ev->kind == EVENT_NEWTASK && !(ev->task.flags & CLONE_VM))
		blame_fork(w);
	for (size_t i = 0; i < w->n; i++) {
		struct flush *f = &w->item[i].f;

		if (f->cause == CAUSE_UNKNOWN && f->shape == SHAPE_VA &&
		    f->context == CONTEXT_OUTSIDE)
			f->cause = CAUSE_FAULT;
	}
}

static bool report_call(struct join *j, const struct task *task, struct waiting *w)
{
	bool ok = true;

	if (w->promoted && j->sink.call && task->call.inside)
		ok = j->sink.call(j->sink.arg, w->promoted_mm, cause_of_call(task->call.nr),
				  w->promoted);
	return ok;
}

/* Settles what waits for this task before ev changes the task's state. */
static bool settle_task(struct join *j, int32_t tid, const struct event *ev)
{
	struct task *task = task_find(j->tasks, tid);
	struct waiting *w = task ? task->waiting : NULL;

	if (task)
		task->told.fresh = false;
	if (!w)
		return true;
	if (!task->call.known && ev->kind == EVENT_SYS_ENTER)
		waiting_was_outside(w);
	if (!task->call.inside)
		blame(w, ev);
	if (!waiting_release(w, emit_part, j) || !report_call(j, task, w))
		return false;
	if (ev->kind == EVENT_SYS_ENTER || ev->kind == EVENT_SYS_EXIT)
		waiting_reset(w);
	else
		drop_waiting(task);
	return true;
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
	if (j->x86 && !x86_join_event(j->x86, ev))
		return false;
	if (ev->kind == EVENT_REQUEST && !note_request(j, ev))
		return false;
	if (cause_is_over(ev) && !settle_task(j, ev->tid, ev))
		return false;
	if (!task_apply(j->tasks, ev))
		return false;
	if (ev->kind == EVENT_EXEC || ev->kind == EVENT_RENAME) {
		const struct task *task = task_find(j->tasks, ev->task.tid);

		if (task && task->tid == task->tgid)
			mm_rename(j->mms, task->tgid, task->comm);
		if (task && ev->kind == EVENT_EXEC && !j->x86)
			mm_process_left(j->mms, task->tgid);
	}
	return true;
}

/* What waits outside of calls for longer than is reasonable. */
static bool settle_stale(struct join *j)
{
	struct event nothing = { .kind = EVENT_LOST };
	struct task *task = NULL;

	j->next_look = j->emitted + STALE_FLUSHES;
	while ((task = task_next(j->tasks, task))) {
		struct waiting *w = task->waiting;

		if (!w || w->n == 0 || task->call.inside || j->emitted - w->since < STALE_FLUSHES)
			continue;
		blame(w, &nothing);
		if (!waiting_release(w, emit_part, j))
			return false;
	}
	return true;
}

static void hold(const struct waiting *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->item[i].f.mm)
			w->item[i].f.mm->held = true;
	if (w->promoted_mm)
		w->promoted_mm->held = true;
}

/* Without a hardware PID that is used again, its exit says that a process is gone. */
static void leave_exited(struct join *j)
{
	struct task *task = NULL;

	while ((task = task_next(j->tasks, task)))
		if (task->exiting && task->tid == task->tgid)
			mm_process_left(j->mms, task->tgid);
}

/* Forgets the tasks and folds the mms that are gone. */
static bool fold_gone(struct join *j)
{
	struct task *task = NULL;
	uint32_t *into;

	leave_exited(j);
	if (j->x86)
		x86_join_hold(j->x86);
	task_forget(j->tasks);
	while ((task = task_next(j->tasks, task)))
		if (task->waiting)
			hold(task->waiting);
	into = mm_fold(j->mms);
	if (!into)
		return false;
	j->sink.fold(j->sink.arg, into);
	mm_fold_done(j->mms, into);
	return true;
}

bool join_item(struct join *j, const struct run_item *item)
{
	bool crowded = j->sink.fold && mm_crowded(j->mms);

	if ((j->emitted >= j->next_look && !settle_stale(j)) || (crowded && !fold_gone(j))) {
		if (item->is_run)
			free(item->run.times);
		return false;
	}
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
	if (j->x86 && !x86_join_finish(j->x86))
		return false;
	return settle_all(j);
}
