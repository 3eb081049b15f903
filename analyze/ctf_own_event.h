/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_own_event.h - events of our own exports, of which one can stand for many records. */
#ifndef TLBTRACE_CTF_OWN_EVENT_H
#define TLBTRACE_CTF_OWN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/ctf_class.h"
#include "analyze/event.h"

/* The records of one event of ours that are still to be handed out. */
struct ctf_unfolded {
	struct event event; /* the next of them, but for its time */
	uint64_t step;
	uint64_t first_ns;
	uint64_t later[CTF_OWN_LATER_MAX];
	uint32_t n;
	uint32_t at;
};

/*
 * *ev: the event's first record, but for its time; *u: those behind it. Its text is kept in
 * text[CTF_RECORD_MAX]. False: it makes no sense.
 */
bool ctf_own_take(struct ctf_unfolded *u, uint8_t *text, const struct ctf_class *class,
		  const bt_event *event, uint64_t time_ns, struct event *ev);

/* The next of the records behind the first, with its time. False: no more. */
bool ctf_own_next(struct ctf_unfolded *u, struct event *ev);

#endif
