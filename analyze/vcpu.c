/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vcpu.c - which switches load a vCPU, and of which VM. */
#include "analyze/vcpu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyze/task.h"

/* Loads that wait until the threads of all VMs have been seen; then VMs are told apart. */
#define WAITING_MAX 65536u

struct vcpu_thread {
	int32_t tid;
	uint32_t index; /* n of "CPU n/KVM" */
	uint32_t vm;	/* 0: not known yet */
	bool guessed;
	UT_hash_handle hh;
};

struct vcpu_load {
	uint32_t cpu;
	int32_t tid;
};

struct vcpu_watch {
	struct task_table *tasks;
	struct vcpu_thread *threads;
	struct vcpu_load *waiting;
	uint32_t n_waiting;
	bool settled; /* loads are handed out at once */
	vcpu_sink sink;
	void *arg;
};

struct vcpu_watch *vcpu_watch_new(const struct source *src, vcpu_sink sink, void *arg)
{
	struct vcpu_watch *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->sink = sink;
	w->arg = arg;
	w->tasks = task_table_new(src);
	w->waiting = calloc(WAITING_MAX, sizeof(*w->waiting));
	if (!w->tasks || !w->waiting) {
		vcpu_watch_free(w);
		return NULL;
	}
	return w;
}

void vcpu_watch_free(struct vcpu_watch *w)
{
	struct vcpu_thread *thread;
	struct vcpu_thread *next;

	if (!w)
		return;
	HASH_ITER(hh, w->threads, thread, next)
	{
		HASH_DEL(w->threads, thread);
		free(thread);
	}
	task_table_free(w->tasks, NULL);
	free(w->waiting);
	free(w);
}

bool vcpu_is_name(const char *comm, uint32_t *index)
{
	char *end;

	if (strncmp(comm, "CPU ", 4) != 0 || !isdigit((unsigned char)comm[4]))
		return false;
	*index = (uint32_t)strtoul(comm + 4, &end, 10); /* a name has room for 11 digits at most */
	return strcmp(end, "/KVM") == 0 || strcmp(end, "/TCG") == 0;
}

static int by_tid(const struct vcpu_thread *a, const struct vcpu_thread *b)
{
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* The thread before `thread` that is CPU 0 of the youngest VM which has no such vCPU yet. */
static struct vcpu_thread *find_boot_vcpu(const struct vcpu_watch *w,
					  const struct vcpu_thread *thread)
{
	struct vcpu_thread *best = NULL;

	for (struct vcpu_thread *boot = w->threads; boot != thread; boot = boot->hh.next) {
		bool taken = false;

		if (boot->index != 0 || !boot->guessed)
			continue;
		for (const struct vcpu_thread *t = w->threads; t != thread; t = t->hh.next)
			taken |= t->vm == boot->vm && t->index == thread->index;
		if (!taken)
			best = boot;
	}
	return best;
}

/* VMs of threads that no record groups: QEMU starts CPU 0, CPU 1, … of a VM one after another. */
static void guess_vms(struct vcpu_watch *w)
{
	HASH_SORT(w->threads, by_tid);
	for (struct vcpu_thread *t = w->threads; t; t = t->hh.next) {
		const struct task *task = task_find(w->tasks, t->tid);
		const struct vcpu_thread *boot;

		if (t->vm)
			continue;
		if (task && task->tgid_certain) {
			t->vm = (uint32_t)task->tgid;
			continue;
		}
		t->guessed = true;
		boot = t->index ? find_boot_vcpu(w, t) : NULL;
		t->vm = boot ? boot->vm : (uint32_t)t->tid;
	}
}

static bool hand_out(struct vcpu_watch *w, const struct vcpu_load *load)
{
	const struct vcpu_thread *thread;

	HASH_FIND_INT(w->threads, &load->tid, thread);
	return !thread || w->sink(w->arg, load->cpu, thread->vm, load->tid);
}

static bool settle(struct vcpu_watch *w)
{
	guess_vms(w);
	w->settled = true;
	for (uint32_t i = 0; i < w->n_waiting; i++)
		if (!hand_out(w, &w->waiting[i]))
			return false;
	w->n_waiting = 0;
	return true;
}

static bool note_thread(struct vcpu_watch *w, int32_t tid, uint32_t index)
{
	struct vcpu_thread *thread;

	HASH_FIND_INT(w->threads, &tid, thread);
	if (thread)
		return true;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return false;
	thread->tid = tid;
	thread->index = index;
	HASH_ADD_INT(w->threads, tid, thread);
	if (w->settled)
		guess_vms(w);
	return true;
}

/* True where ev puts a vCPU thread on its CPU: by a switch, or by becoming one while it runs. */
static bool is_load(const struct event *ev, struct vcpu_load *load, uint32_t *index)
{
	load->cpu = ev->cpu;
	if (ev->kind == EVENT_SWITCH) {
		load->tid = ev->sw.next_tid;
		return vcpu_is_name(ev->sw.next_comm, index);
	}
	load->tid = ev->task.tid;
	return ev->kind == EVENT_RENAME && ev->tid == ev->task.tid &&
	       vcpu_is_name(ev->task.comm, index);
}

bool vcpu_watch_event(struct vcpu_watch *w, const struct event *ev)
{
	struct vcpu_load load;
	uint32_t index;

	if (!task_apply(w->tasks, ev))
		return false;
	if (!is_load(ev, &load, &index))
		return true;
	if (!note_thread(w, load.tid, index))
		return false;
	if (w->settled)
		return hand_out(w, &load);
	w->waiting[w->n_waiting++] = load;
	return w->n_waiting < WAITING_MAX || settle(w);
}

bool vcpu_watch_finish(struct vcpu_watch *w)
{
	return w->settled || settle(w);
}

uint32_t vcpu_watch_guessed(const struct vcpu_watch *w)
{
	uint32_t n = 0;

	for (const struct vcpu_thread *t = w->threads; t; t = t->hh.next)
		n += t->guessed;
	return n;
}
