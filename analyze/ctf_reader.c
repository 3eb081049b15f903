/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_reader.c - the data streams of CTF traces, each read by itself through libbabeltrace2. */
#include "analyze/ctf_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/bytes.h"
#include "analyze/ctf_error.h"
#include "analyze/ctf_scout.h"

#define MAX_CPU 4095
#define NO_LOGS BT_LOGGING_LEVEL_NONE

/* ---- the sink: an iterator per stream, of which one is asked at a time ---- */

static bt_component_class_initialize_method_status sink_initialize(
	bt_self_component_sink *self, bt_self_component_sink_configuration *config,
	const bt_value *params, void *data)
{
	struct ctf_reader *reader = data;
	char name[24];

	(void)config;
	(void)params;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), reader);
	for (uint32_t i = 0; i < reader->n_ports; i++) {
		snprintf(name, sizeof(name), "in%" PRIu32, i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status sink_configured(
	bt_self_component_sink *self)
{
	struct ctf_reader *reader = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));

	for (uint32_t i = 0; i < reader->n_ports; i++) {
		bt_self_component_port_input *port = bt_self_component_sink_borrow_input_port_by_index(
			self, i);

		if (bt_message_iterator_create_from_sink_component(self, port,
								   &reader->ports[i].iterator))
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

void ctf_port_note(struct ctf_port *port, const char *fmt, ...)
{
	char what[200], cpu[40] = "", last[48] = "";
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (port->has_cpu)
		(void)snprintf(cpu, sizeof(cpu), " of CPU %" PRId64, port->cpu);
	if (port->last_ns)
		(void)snprintf(last, sizeof(last), ", behind the event at %" PRIu64 " ns",
			       port->last_ns);
	damage_note(&port->damage, "stream %s%s, packet %" PRIu64 "%s: %s",
		    port->file[0] ? port->file : "(name unknown)", cpu, port->packets, last, what);
}

/* The same, and leaves no error behind: the library aborts where there is one. */
static void note_error(struct ctf_port *port, const char *what)
{
	char text[160];

	ctf_take_error(text, sizeof(text));
	ctf_port_note(port, "%s: %s", what, text);
}

static bool has_error(void)
{
	const bt_error *error = bt_current_thread_take_error();

	if (error)
		bt_current_thread_move_error(error);
	return error;
}

/* A stream that fails is given up; the graph, and with it the other streams, goes on. */
static void advance(struct ctf_port *port)
{
	bt_message_iterator_next_status status;

	port->at = port->n = 0;
	status = bt_message_iterator_next(port->iterator, &port->messages, &port->n);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		port->fetched += port->n;
	else
		port->n = 0;
	port->taken += status == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN; /* not endlessly often */
	port->ended = port->n == 0 && status != BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN;
	port->failed = port->ended && status != BT_MESSAGE_ITERATOR_NEXT_STATUS_END;
	if (port->failed || has_error())
		note_error(port, port->ended ? "ends early" : "is damaged");
}

static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self)
{
	struct ctf_reader *reader = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));

	if (reader->wanted != UINT32_MAX)
		advance(&reader->ports[reader->wanted]);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static bool make_sink_class(struct ctf_reader *reader)
{
	reader->class = bt_component_class_sink_create("streams", sink_consume);
	return reader->class &&
	       !bt_component_class_sink_set_initialize_method(reader->class, sink_initialize) &&
	       !bt_component_class_sink_set_graph_is_configured_method(reader->class,
								       sink_configured);
}

/* ---- the graph ---- */

static int fail(const char *path, const char *what, enum error_class class, struct error *err)
{
	char text[700];

	ctf_take_error(text, sizeof(text));
	return error_set(err, class, "%s: %s: %s", path, what, text);
}

/* Returns NULL with the library's error set. */
static const bt_component_source *add_source(struct ctf_reader *reader, const char *dir, uint32_t n)
{
	const bt_component_class_source *class = bt_plugin_borrow_source_component_class_by_name_const(
		reader->plugin, "fs");
	bt_value *params = bt_value_map_create(), *inputs = NULL;
	const bt_component_source *source = NULL;
	char name[24];

	snprintf(name, sizeof(name), "trace%" PRIu32, n);
	if (class && params &&
	    bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ==
		    BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	    bt_value_array_append_string_element(inputs, dir) ==
		    BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
		(void)bt_graph_add_source_component(reader->graph, class, name, params, NO_LOGS,
						    &source);
	bt_value_put_ref(params);
	return source;
}

static int connect(struct ctf_reader *reader, const bt_component_source *source,
		   const bt_component_sink *sink, uint32_t *at)
{
	uint64_t n = bt_component_source_get_output_port_count(source);

	for (uint64_t i = 0; i < n; i++, (*at)++) {
		const bt_port_output *out = bt_component_source_borrow_output_port_by_index_const(
			source, i);
		const bt_port_input *in = bt_component_sink_borrow_input_port_by_index_const(sink,
											     *at);

		if (bt_graph_connect_ports(reader->graph, out, in, NULL) !=
		    BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return -1;
	}
	return 0;
}

static int add_sources(struct ctf_reader *reader, const bt_component_source **sources,
		       struct error *err)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < reader->dirs.n; i++) {
		sources[i] = add_source(reader, reader->dirs.paths[i], i);
		if (!sources[i])
			return fail(reader->dirs.paths[i], "not a readable CTF trace", ERROR_INPUT,
				    err);
		n += bt_component_source_get_output_port_count(sources[i]);
	}
	if (n > CTF_MAX_PORTS)
		return error_set(err, ERROR_INPUT, "%s: has %" PRIu64 " data streams, over %d",
				 reader->dirs.paths[0], n, CTF_MAX_PORTS);
	reader->n_ports = (uint32_t)n;
	return 0;
}

static int add_sink(struct ctf_reader *reader, const bt_component_source **sources)
{
	const bt_component_sink *sink;
	uint32_t at = 0;

	if (!make_sink_class(reader) ||
	    bt_graph_add_sink_component_with_initialize_method_data(
		    reader->graph, reader->class, "streams", NULL, reader, NO_LOGS, &sink))
		return -1;
	for (uint32_t i = 0; i < reader->dirs.n; i++)
		if (connect(reader, sources[i], sink, &at))
			return -1;
	reader->wanted = UINT32_MAX; /* only configures the graph */
	return bt_graph_run_once(reader->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK ? 0 : -1;
}

static int build(struct ctf_reader *reader, const char *path, const struct ctf_scout *scout,
		 struct error *err)
{
	const bt_component_source **sources = calloc(reader->dirs.n, sizeof(void *));
	int status = -1;

	if (!sources) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
		goto out;
	}
	if (add_sources(reader, sources, err))
		goto out;
	reader->ports = calloc(reader->n_ports + 1, sizeof(*reader->ports));
	if (!reader->ports) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
		goto out;
	}
	for (uint32_t i = 0; i < reader->n_ports; i++) {
		reader->ports[i].cpu = -1;
		reader->ports[i].limit = scout ? ctf_scout_limit(scout, i) : UINT64_MAX;
	}
	status = reader->n_ports ? add_sink(reader, sources) : 0;
	if (status)
		fail(path, "its streams cannot be read", ERROR_INPUT, err);
out:
	free(sources);
	return status;
}

int ctf_reader_open(struct ctf_reader *reader, const char *path, const struct ctf_scout *scout,
		    struct error *err)
{
	*reader = (struct ctf_reader){ .graph = NULL };
	if (ctf_dirs_find(&reader->dirs, path, err))
		return -1;
	if (!reader->dirs.n)
		return error_set(err, ERROR_INPUT, "%s: no CTF trace is in this directory", path);
	if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &reader->plugin))
		return fail(path, "libbabeltrace2 has no plugin for CTF", ERROR_ENVIRONMENT, err);
	reader->graph = bt_graph_create(0);
	if (!reader->graph)
		return fail(path, "cannot start libbabeltrace2", ERROR_ENVIRONMENT, err);
	return build(reader, path, scout, err);
}

static void free_port(struct ctf_port *port)
{
	for (; port->at < port->n; port->at++)
		bt_message_put_ref(port->messages[port->at]);
	bt_message_iterator_put_ref(port->iterator);
}

void ctf_reader_close(struct ctf_reader *reader)
{
	for (uint32_t i = 0; reader->ports && i < reader->n_ports; i++)
		free_port(&reader->ports[i]);
	free(reader->ports);
	bt_graph_put_ref(reader->graph);
	bt_component_class_sink_put_ref(reader->class);
	bt_plugin_put_ref(reader->plugin);
	ctf_dirs_free(&reader->dirs);
	*reader = (struct ctf_reader){ .graph = NULL };
}

/* ---- messages ---- */

static bool snapshot_time(const bt_clock_snapshot *clock, uint64_t *time_ns)
{
	int64_t ns;

	if (bt_clock_snapshot_get_ns_from_origin(clock, &ns)) {
		bt_current_thread_clear_error();
		return false;
	}
	*time_ns = (uint64_t)ns;
	return ns >= 0;
}

static bool event_has_clock(const bt_message *message)
{
	const bt_stream *stream = bt_event_borrow_stream_const(
		bt_message_event_borrow_event_const(message));

	return bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream));
}

bool ctf_message_time(const bt_message *message, uint64_t *time_ns)
{
	if (bt_message_get_type(message) != BT_MESSAGE_TYPE_EVENT || !event_has_clock(message))
		return false;
	return snapshot_time(bt_message_event_borrow_default_clock_snapshot_const(message), time_ns);
}

static void note_cpu(struct ctf_port *port, const bt_packet *packet)
{
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	const bt_field *field = context ? bt_field_structure_borrow_member_field_by_name_const(
						  context, "cpu_id")
					: NULL;
	uint64_t cpu;

	if (!field || !bt_field_class_type_is(bt_field_get_class_type(field),
					      BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return;
	cpu = bt_field_integer_unsigned_get_value(field);
	if (cpu > MAX_CPU) {
		ctf_port_note(port, "says that it is of CPU %" PRIu64, cpu);
		return;
	}
	if (port->has_cpu && port->cpu != (int64_t)cpu) {
		ctf_port_note(port, "says that it is of CPU %" PRIu64, cpu);
		return;
	}
	port->cpu = (int64_t)cpu;
	port->has_cpu = true;
}

/* source.ctf.fs calls a stream by the path of its first file. */
static void begin_stream(struct ctf_port *port, const bt_stream *stream)
{
	const char *name = bt_stream_get_name(stream);
	const char *slash = name ? strrchr(name, '/') : NULL;

	port->trace = bt_stream_borrow_trace_const(stream);
	name = slash ? slash + 1 : name;
	if (name)
		text_copy(port->file, sizeof(port->file), name, strlen(name));
}

static void begin_packet(struct ctf_port *port, const bt_message *message)
{
	const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(message);
	const bt_stream_class *class = bt_stream_borrow_class_const(
		bt_packet_borrow_stream_const(packet));
	const bt_clock_snapshot *clock = NULL;

	if (bt_stream_class_packets_have_beginning_default_clock_snapshot(class))
		clock = bt_message_packet_beginning_borrow_default_clock_snapshot_const(message);
	if (!clock || !snapshot_time(clock, &port->begin_ns))
		port->begin_ns = 0;
	port->in_packet = true;
	port->packets++;
	note_cpu(port, packet);
}

static void end_packet(struct ctf_port *port, const bt_message *message)
{
	const bt_packet *packet = bt_message_packet_end_borrow_packet_const(message);
	const bt_stream_class *class = bt_stream_borrow_class_const(
		bt_packet_borrow_stream_const(packet));
	uint64_t end_ns;

	port->in_packet = false;
	if (bt_stream_class_packets_have_end_default_clock_snapshot(class) &&
	    snapshot_time(bt_message_packet_end_borrow_default_clock_snapshot_const(message),
			  &end_ns) &&
	    end_ns < port->last_ns)
		ctf_port_note(port, "ends at %" PRIu64 " ns, before its last event", end_ns);
}

/* True if the message is for the caller. */
static bool look_at(struct ctf_port *port, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		begin_stream(port, bt_message_stream_beginning_borrow_stream_const(message));
		return false;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		begin_packet(port, message);
		return false;
	case BT_MESSAGE_TYPE_PACKET_END:
		end_packet(port, message);
		return false;
	case BT_MESSAGE_TYPE_EVENT:
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return true;
	default:
		return false;
	}
}

/* Where an event takes no bits, a stream never ends: no file has more messages than bits. */
static bool is_endless(const struct ctf_reader *reader, struct ctf_port *port)
{
	if (port->taken <= 8 * reader->dirs.bytes + 1024)
		return false;
	ctf_port_note(port, "has events that take no space");
	port->ended = true;
	return true;
}

static void fetch(struct ctf_reader *reader, struct ctf_port *port)
{
	if (port->fetched >= port->limit) {
		ctf_port_note(port,
			      "ends early: libbabeltrace2 fails on what follows its first %" PRIu64
			      " messages",
			      port->fetched);
		port->ended = port->failed = true;
		return;
	}
	reader->wanted = (uint32_t)(port - reader->ports);
	if (has_error())
		note_error(port, "is damaged");
	if (bt_graph_run_once(reader->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK)
		return;
	bt_current_thread_clear_error();
	ctf_port_note(port, "libbabeltrace2 cannot go on");
	port->ended = true;
}

const bt_message *ctf_port_peek(struct ctf_reader *reader, struct ctf_port *port)
{
	for (;;) {
		while (port->at < port->n) {
			const bt_message *message = port->messages[port->at];

			if (look_at(port, message))
				return message;
			ctf_port_pop(port);
		}
		if (port->ended || is_endless(reader, port))
			return NULL;
		fetch(reader, port);
	}
}

void ctf_port_pop(struct ctf_port *port)
{
	bt_message_put_ref(port->messages[port->at++]);
	port->taken++;
}
