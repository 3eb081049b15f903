/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_lane.h - one data stream of the CTF trace that export writes, as a sequence of messages:
 * stream beginning, packets of events, stream end.
 */
#ifndef TLBTRACE_CMD_OUTPUT_CTF_LANE_H
#define TLBTRACE_CMD_OUTPUT_CTF_LANE_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/ctf_event.h"
#include "cmd/output/ctf_schema.h"

/* An event that is to be written. */
struct ctf_item {
	uint64_t time_ns;
	const bt_event_class *class;
	const struct ctf_member *members;
	const void *from;	/* what has the members */
	const struct event *of; /* whose context; NULL: the stream has none */
	bool is_run;
	int64_t step;
	uint32_t n_later;
	uint32_t later[CTF_OWN_LATER_MAX];
};

struct ctf_lane {
	const struct ctf_schema *schema;
	bt_stream_class *class;
	uint64_t id;  /* of the stream in its class */
	uint32_t cpu; /* of a CPU's stream */
	/* The next event: 1, 0 at the end, -1: no more, an error was noted elsewhere. */
	int (*next)(void *arg, struct ctf_lane *lane, struct ctf_item *item);
	void *arg;

	/* The rest is ctf_lane.c's. */
	struct ctf_item item;
	bool has_item, ended, begun, over;
	bt_stream *stream;
	bt_packet *packet;
	uint64_t in_packet;
	uint64_t last_ns;
};

/*
 * The next message of the lane: 1 with *message, 0 behind the last, -1: libbabeltrace2's error is set
 * or lane->next said so.
 */
int ctf_lane_next(struct ctf_lane *lane, bt_self_message_iterator *iterator,
		  const bt_message **message);

void ctf_lane_free(struct ctf_lane *lane);

#endif
