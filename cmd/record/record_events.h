/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_events.h - which of the kernel's events a recording takes, by architecture and kernel.
 */
#ifndef TLBTRACE_RECORD_EVENTS_H
#define TLBTRACE_RECORD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/error.h"
#include "cmd/record/record_machine.h"

enum event_role {
	ROLE_FLUSH,   /* the instructions themselves: without them nothing can be predicted */
	ROLE_TASK,    /* whose address space it is, and where it runs */
	ROLE_SYSCALL, /* marks where flushes end */
	ROLE_IPI,     /* who else was asked */
	ROLE_HCALL,   /* what the hypervisor does instead */
	ROLE_EXTRA,   /* -e */
};

struct record_event {
	char system[64];
	char name[80];
	const char *filter; /* in the kernel's language; NULL: all */
	enum event_role role;
};

/* An event that this kernel lacks. */
struct record_missing {
	const char *system;
	const char *name;
	enum event_role role;
	const char *since; /* which kernels have it */
};

struct record_events {
	struct record_event *list;
	size_t n;
	struct record_missing *missing;
	size_t n_missing;
};

/*
 * Finds out what this kernel has. roles has a bit (1 << role) for each role wanted; extra are the
 * words of -e. Fails (ERROR_USAGE) if one of them matches nothing, or if tracefs cannot be read
 * (ERROR_ENVIRONMENT).
 */
int record_events_find(struct record_events *events, const struct record_machine *m, unsigned roles,
		       const char *const *extra, size_t n_extra, struct error *err);
void record_events_free(struct record_events *events);

bool record_events_have(const struct record_events *events, enum event_role role);

/* What a role is for, a few words. */
const char *record_role_text(enum event_role role);

#endif
