/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_writer.c - writes a trace, its tasks and its flushes as CTF, through libbabeltrace2. */
#include "cmd/output/ctf_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/ctf_error.h"
#include "cmd/output/ctf_fold.h"
#include "cmd/output/ctf_lane.h"

#define NO_LOGS BT_LOGGING_LEVEL_NONE
#define ASIDE 2 /* streams that are no CPU's: the first two */

struct writer {
	const struct ctf_content *content;
	struct ctf_schema schema;
	struct ctf_lane *lanes;
	struct ctf_fold *folds; /* of the CPUs */
	uint32_t n_lanes;
	size_t told; /* tasks and counts */
	struct ctf_row row;
	struct error *err;
	bt_graph *graph;
	bt_message_iterator_class *iterators;
	bt_component_class_source *class;
	const bt_plugin *ctf;
	const bt_plugin *utils;
};

/* ---- the streams beside the CPUs' ---- */

/* First the events' counts, then the tasks. */
static int next_told(void *arg, struct ctf_lane *lane, struct ctf_item *item)
{
	struct writer *w = arg;
	const struct source_info *info = w->content->info;
	size_t at = w->told++;

	item->time_ns = lane->last_ns;
	item->of = NULL;
	if (at < info->n_counts) {
		item->class = w->schema.recorded;
		item->members = ctf_recorded_members;
		item->from = &info->counts[at];
		return 1;
	}
	at -= info->n_counts;
	if (at == w->content->n_tasks)
		return 0;
	item->class = w->schema.task;
	item->members = ctf_task_members;
	item->from = &w->content->tasks[at];
	return 1;
}

static int next_row(void *arg, struct ctf_lane *lane, struct ctf_item *item)
{
	struct writer *w = arg;

	(void)lane;
	if (fread(&w->row, sizeof(w->row), 1, w->content->rows) != 1) {
		if (!ferror(w->content->rows))
			return 0;
		error_set(w->err, ERROR_ENVIRONMENT, "cannot read the temporary file of rows");
		return -1;
	}
	item->time_ns = w->row.time_ns;
	item->of = NULL;
	item->class = w->schema.flush;
	item->members = ctf_row_members;
	item->from = &w->row;
	return 1;
}

static void set_lanes(struct writer *w)
{
	for (uint32_t i = 0; i < w->n_lanes; i++) {
		struct ctf_lane *lane = &w->lanes[i];
		uint32_t cpu = i - ASIDE;

		lane->schema = &w->schema;
		if (i < ASIDE) {
			lane->class = i ? w->schema.of_flushes : w->schema.of_whole;
			lane->next = i ? next_row : next_told;
			lane->arg = w;
			continue;
		}
		w->folds[cpu] = (struct ctf_fold){ w->content->events, cpu, .err = w->err };
		lane->class = w->schema.of_cpu;
		lane->id = lane->cpu = cpu;
		lane->next = ctf_fold_next;
		lane->arg = &w->folds[cpu];
	}
}

/* ---- our source component ---- */

static bt_component_class_initialize_method_status source_initialize(
	bt_self_component_source *self, bt_self_component_source_configuration *config,
	const bt_value *params, void *data)
{
	struct writer *w = data;
	char name[24];

	(void)config;
	(void)params;
	if (ctf_schema_init(&w->schema, bt_self_component_source_as_self_component(self),
			    w->content->info))
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	set_lanes(w);
	for (uint32_t i = 0; i < w->n_lanes; i++) {
		snprintf(name, sizeof(name), "out%" PRIu32, i);
		if (bt_self_component_source_add_output_port(self, name, &w->lanes[i], NULL))
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_initialize_method_status iterator_initialize(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
	bt_self_component_port_output *port)
{
	(void)config;
	bt_self_message_iterator_set_data(
		self, bt_self_component_port_get_data(
			      bt_self_component_port_output_as_self_component_port(port)));
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_next_method_status iterator_next(bt_self_message_iterator *self,
								  bt_message_array_const messages,
								  uint64_t capacity, uint64_t *count)
{
	struct ctf_lane *lane = bt_self_message_iterator_get_data(self);
	int got = 1;

	for (*count = 0; *count < capacity; (*count)++) {
		got = ctf_lane_next(lane, self, &messages[*count]);
		if (got <= 0)
			break;
	}
	if (got < 0)
		while (*count)
			bt_message_put_ref(messages[--*count]);
	if (got < 0)
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
	return *count ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
		      : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

static const bt_component_source *add_source(struct writer *w)
{
	const bt_component_source *source = NULL;

	w->iterators = bt_message_iterator_class_create(iterator_next);
	if (!w->iterators ||
	    bt_message_iterator_class_set_initialize_method(w->iterators, iterator_initialize))
		return NULL;
	w->class = bt_component_class_source_create("export", w->iterators);
	if (!w->class ||
	    bt_component_class_source_set_initialize_method(w->class, source_initialize))
		return NULL;
	(void)bt_graph_add_source_component_with_initialize_method_data(
		w->graph, w->class, "export", NULL, w, NO_LOGS, &source);
	return source;
}

/* ---- the graph ---- */

static const bt_component_filter *add_muxer(struct writer *w)
{
	const bt_component_class_filter *class = bt_plugin_borrow_filter_component_class_by_name_const(
		w->utils, "muxer");
	const bt_component_filter *muxer = NULL;

	if (class)
		(void)bt_graph_add_filter_component(w->graph, class, "muxer", NULL, NO_LOGS, &muxer);
	return muxer;
}

static const bt_component_sink *add_sink(struct writer *w, const char *dir)
{
	const bt_component_class_sink *class = bt_plugin_borrow_sink_component_class_by_name_const(
		w->ctf, "fs");
	const bt_component_sink *sink = NULL;
	bt_value *params = bt_value_map_create();

	if (class && params && !bt_value_map_insert_string_entry(params, "path", dir) &&
	    !bt_value_map_insert_bool_entry(params, "assume-single-trace", BT_TRUE) &&
	    !bt_value_map_insert_bool_entry(params, "quiet", BT_TRUE))
		(void)bt_graph_add_sink_component(w->graph, class, "trace", params, NO_LOGS, &sink);
	bt_value_put_ref(params);
	return sink;
}

static int build(struct writer *w, const char *dir)
{
	const bt_component_source *source = add_source(w);
	const bt_component_filter *muxer = source ? add_muxer(w) : NULL;
	const bt_component_sink *sink = muxer ? add_sink(w, dir) : NULL;

	if (!sink)
		return -1;
	/* The muxer has one port more than are connected. */
	for (uint32_t i = 0; i < w->n_lanes; i++)
		if (bt_graph_connect_ports(
			    w->graph,
			    bt_component_source_borrow_output_port_by_index_const(source, i),
			    bt_component_filter_borrow_input_port_by_index_const(muxer, i), NULL))
			return -1;
	return bt_graph_connect_ports(
		w->graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL);
}

static const bt_plugin *find_plugin(const char *name)
{
	const bt_plugin *plugin = NULL;

	(void)bt_plugin_find(name, BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin);
	return plugin;
}

static int start(struct writer *w)
{
	w->lanes = calloc(w->n_lanes, sizeof(*w->lanes));
	w->folds = calloc(w->n_lanes, sizeof(*w->folds));
	w->ctf = find_plugin("ctf");
	w->utils = find_plugin("utils");
	w->graph = bt_graph_create(0);
	return w->lanes && w->folds && w->ctf && w->utils && w->graph ? 0 : -1;
}

/* sink.ctf.fs writes the metadata when the graph is gone. */
static void finish(struct writer *w)
{
	for (uint32_t i = 0; w->lanes && i < w->n_lanes; i++)
		ctf_lane_free(&w->lanes[i]);
	ctf_schema_free(&w->schema);
	bt_graph_put_ref(w->graph);
	bt_component_class_source_put_ref(w->class);
	bt_message_iterator_class_put_ref(w->iterators);
	bt_plugin_put_ref(w->ctf);
	bt_plugin_put_ref(w->utils);
}

/* Nobody looks at whether all of it could be written. It ends with "};" and empty lines. */
static int check_metadata(const char *dir, const char *name, struct error *err)
{
	char end[4] = "";
	char *path;
	FILE *f;

	if (asprintf(&path, "%s/metadata", dir) < 0)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	f = fopen(path, "re");
	free(path);
	if (f && fseek(f, -(long)sizeof(end), SEEK_END) == 0)
		(void)!fread(end, sizeof(end), 1, f);
	if (f)
		(void)fclose(f);
	return memcmp(end, "};\n\n", sizeof(end)) == 0
		       ? 0
		       : error_set(
				 err, ERROR_ENVIRONMENT,
				 "%s: cannot write CTF (is the disk full?): its metadata is cut off",
				 name);
}

int ctf_write(const char *dir, const struct ctf_content *content, struct error *err)
{
	struct writer w = { .content = content, .err = err };
	char text[600];
	int status;

	err->class = ERROR_NONE;
	w.n_lanes = ASIDE + source_info(content->events)->cpus;
	status = start(&w) || build(&w, dir) || bt_graph_run(w.graph) ? -1 : 0;
	if (status) {
		ctf_take_error(text, sizeof(text));
		/* What sink.ctf.fs itself fails at it does not say. */
		if (err->class == ERROR_NONE)
			error_set(err, ERROR_ENVIRONMENT,
				  "%s: cannot write CTF (is the disk full?): %s", content->name,
				  text);
	}
	/* libbabeltrace2 2.0 frees twice what it cannot write: the process that asked is about to end. */
	if (!status)
		finish(&w);
	free(w.lanes);
	free(w.folds);
	return status ? -1 : check_metadata(dir, content->name, err);
}
