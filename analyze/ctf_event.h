/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_event.h - how `tlbtrace export --format=ctf` writes events, for its writer and our reader.
 *
 * An event kind is a CTF event class "tlbtrace:…" whose payload has the members of struct event, and
 * tid, tgid and flags as the event common context. Of instructions, those of a CPU that differ only
 * in rb, by one distance, are one event: the first record, the distance and the times between them.
 * Read back, they are the same events again, one by one. Beside each CPU's stream there are one for
 * what the file as a whole tells (tasks, events recorded) and one for the flushes, which are for
 * other programs and not read back.
 *
 * The values of enum syscall_nr, enum request_fn, REQUEST_HAS_* and EVENT_* flags are part of this
 * format: where they change, CTF_OWN_VERSION does.
 */
#ifndef TLBTRACE_CTF_EVENT_H
#define TLBTRACE_CTF_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/event.h"

#define CTF_OWN_TRACER "tlbtrace" /* env.tracer_name */
#define CTF_OWN_VERSION 1	  /* env.tlbtrace_format */
#define CTF_OWN_PREFIX "tlbtrace:"
#define CTF_OWN_MEMBERS 15

/* Beside the kinds. */
#define CTF_OWN_TASK CTF_OWN_PREFIX "task"	   /* tid, tgid, comm */
#define CTF_OWN_RECORDED CTF_OWN_PREFIX "recorded" /* name, count, enabled */
#define CTF_OWN_FLUSH CTF_OWN_PREFIX "flush"	   /* the columns of the other export formats */

/* Of EVENT_TLBIE: the distance of rb, and how long after the first each further record came, in ns. */
#define CTF_OWN_STEP "rb_step"
#define CTF_OWN_LATER "later"
#define CTF_OWN_LENGTH "n_later"
#define CTF_OWN_LATER_MAX 1023

enum ctf_member_type {
	CTF_MEMBER_UNSIGNED,
	CTF_MEMBER_SIGNED,
	CTF_MEMBER_COMM, /* a terminated text in an array; in struct event of COMM_LEN */
	CTF_MEMBER_TEXT, /* .marker and .marker_len of struct event */
	CTF_MEMBER_KEY,	 /* a pointer to a terminated text; none in struct event */
};

struct ctf_member {
	const char *name; /* NULL: no more */
	uint16_t at;	  /* in struct event, or in what else is written */
	uint8_t size;	  /* bytes there */
	uint8_t type;
};

struct ctf_own {
	const char *name;
	enum event_kind kind;
	struct ctf_member members[CTF_OWN_MEMBERS + 1];
};

#define CTF_OWN_KINDS 20

extern const struct ctf_own ctf_own[CTF_OWN_KINDS + 1]; /* ends with .name NULL */

/* The common context of all of them. */
extern const struct ctf_member ctf_own_context[];

/* A number out of the structure that the member is of, and into a struct event. */
uint64_t ctf_member_get(const void *structure, const struct ctf_member *member);
void ctf_member_set(struct event *ev, const struct ctf_member *member, uint64_t value);

#endif
