/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cause.c - why a flush was made. */
#include "analyze/cause.h"

#include <ctype.h>
#include <string.h>

enum flush_cause cause_of_call(enum syscall_nr nr)
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

/* One of them, or one per node or CPU: "kswapd0", "migration/3". */
static bool is_one_of(const char *comm, const char *name)
{
	size_t len = strlen(name);

	return strncmp(comm, name, len) == 0 &&
	       (comm[len] == '\0' || comm[len] == '/' || isdigit((unsigned char)comm[len]));
}

bool cause_is_kthread(const char *comm)
{
	static const char *const names[] = { "khugepaged", "kswapd",	 "kcompactd", "ksmd",
					     "kworker",	   "oom_reaper", "migration" };

	if (*comm != 'k' && *comm != 'o' && *comm != 'm')
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_one_of(comm, names[i]))
			return true;
	return false;
}

void cause_of_task(struct flush *f, const struct task *task)
{
	const struct task_call *call = &task->call;

	memcpy(f->comm, task->comm, sizeof(f->comm));
	if (cause_is_kthread(task->comm)) {
		f->context = CONTEXT_OUTSIDE;
		f->cause = CAUSE_KTHREAD;
	} else if (call->known && call->inside) {
		f->context = CONTEXT_CALL;
		f->cause = cause_of_call(call->nr);
		f->call_ns = call->time_ns;
		f->call_start = call->start;
		f->call_len = call->len;
	} else if (call->known) {
		f->context = CONTEXT_OUTSIDE;
	}
}

bool cause_is_over(const struct event *ev)
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
