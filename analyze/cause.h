/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cause.h - why a flush was made, as far as its task's state at that moment tells.
 */
#ifndef TLBTRACE_CAUSE_H
#define TLBTRACE_CAUSE_H

#include <stdbool.h>

#include "analyze/flush.h"
#include "analyze/task.h"

/* Sets comm, context, cause and the call's range of f, which task issued. */
void cause_of_task(struct flush *f, const struct task *task);

/* True for names of the kernel's own threads that flush other tasks' mms. */
bool cause_is_kthread(const char *comm);

/* True where ev shows its task at another place than in the request it was making: that is over. */
bool cause_is_over(const struct event *ev);

/* The cause that a system call stands for. */
enum flush_cause cause_of_call(enum syscall_nr nr);

#endif
