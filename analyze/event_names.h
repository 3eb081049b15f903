/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_names.h - which kernel function a probe is on, and which system call a number or name is.
 */
#ifndef TLBTRACE_EVENT_NAMES_H
#define TLBTRACE_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"

/*
 * The flush function that a probe event of this name is on: full names of kernel functions, the
 * names that `tlbtrace record` gives (policies 9.5) and usual short ones, with or without the
 * affixes of perf probe and of the kernel's own naming ("p_…_0", "…__return"). is_return: the event
 * fires when the function returns. REQUEST_OTHER if the name says nothing.
 */
enum request_fn request_by_name(const char *name, bool is_return);

/* Where a system call has what matters here, by the position of its arguments; -1 nowhere. */
struct syscall_args {
	enum syscall_nr nr;
	int8_t start; /* address */
	int8_t len;   /* bytes */
};

/* By the name after sys_enter_ or sys_exit_. SYSCALL_OTHER for any other. */
struct syscall_args syscall_by_name(const char *name);

/* By number, for the machine that uname -m names (ppc64*, x86_64). */
struct syscall_args syscall_by_number(const char *machine, int64_t number);

/* The ipc system call: its first argument says which call it is, its fifth is the address. */
struct syscall_args syscall_of_ipc(uint64_t call);
#define IPC_ARG_CALL 0
#define IPC_ARG_PTR 4

#endif
