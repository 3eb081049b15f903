/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskstate.c - follows tasks, CPUs and address spaces by time. */
#include "analyze/taskstate.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/task.h"

#define HW_PIDS (1u << 20) /* mmu_pid_bits is 20 on POWER9 and POWER10 */
#define TASK_CACHE 64u
#define BASE_SHIFT 16 /* of ranges that nobody asks for here */

struct ts_node {
	struct ts_task task; /* first: a struct ts_task * is its node's address */
	UT_hash_handle hh;
};

struct taskstate {
	const struct source *src;
	struct ts_hooks hooks;
	size_t ext_bytes;
	uint32_t n_cpus;
	struct ts_cpu *cpus;
	struct ts_node *nodes;
	struct ts_node *cache[TASK_CACHE]; /* by tid: found last */
	struct space *unused; /* freed before the next item: who has a space keeps it until then */
	struct space **by_hw;
	uint32_t hw_end; /* no hardware PID that was learned is as high */
};

struct taskstate *ts_new(const struct source *src, uint32_t cpus, size_t ext_bytes,
			 const struct ts_hooks *hooks)
{
	struct taskstate *ts = calloc(1, sizeof(*ts));

	if (!ts)
		return NULL;
	*ts = (struct taskstate){
		.src = src, .hooks = *hooks, .ext_bytes = ext_bytes, .n_cpus = cpus
	};
	ts->cpus = calloc(cpus ? cpus : 1, sizeof(*ts->cpus));
	ts->by_hw = calloc(HW_PIDS, sizeof(struct space *));
	if (!ts->cpus || !ts->by_hw) {
		ts_free(ts);
		return NULL;
	}
	return ts;
}

static void put_space(struct taskstate *ts, struct space *space)
{
	if (!space || --space->refs)
		return;
	space->next_unused = ts->unused;
	ts->unused = space;
}

static void free_unused(struct taskstate *ts)
{
	struct space *space = ts->unused;

	ts->unused = NULL;
	while (space) {
		struct space *next = space->next_unused;

		if (ts->hooks.forgotten)
			ts->hooks.forgotten(ts->hooks.arg, space);
		free(space->ext);
		free(space);
		space = next;
	}
}

static struct space *get_space(struct space *space)
{
	if (space)
		space->refs++;
	return space;
}

/* Makes *slot refer to space, which may be NULL. */
static void set_space(struct taskstate *ts, struct space **slot, struct space *space)
{
	struct space *before = *slot;

	*slot = get_space(space);
	put_space(ts, before);
}

/* The task is in a call that unmaps, or may be: no call of it was seen. */
static bool may_unmap(const struct ts_task *task)
{
	return task->in_call || !task->call_known;
}

static void count_in(const struct ts_task *task)
{
	if (task->space)
		task->space->unmappers += may_unmap(task);
}

/* Before its space, .in_call or .call_known changes. */
static void count_out(const struct ts_task *task)
{
	if (task->space)
		task->space->unmappers -= may_unmap(task);
}

static void put_task(struct taskstate *ts, struct ts_node *node)
{
	count_out(&node->task);
	put_space(ts, node->task.space);
	put_space(ts, node->task.old);
	free(node);
}

static struct ts_node **cache_of(struct taskstate *ts, int32_t tid)
{
	return &ts->cache[(uint32_t)tid % TASK_CACHE];
}

static void free_task(struct taskstate *ts, struct ts_task *task)
{
	struct ts_node *node = (struct ts_node *)task;

	*cache_of(ts, task->tid) = NULL;
	HASH_DEL(ts->nodes, node);
	put_task(ts, node);
}

static void free_tasks(struct taskstate *ts)
{
	struct ts_node *node = ts->nodes;

	HASH_CLEAR(hh, ts->nodes);
	while (node) {
		struct ts_node *next = node->hh.next;

		put_task(ts, node);
		node = next;
	}
}

void ts_free(struct taskstate *ts)
{
	if (!ts)
		return;
	free_tasks(ts);
	for (uint32_t c = 0; ts->cpus && c < ts->n_cpus; c++) {
		put_space(ts, ts->cpus[c].cur);
		put_space(ts, ts->cpus[c].active);
	}
	for (size_t i = 0; ts->by_hw && i < ts->hw_end; i++)
		put_space(ts, ts->by_hw[i]);
	free_unused(ts);
	free(ts->cpus);
	free(ts->by_hw);
	free(ts);
}

const struct ts_cpu *ts_cpu(const struct taskstate *ts, uint32_t cpu)
{
	return &ts->cpus[cpu];
}

struct space *ts_space(const struct taskstate *ts, uint32_t hw_pid)
{
	return ts->by_hw[hw_pid & (HW_PIDS - 1)];
}

struct ts_task *ts_task_next(const struct taskstate *ts, const struct ts_task *after)
{
	struct ts_node *node = after ? ((const struct ts_node *)after)->hh.next : ts->nodes;

	return node ? &node->task : NULL;
}

static struct ts_task *find_task(struct taskstate *ts, int32_t tid)
{
	struct ts_node *node = *cache_of(ts, tid);

	if (node && node->task.tid == tid)
		return &node->task;
	HASH_FIND_INT(ts->nodes, &tid, node);
	if (!node)
		return NULL;
	*cache_of(ts, tid) = node;
	return &node->task;
}

/* A new space with one reference, the caller's. */
static struct space *new_space(const struct taskstate *ts, const struct ts_task *task, bool born)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->ext = calloc(1, ts->ext_bytes ? ts->ext_bytes : 1);
	if (!space->ext) {
		free(space);
		return NULL;
	}
	space->refs = 1;
	space->born = born;
	space->tgid = task->tgid;
	memcpy(space->name, task->comm, sizeof(space->name));
	return space;
}

/* Names of the kernel's own threads, or how they begin. */
/* clang-format off */
static const char *const kernel_names[] = {
	"swapper/", "kthreadd", "rcu_", "rcub/", "rcuc/", "rcuog/", "rcuop/", "rcuos/",
	"ksoftirqd/", "kworker/", "migration/", "cpuhp/", "khugepaged", "kcompactd", "kswapd",
	"ksmd", "oom_reaper", "writeback", "kauditd", "khungtaskd", "watchdogd", "jbd2/",
	"kdevtmpfs", "scsi_eh_", "scsi_tmf_", "irq/", "idle_inject/", "khvcd", "pr/", "netns",
	"kblockd", "kthrotld", "hwrng", "krcu", "ext4-rsv-", "stopper/", "pool_workqueue",
	"kintegrityd", "tpm_dev_wq", "ipv6_addrconf", "kstrp", "blkcg_punt", "psimon",
};
/* clang-format on */

static bool is_kernel_name(const char *comm)
{
	for (size_t i = 0; i < sizeof(kernel_names) / sizeof(*kernel_names); i++)
		if (strncmp(comm, kernel_names[i], strlen(kernel_names[i])) == 0)
			return true;
	return false;
}

static void leave_space(struct taskstate *ts, struct ts_task *task)
{
	if (task->space && task->space->users)
		task->space->users--;
	count_out(task);
	task->in_call = false;
	set_space(ts, &task->space, NULL);
}

static void set_comm(struct taskstate *ts, struct ts_task *task, const char *comm)
{
	size_t len = strnlen(comm, COMM_LEN - 1);

	if (len == 0)
		return;
	memcpy(task->comm, comm, len);
	task->comm[len] = '\0';
	if (task->kind == TS_LIKELY_USER && is_kernel_name(task->comm)) {
		task->kind = TS_KERNEL;
		leave_space(ts, task);
	}
	if (task->space)
		memcpy(task->space->name, task->comm, sizeof(task->comm));
}

/* Gives task the space of which it has the only reference so far. */
static void join_own(struct ts_task *task, struct space *space)
{
	task->space = space;
	space->users = 1;
	count_in(task);
}

static void join_other(struct taskstate *ts, struct ts_task *task, struct space *space)
{
	count_out(task);
	set_space(ts, &task->space, space);
	space->users++;
	count_in(task);
}

static struct ts_task *bare_task(struct taskstate *ts, int32_t tid, int32_t tgid)
{
	struct ts_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->task.tid = tid;
	node->task.tgid = tgid >= 0 ? tgid : tid;
	node->task.kind = tid ? TS_LIKELY_USER : TS_KERNEL;
	HASH_ADD_INT(ts->nodes, task.tid, node);
	return &node->task;
}

/* A task whose beginning was not recorded; its space is leader's, or its own. */
static struct ts_task *old_task(struct taskstate *ts, int32_t tid, int32_t tgid,
				const struct ts_task *leader)
{
	struct ts_task *task = bare_task(ts, tid, tgid);
	struct space *own;

	if (!task)
		return NULL;
	set_comm(ts, task, source_comm(ts->src, tid));
	if (task->kind == TS_KERNEL)
		return task;
	if (leader && leader->space) {
		join_other(ts, task, leader->space);
		return task;
	}
	own = new_space(ts, task, false);
	if (!own)
		return NULL;
	join_own(task, own);
	return task;
}

static struct ts_task *get_task(struct taskstate *ts, int32_t tid, int32_t tgid)
{
	struct ts_task *task = find_task(ts, tid);
	struct ts_task *leader = NULL;

	if (task)
		return task;
	if (tgid < 0)
		tgid = source_tgid(ts->src, tid);
	if (tgid > 0 && tgid != tid) {
		leader = find_task(ts, tgid);
		if (!leader)
			leader = old_task(ts, tgid, tgid, NULL);
		if (!leader)
			return NULL;
	}
	return old_task(ts, tid, tgid, leader);
}

/* switch_mm and context_switch: task runs on cpu from now on. */
static void run_on(struct taskstate *ts, uint32_t c, struct ts_task *task)
{
	struct ts_cpu *cpu = &ts->cpus[c];
	struct space *space = task->exiting || task->exited ? NULL : task->space;

	cpu->known = true;
	cpu->tid = task->tid;
	set_space(ts, &cpu->cur, space);
	if (!space)
		return;
	set_space(ts, &cpu->active, space);
	cpu->unsure = task->kind == TS_LIKELY_USER;
	if (ts->hooks.ran)
		ts->hooks.ran(ts->hooks.arg, space, c);
}

static bool runs_on(const struct taskstate *ts, uint32_t c, int32_t tid)
{
	return ts->cpus[c].known && ts->cpus[c].tid == tid;
}

/* An event of tid on cpu shows who runs there, if a switch was not recorded. */
static struct ts_task *seen_on(struct taskstate *ts, uint32_t c, int32_t tid, int32_t tgid)
{
	struct ts_task *task = get_task(ts, tid, tgid);

	if (task && !runs_on(ts, c, tid))
		run_on(ts, c, task);
	return task;
}

/* The mm of the task that runs on cpu has become space. */
static void activate(struct taskstate *ts, uint32_t c, struct ts_task *task)
{
	if (ts->cpus[c].known && ts->cpus[c].tid == task->tid)
		run_on(ts, c, task);
}

/* Switched out for good: EXIT_DEAD, EXIT_ZOMBIE or TASK_DEAD as kernels have numbered them. */
static bool never_runs_again(const struct ts_task *prev, const struct event *ev)
{
	return prev->exited && (ev->sw.prev_state & 0xf0);
}

static void note_death(struct taskstate *ts, struct space *space, uint32_t now_cpu)
{
	if (space->users == 0 && space->left && ts->hooks.died)
		ts->hooks.died(ts->hooks.arg, space, now_cpu);
}

/* task's teardown of its old space is certain: it died. */
static void settle_teardown(struct taskstate *ts, struct ts_task *task, uint32_t now_cpu)
{
	note_death(ts, task->old, now_cpu);
	set_space(ts, &task->old, NULL);
}

/* Marks space as left where its last user has gone. */
static void mark_left(struct space *space, uint32_t c)
{
	if (space->users == 0 && !space->left) {
		space->left = true;
		space->left_cpu = c;
	}
}

static bool apply_switch(struct taskstate *ts, const struct event *ev)
{
	struct ts_task *prev = seen_on(ts, ev->cpu, ev->sw.prev_tid, -1);
	struct ts_task *next = get_task(ts, ev->sw.next_tid, -1);
	bool dead;

	if (!prev || !next)
		return false;
	dead = never_runs_again(prev, ev);
	if (ev->sw.prev_tid)
		set_comm(ts, prev, ev->sw.prev_comm);
	if (ev->sw.next_tid)
		set_comm(ts, next, ev->sw.next_comm);
	if (ts->hooks.switched)
		ts->hooks.switched(ts->hooks.arg, ev->time_ns, ev->cpu, prev, next);
	/* On v7.2 the event comes before exit_mm(), and the task may sleep or be moved until then. */
	if (dead && prev->old) {
		mark_left(prev->old, ev->cpu);
		settle_teardown(ts, prev, ev->cpu);
	}
	run_on(ts, ev->cpu, next);
	if (dead && prev != next && (prev->kind != TS_LIKELY_USER || prev->owed == 0))
		free_task(ts, prev);
	return true;
}

/* The kernel makes its own threads by kthreadd, with CLONE_VM but without an mm. */
static bool makes_kernel_thread(const struct ts_task *parent)
{
	return parent->kind == TS_KERNEL;
}

static bool apply_newtask(struct taskstate *ts, const struct event *ev, bool certain)
{
	struct ts_task *parent = get_task(ts, ev->tid, ev->tgid);
	struct ts_task *child = find_task(ts, ev->task.tid);
	bool thread = ev->task.flags & CLONE_THREAD;

	if (!parent)
		return false;
	if (child == parent || (child && !certain))
		return true; /* a damaged record; sched_process_fork after task_newtask */
	if (child)
		free_task(ts, child);
	child = bare_task(ts, ev->task.tid, thread ? parent->tgid : ev->task.tid);
	if (!child)
		return false;
	set_comm(ts, child, ev->task.comm[0] ? ev->task.comm : parent->comm);
	child->kind = makes_kernel_thread(parent) ? TS_KERNEL : TS_USER;
	child->call_known = parent->call_known;
	if (child->kind == TS_KERNEL)
		return true;
	parent->kind = TS_USER;
	if ((ev->task.flags & CLONE_VM) && parent->space) {
		join_other(ts, child, parent->space);
		return true;
	}
	struct space *space = new_space(ts, child, true);

	if (space)
		join_own(child, space);
	return space;
}

/* exec_mmap: task leaves its space for a new one, whose mask begins with this CPU. */
static bool begin_exec(struct taskstate *ts, struct ts_task *task, uint32_t c)
{
	struct space *fresh = new_space(ts, task, true);

	if (!fresh)
		return false;
	leave_space(ts, task);
	join_own(task, fresh);
	activate(ts, c, task);
	return true;
}

/* de_thread: a thread that execs takes over its leader's tid. */
static struct ts_task *take_over(struct taskstate *ts, const struct event *ev)
{
	struct ts_task *leader = get_task(ts, ev->task.tid, -1);
	struct ts_task *thread = find_task(ts, ev->task.old_tid);
	struct ts_cpu *cpu = &ts->cpus[ev->cpu];

	if (!leader || !thread || thread == leader)
		return leader;
	leave_space(ts, leader);
	set_space(ts, &leader->old, thread->old);
	count_out(thread);
	leader->space = thread->space;
	leader->in_call = thread->in_call;
	leader->in_mprotect = thread->in_mprotect;
	count_in(leader);
	thread->space = NULL;
	thread->in_call = false;
	leader->execs = thread->execs;
	leader->exiting = leader->exited = false;
	if (cpu->tid == thread->tid)
		cpu->tid = leader->tid;
	free_task(ts, thread);
	return leader;
}

static bool apply_exec(struct taskstate *ts, const struct event *ev)
{
	struct ts_task *task = take_over(ts, ev);

	if (!task)
		return false;
	set_comm(ts, task, ev->task.comm);
	task->kind = TS_USER;
	if (task->old) {
		settle_teardown(ts, task, ev->cpu);
	} else if (!task->execs) {
		struct space *before = get_space(task->space);

		if (!begin_exec(ts, task, ev->cpu))
			return false;
		if (before) {
			mark_left(before, ev->cpu);
			note_death(ts, before, ev->cpu);
		}
		put_space(ts, before);
	}
	task->execs = false;
	return true;
}

static bool apply_exit(struct taskstate *ts, const struct event *ev)
{
	struct ts_task *task = get_task(ts, ev->task.tid, ev->tgid);
	struct space *space;

	if (!task)
		return false;
	set_comm(ts, task, ev->task.comm);
	space = get_space(task->old ? task->old : task->space);
	if (space && ts->hooks.exited && task->kind != TS_KERNEL)
		ts->hooks.exited(ts->hooks.arg, ev->time_ns, ev->cpu, task, space);
	leave_space(ts, task);
	if (task->old) {
		settle_teardown(ts, task, ev->cpu);
	} else if (space && !space->left && space->users == 0) {
		/* Its final flush comes behind the event (v7.2), or left no record. */
		set_space(ts, &task->old, space);
	}
	put_space(ts, space);
	task->exited = true;
	if (ts->cpus[ev->cpu].tid == task->tid)
		set_space(ts, &ts->cpus[ev->cpu].cur, NULL);
	return true;
}

static bool is_unmapping(enum syscall_nr nr)
{
	return nr <= SYSCALL_BRK || nr == SYSCALL_SHMDT;
}

static void apply_call(struct ts_task *task, const struct event *ev)
{
	if (task->kind == TS_LIKELY_USER)
		task->kind = TS_USER;
	count_out(task);
	task->call_known = true;
	task->in_call = ev->kind == EVENT_SYS_ENTER && is_unmapping(ev->sys.nr);
	task->in_mprotect = task->in_call && ev->sys.nr == SYSCALL_MPROTECT;
	count_in(task);
}

/* No task runs there any more; the idle task has switched to init_mm (idle_task_exit). */
static bool apply_offline(struct taskstate *ts, uint32_t c)
{
	struct ts_node *node;

	if (c >= ts->n_cpus)
		return true;
	set_space(ts, &ts->cpus[c].cur, NULL);
	set_space(ts, &ts->cpus[c].active, NULL);
	ts->cpus[c].known = false;
	if (!ts->hooks.offline)
		return true;
	for (node = ts->nodes; node; node = node->hh.next) {
		if (node->task.space)
			ts->hooks.offline(ts->hooks.arg, node->task.space, c);
		if (node->task.old)
			ts->hooks.offline(ts->hooks.arg, node->task.old, c);
	}
	for (size_t i = 0; i < ts->hw_end; i++)
		if (ts->by_hw[i])
			ts->hooks.offline(ts->hooks.arg, ts->by_hw[i], c);
	return true;
}

static bool ts_event(struct taskstate *ts, const struct event *ev)
{
	struct ts_task *task;

	if (ev->cpu >= ts->n_cpus || ev->kind == EVENT_LOST)
		return true;
	if (ev->kind == EVENT_SWITCH)
		return apply_switch(ts, ev);
	if (ev->kind == EVENT_OFFLINE)
		return apply_offline(ts, ev->offline_cpu);
	task = seen_on(ts, ev->cpu, ev->kind == EVENT_EXEC ? ev->task.old_tid : ev->tid, ev->tgid);
	if (!task)
		return false;
	switch ((enum event_kind)ev->kind) {
	case EVENT_NEWTASK:
		return apply_newtask(ts, ev, true);
	case EVENT_FORK:
		return apply_newtask(ts, ev, false);
	case EVENT_EXEC:
		return apply_exec(ts, ev);
	case EVENT_EXIT:
		return apply_exit(ts, ev);
	case EVENT_SYS_ENTER:
	case EVENT_SYS_EXIT:
		apply_call(task, ev);
		if (ev->sys.nr == SYSCALL_EXIT && ev->kind == EVENT_SYS_ENTER)
			task->exiting = true;
		return true;
	case EVENT_REQUEST:
		if (event_is_mark(ev))
			told_apply(&task->told, &ev->request, ev->time_ns, BASE_SHIFT);
		return true;
	case EVENT_RENAME:
		task = get_task(ts, ev->task.tid, -1);
		if (task)
			set_comm(ts, task, ev->task.comm);
		return task;
	default:
		return true;
	}
}

bool ts_item(struct taskstate *ts, const struct run_item *item)
{
	free_unused(ts);
	if (!item->is_run)
		return ts_event(ts, &item->event);
	if (item->run.cpu >= ts->n_cpus || runs_on(ts, item->run.cpu, item->run.tid))
		return true;
	return seen_on(ts, item->run.cpu, item->run.tid, item->run.tgid);
}

static void learn(struct taskstate *ts, struct space *space, uint32_t hw_pid)
{
	uint32_t at = hw_pid & (HW_PIDS - 1);

	space->hw_pid = hw_pid;
	set_space(ts, &ts->by_hw[at], space);
	if (at >= ts->hw_end)
		ts->hw_end = at + 1;
}

/* A flush of an mm that no task has shown, such as by kswapd. */
static bool learn_stranger(struct taskstate *ts, const struct ts_task *task, uint32_t hw_pid)
{
	struct space *space = new_space(ts, task, false);

	if (!space)
		return false;
	learn(ts, space, hw_pid);
	put_space(ts, space);
	return true;
}

/* The whole PID with everything, outside of a call, by its last user: exit or exec tears it down. Of a
 * space from before the trace others may have left it unseen; where calls are seen, nothing else does so
 * outside of one. */
static bool is_teardown(const struct flush *f, const struct ts_task *task)
{
	bool last = task->space->users <= 1 || (!task->space->born && task->call_known);

	return f->shape == SHAPE_ALL && !task->in_call && !task->execs && last;
}

/*
 * exit_mmap of a task that has either exited or executed a program: its events tell later which. It
 * gets the space that it has in the second case.
 */
static bool begin_teardown(struct taskstate *ts, struct ts_task *task, uint32_t c)
{
	set_space(ts, &task->old, task->space);
	if (!begin_exec(ts, task, c))
		return false;
	mark_left(task->old, c);
	return true;
}

/* It was no teardown: the task still has its space. */
static void undo_teardown(struct taskstate *ts, struct ts_task *task, uint32_t c)
{
	struct space *space = get_space(task->old);

	leave_space(ts, task);
	set_space(ts, &task->old, NULL);
	join_other(ts, task, space);
	space->left = false;
	put_space(ts, space);
	activate(ts, c, task);
}

static bool is_alive(const struct space *space)
{
	return space && !space->left && space->users;
}

/* A task that was there before the trace and has the owner's name is one of its threads. */
static bool is_thread_of(const struct ts_task *task, const struct space *owner)
{
	return !task->space->hw_pid && !task->space->born && *task->comm &&
	       strncmp(task->comm, owner->name, COMM_LEN) == 0;
}

static void become_thread(struct taskstate *ts, struct ts_task *task, struct space *owner,
			  uint32_t c)
{
	leave_space(ts, task);
	join_other(ts, task, owner);
	activate(ts, c, task);
}

/* A flush of a hardware PID that is not the task's, as far as known. */
static bool meet_hw_pid(struct taskstate *ts, struct ts_task *task, const struct flush *f)
{
	struct space *owner = ts_space(ts, f->hw_pid);

	if (task->kind == TS_KERNEL || !task->space)
		return owner || learn_stranger(ts, task, f->hw_pid);
	if (is_alive(owner)) {
		if (is_thread_of(task, owner))
			become_thread(ts, task, owner, f->cpu);
		return true;
	}
	task->kind = TS_USER;
	if (task->space->hw_pid) {
		/* exec has given it a new mm while others still use the old one. */
		if (!begin_exec(ts, task, f->cpu))
			return false;
		task->execs = true;
	}
	learn(ts, task->space, f->hw_pid);
	return true;
}

static bool is_flush_of(const struct space *space, const struct flush *f)
{
	return space && space->hw_pid == f->hw_pid;
}

static enum ts_nested nested_of(const struct flush *f, const struct ts_task *task)
{
	if (f->shape != SHAPE_ALL || task->space->users < 2)
		return TS_NESTED_NO;
	if (told_matches(&task->told, f->hw_pid, 0))
		return task->told.fullmm ? TS_NESTED_YES : TS_NESTED_NO;
	if (!task->call_known)
		return TS_NESTED_MAYBE;
	/* It is one of the unmappers. */
	return task->in_call && (task->in_mprotect || task->space->unmappers > 1) ? TS_NESTED_MAYBE
										  : TS_NESTED_NO;
}

/* A hypervisor call says nothing of its mm: that of the probe, or the caller's own. */
static bool begin_hcall(struct taskstate *ts, struct ts_task *task, struct ts_flush *out)
{
	const struct told *told = &task->told;

	if (told->fresh && told->outer == REQUEST_KERNEL)
		return true;
	out->space = told->fresh && told->hw_pid ? ts_space(ts, told->hw_pid) : task->space;
	out->mine = out->space && out->space == task->space && !task->exiting;
	out->fullmm = out->mine && told->fresh && told->fullmm && task->space->users <= 1;
	return true;
}

static bool begin_flush(struct taskstate *ts, struct ts_task *task, const struct flush *f,
			struct ts_flush *out)
{
	if (f->shape == SHAPE_HCALL)
		return begin_hcall(ts, task, out);
	if (is_flush_of(task->old, f)) {
		/* A full-mm gather flushes again whenever its batch is full. */
		if (f->shape == SHAPE_ALL || task->exited) {
			mark_left(task->old, f->cpu);
			out->space = task->old;
			out->fullmm = true;
			return true;
		}
		undo_teardown(ts, task, f->cpu);
	}
	if (!is_flush_of(task->space, f) && !meet_hw_pid(ts, task, f))
		return false;
	out->space = ts_space(ts, f->hw_pid);
	/* Another thread's exit was the last event, but this one was the last to leave. */
	if (task->exited && out->space && out->space->users == 0) {
		mark_left(out->space, f->cpu);
		out->fullmm = true;
	}
	if (out->space != task->space)
		return true;
	if (task->kind == TS_LIKELY_USER)
		task->kind = TS_USER;
	if (is_teardown(f, task)) {
		out->fullmm = true;
		return begin_teardown(ts, task, f->cpu);
	}
	out->mine = !task->exiting;
	out->nested = nested_of(f, task);
	return true;
}

bool ts_flush_begins(struct taskstate *ts, const struct flush *f, struct ts_flush *out)
{
	struct ts_task *task = find_task(ts, f->tid);
	bool ok;

	*out = (struct ts_flush){ .task = task };
	if (!task || f->cpu >= ts->n_cpus)
		return true;
	ok = begin_flush(ts, task, f, out);
	task->told.fresh = false;
	return ok;
}
