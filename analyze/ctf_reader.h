/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_reader.h - the data streams of CTF traces, each read by itself through libbabeltrace2.
 *
 * One graph: a source.ctf.fs per trace directory and one sink of ours with an input port for every
 * stream. The sink asks only the stream that is wanted next, so nothing has to wait in memory for
 * the others. Used by one thread at a time.
 */
#ifndef TLBTRACE_CTF_READER_H
#define TLBTRACE_CTF_READER_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyze/ctf_dirs.h"
#include "analyze/damage.h"
#include "analyze/error.h"

#define CTF_MAX_PORTS 65536

struct ctf_scout;

/* One data stream. */
struct ctf_port {
	bt_message_iterator *iterator;
	bt_message_array_const messages; /* the last batch; [at, n) are ours */
	uint64_t n;
	uint64_t at;
	uint64_t taken;	  /* messages so far */
	uint64_t fetched; /* by batches, so a few more */
	uint64_t limit;	  /* of fetched: the library crashes on what follows */
	int64_t cpu;	  /* of its packets; -1 not said */
	bool has_cpu;
	bool in_packet;
	bool ended;
	bool failed; /* the library gave up on it */
	uint64_t packets;
	uint64_t begin_ns; /* of the packet; 0, UINT64_MAX: not said */
	uint64_t end_ns;
	uint64_t last_ns;      /* of the last event */
	const bt_trace *trace; /* borrowed from its first message; NULL before */
	char file[64];	       /* name of its (first) data stream file; "" not known */
	struct damage damage;
};

struct ctf_reader {
	bt_graph *graph;
	struct ctf_port *ports;
	uint32_t n_ports;
	uint32_t wanted; /* the port that the sink is to advance */
	bt_component_class_sink *class;
	const bt_plugin *plugin;
	struct ctf_dirs dirs;
};

/*
 * Finds the traces in and below path, parses their metadata and finds their streams. Returns 0, or
 * -1 with *err filled; *reader needs ctf_reader_close() either way. scout says where to stop; NULL:
 * the caller is the scout.
 */
int ctf_reader_open(struct ctf_reader *reader, const char *path, const struct ctf_scout *scout,
		    struct error *err);

/*
 * The port's next message that is an event or says that some are missing, or NULL at its end. It
 * belongs to the port and is the same until ctf_port_pop().
 */
const bt_message *ctf_port_peek(struct ctf_reader *reader, struct ctf_port *port);
void ctf_port_pop(struct ctf_port *port);

/* Notes what is wrong with the port's stream: its file, CPU and packet, and the event before, are named
 * in front of it. */
void ctf_port_note(struct ctf_port *port, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Time of such a message in ns; false where it has none or is out of the range. */
bool ctf_message_time(const bt_message *message, uint64_t *time_ns);

void ctf_reader_close(struct ctf_reader *reader);

#endif
