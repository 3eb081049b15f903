/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_events.c - the catalogue of events, and what of it this kernel has. */
#include "cmd/record/record_events.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

struct catalogue_row {
	unsigned arch; /* bits of enum record_arch */
	enum event_role role;
	const char *system;
	const char *name;
	const char *filter;
	const char *since;
};

#define SYSCALL_ROWS(arch, call)                                                                   \
	{ arch, ROLE_SYSCALL, "syscalls", "sys_enter_" call, NULL, "CONFIG_FTRACE_SYSCALLS" },     \
	{                                                                                          \
		arch, ROLE_SYSCALL, "syscalls", "sys_exit_" call, NULL, "CONFIG_FTRACE_SYSCALLS"   \
	}

static const struct catalogue_row catalogue[] = {
	{ ARCH_POWERPC, ROLE_FLUSH, "powerpc", "tlbie", NULL, "v4.13 and later, 64-bit Book3S" },
	{ ARCH_X86, ROLE_FLUSH, "tlb", "tlb_flush", NULL, "v3.16 and later" },
	{ ARCH_POWERPC, ROLE_TASK, "cpuhp", "cpuhp_enter", "target == 0", "v4.6 and later" },
	{ ARCH_ANY, ROLE_TASK, "sched", "sched_switch", NULL, "CONFIG_SCHED" },
	{ ARCH_ANY, ROLE_TASK, "sched", "sched_migrate_task", NULL, "CONFIG_SMP" },
	{ ARCH_ANY, ROLE_TASK, "sched", "sched_process_fork", NULL, "v2.6.28 and later" },
	{ ARCH_ANY, ROLE_TASK, "sched", "sched_process_exec", NULL, "v3.4 and later" },
	{ ARCH_ANY, ROLE_TASK, "sched", "sched_process_exit", NULL, "v2.6.28 and later" },
	{ ARCH_ANY, ROLE_TASK, "task", "task_newtask", NULL, "v3.4 and later" },
	{ ARCH_ANY, ROLE_TASK, "task", "task_rename", NULL, "v3.4 and later" },
	SYSCALL_ROWS(ARCH_ANY, "munmap"),
	SYSCALL_ROWS(ARCH_ANY, "mprotect"),
	SYSCALL_ROWS(ARCH_ANY, "madvise"),
	SYSCALL_ROWS(ARCH_ANY, "mremap"),
	SYSCALL_ROWS(ARCH_ANY, "brk"),
	SYSCALL_ROWS(ARCH_ANY, "shmat"),
	SYSCALL_ROWS(ARCH_ANY, "shmdt"),
	SYSCALL_ROWS(ARCH_POWERPC, "ipc"),
	{ ARCH_ANY, ROLE_SYSCALL, "syscalls", "sys_enter_exit_group", NULL,
	  "CONFIG_FTRACE_SYSCALLS" },
	/* Calls to reschedule have no callback and do not flush. */
	{ ARCH_ANY, ROLE_IPI, "ipi", "ipi_send_cpu", "callback != 0", "v6.4 and later" },
	{ ARCH_ANY, ROLE_IPI, "ipi", "ipi_send_cpumask", "callback != 0", "v6.4 and later" },
	{ ARCH_ANY, ROLE_IPI, "csd", "csd_queue_cpu", NULL, "v6.4 and later" },
	{ ARCH_ANY, ROLE_IPI, "csd", "csd_function_entry", NULL, "v6.4 and later" },
};

/* 0x448 is H_RPT_INVALIDATE: a guest without GTSE flushes by it. */
static const struct catalogue_row hcall_row = { ARCH_POWERPC,	   ROLE_HCALL,
						"powerpc",	   "hcall_entry",
						"opcode == 0x448", "CONFIG_PPC_PSERIES" };

const char *record_role_text(enum event_role role)
{
	static const char *const texts[] = {
		[ROLE_FLUSH] = "flushes",	    [ROLE_TASK] = "tasks and address spaces",
		[ROLE_SYSCALL] = "ends of flushes", [ROLE_IPI] = "interrupts to other CPUs",
		[ROLE_HCALL] = "hypervisor calls",  [ROLE_EXTRA] = "asked for with -e",
	};

	return texts[role];
}

static bool have_event(const char *system, const char *name)
{
	return tracefs_event_file_exists(NULL, system, name, "format");
}

static int add_event(struct record_events *events, const char *system, const char *name,
		     const char *filter, enum event_role role)
{
	struct record_event *more;

	for (size_t i = 0; i < events->n; i++)
		if (!strcmp(events->list[i].system, system) && !strcmp(events->list[i].name, name))
			return 0;
	more = reallocarray(events->list, events->n + 1, sizeof(*more));
	if (!more)
		return -1;
	events->list = more;
	more += events->n;
	*more = (struct record_event){ .filter = filter, .role = role };
	if (strlen(system) >= sizeof(more->system) || strlen(name) >= sizeof(more->name))
		return 0;
	memcpy(more->system, system, strlen(system) + 1);
	memcpy(more->name, name, strlen(name) + 1);
	events->n++;
	return 0;
}

static int add_missing(struct record_events *events, const struct catalogue_row *row)
{
	struct record_missing *more = reallocarray(events->missing, events->n_missing + 1,
						   sizeof(*more));

	if (!more)
		return -1;
	events->missing = more;
	more[events->n_missing++] = (struct record_missing){ row->system, row->name, row->role,
							     row->since };
	return 0;
}

static int take_row(struct record_events *events, const struct record_machine *m,
		    const struct catalogue_row *row, unsigned roles)
{
	if (!(row->arch & m->arch) || !(roles & 1U << row->role))
		return 0;
	if (have_event(row->system, row->name))
		return add_event(events, row->system, row->name, row->filter, row->role);
	return add_missing(events, row);
}

static int take_catalogue(struct record_events *events, const struct record_machine *m,
			  unsigned roles)
{
	for (size_t i = 0; i < sizeof(catalogue) / sizeof(*catalogue); i++)
		if (take_row(events, m, &catalogue[i], roles))
			return -1;
	if (m->guest && !m->gtse)
		return take_row(events, m, &hcall_row, roles);
	return 0;
}

/* The events of one system that match the pattern. Returns how many, or -1. */
static int match_system(struct record_events *events, const char *system, const char *pattern)
{
	char **names = tracefs_system_events(NULL, system);
	int found = 0;

	for (char **name = names; name && *name && found >= 0; name++) {
		if (fnmatch(pattern, *name, 0) || !have_event(system, *name))
			continue;
		found = add_event(events, system, *name, NULL, ROLE_EXTRA) ? -1 : found + 1;
	}
	tracefs_list_free(names);
	return found;
}

static int take_extra(struct record_events *events, const char *word, struct error *err)
{
	char **systems = tracefs_event_systems(NULL);
	size_t len = strcspn(word, ":");
	const char *pattern = word[len] ? word + len + 1 : "*";
	char *system_pattern = strndup(word, len);
	int found = 0;

	for (char **system = systems; system && *system && system_pattern; system++) {
		int n = fnmatch(system_pattern, *system, 0) ? 0
							    : match_system(events, *system, pattern);

		found += n > 0 ? n : 0;
	}
	free(system_pattern);
	tracefs_list_free(systems);
	if (found)
		return 0;
	return error_set(err, ERROR_USAGE,
			 "-e %s: this kernel has no such event: events are named SYSTEM:EVENT, and "
			 "'trace-cmd list -e' lists them",
			 word);
}

int record_events_find(struct record_events *events, const struct record_machine *m, unsigned roles,
		       const char *const *extra, size_t n_extra, struct error *err)
{
	*events = (struct record_events){ 0 };
	if (take_catalogue(events, m, roles)) {
		record_events_free(events);
		return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	}
	for (size_t i = 0; i < n_extra; i++)
		if (take_extra(events, extra[i], err)) {
			record_events_free(events);
			return -1;
		}
	return 0;
}

void record_events_free(struct record_events *events)
{
	free(events->list);
	free(events->missing);
	*events = (struct record_events){ 0 };
}

bool record_events_have(const struct record_events *events, enum event_role role)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->list[i].role == role)
			return true;
	return false;
}
