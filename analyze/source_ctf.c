/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_ctf.c - a directory with CTF traces as a source.
 *
 * Those that perf data convert makes, LTTng's of the kernel, and our own exports. A CPU's events are
 * all streams whose packets name it (cpu_id), merged by time; streams without a CPU count as CPU 0's.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/ctf_about.h"
#include "analyze/ctf_class.h"
#include "analyze/ctf_field.h"
#include "analyze/ctf_own_event.h"
#include "analyze/ctf_reader.h"
#include "analyze/ctf_scout.h"
#include "analyze/event_decode.h"
#include "analyze/source_ops.h"
#include "analyze/tasknotes.h"

#define NO_TID (-1)
#define MAX_CPUS 4096 /* of our own exports: CPUs that wrote nothing */

struct cpu {
	struct ctf_port **ports;
	uint32_t n_ports;
	struct event_decoder decoder;
	bool started;
	bool ended;
	uint8_t *record; /* CTF_RECORD_MAX bytes: the last event's */
	int32_t running; /* LTTng: the task, as the last switch says */
	struct ctf_unfolded unfolded;
	uint64_t last_ns; /* of the event handed out last */
	uint64_t flushes; /* instructions and x86 flushes handed out */
	uint64_t others;  /* events that are none of the kernel's, or whose class is not known */
	uint64_t unknown;
	uint64_t lost;
	uint64_t lost_unknown;
	struct damage damage;
};

struct ctf {
	struct source base;
	char *path;
	struct ctf_reader reader;
	struct ctf_classes classes;
	struct task_note *tasks;
	struct cpu *cpus;
	pthread_mutex_t lock; /* libbabeltrace2, and what its events tell of all CPUs */
	bool own;
	struct damage damage;	  /* of the whole */
	struct source_info about; /* as the environment has it */
	struct source_info info;
	struct event_count *counts;
};

static inline struct ctf *ctf_of(const struct source *src)
{
	return (struct ctf *)(uintptr_t)src;
}

static int no_memory(const struct ctf *c, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", c->path);
}

/* ---- events ---- */

static int start_cpu(struct ctf *c, struct cpu *cpu)
{
	struct symbol_finder none = { NULL, NULL };

	if (cpu->started)
		return 0;
	cpu->running = NO_TID;
	cpu->record = malloc(CTF_RECORD_MAX + 1);
	if (!cpu->record || event_decoder_init(&cpu->decoder, &c->classes.formats, none))
		return -1;
	cpu->started = true;
	return 0;
}

static bool unknown(struct cpu *cpu)
{
	cpu->others++;
	cpu->unknown++;
	return false;
}

static int32_t tid_of(const struct cpu *cpu, const struct ctf_class *class, const bt_field *payload,
		      const bt_field *context)
{
	uint64_t tid = ctf_member_number(context, class->context_tid, (uint64_t)cpu->running);

	return (int32_t)ctf_member_number(payload, class->common_pid, tid);
}

/* All events of a class have one id of the kernel's: anything else is damage. */
static void check_type(struct cpu *cpu, uint32_t n, struct ctf_class *class, const bt_field *payload)
{
	uint64_t type = ctf_member_number(payload, class->common_type, 0);

	if (!type)
		return;
	if (!class->type)
		class->type = type;
	if (class->type != type)
		damage_note(&cpu->damage,
			    "CPU %" PRIu32 ", behind the event at %" PRIu64 " ns: an event of id "
			    "%" PRIu64 " among those of id %" PRIu64,
			    n, cpu->last_ns, type, class->type);
}

/* Whose thread group it is, as far as the event itself tells: perf's sample, LTTng's context. */
static int32_t told_tgid(const struct ctf_class *class, const bt_field *payload,
			 const bt_field *context, int32_t tid)
{
	int32_t sampled = (int32_t)ctf_member_number(payload, class->tid, UINT64_MAX);
	int32_t pid = (int32_t)ctf_member_number(payload, class->pid, UINT64_MAX);

	if (sampled == tid && pid >= 0)
		return pid;
	return (int32_t)ctf_member_number(context, class->context_tgid, UINT64_MAX);
}

static void follow_switch(struct cpu *cpu, const struct ctf_class *class, struct event *ev)
{
	if (class->common_pid == CTF_NO_FIELD)
		ev->tid = ev->sw.prev_tid;
	cpu->running = ev->sw.next_tid;
}

/* The kernel names a task after the file that it executes (begin_new_exec, v2.6.12 to v6.12). */
static void name_after_file(const char *path, struct event *ev)
{
	const char *slash = strrchr(path, '/');

	snprintf(ev->task.comm, sizeof(ev->task.comm), "%.15s", slash ? slash + 1 : path);
}

/* The first name of a task stays; "" and -1 say nothing. -1: no memory. */
static int note_task(struct ctf *c, int32_t tid, int32_t tgid, const char *comm)
{
	struct task_note *note = task_notes_get(&c->tasks, tid);

	if (!note)
		return -1;
	if (tgid >= 0)
		note->tgid = tgid;
	if (!note->comm[0])
		snprintf(note->comm, sizeof(note->comm), "%s", comm);
	return 0;
}

static int32_t known_tgid(const struct ctf *c, int32_t tid)
{
	const struct task_note *note = task_notes_find(c->tasks, tid);

	return note ? note->tgid : -1;
}

static int take_kernel(struct ctf *c, struct cpu *cpu, struct ctf_class *class,
		       const bt_event *event, struct event *ev)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	const bt_field *context = bt_event_borrow_common_context_field_const(event);
	int32_t tid = tid_of(cpu, class, payload, context);
	uint8_t flags = (uint8_t)ctf_member_number(payload, class->common_flags, 0);
	uint32_t len = ctf_class_record(class, event, flags, tid, cpu->record);
	int32_t tgid;

	check_type(cpu, (uint32_t)(cpu - c->cpus), class, payload);
	if (!event_decode(&cpu->decoder, cpu->record, len, 0, ev))
		return 0;
	if (ev->kind == EVENT_SWITCH)
		follow_switch(cpu, class, ev);
	if (ev->kind == EVENT_EXEC)
		name_after_file(ctf_member_text(payload, class->filename), ev);
	tgid = told_tgid(class, payload, context, ev->tid);
	if (tgid >= 0 && note_task(c, ev->tid, tgid, ""))
		return -1;
	ev->tgid = tgid >= 0 ? tgid : known_tgid(c, ev->tid);
	return 1;
}

/* An event that says of a task what it is called and to which group it belongs. */
static int take_task(struct ctf *c, const struct ctf_class *class, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);

	return note_task(c, (int32_t)ctf_member_number(payload, class->tid, UINT64_MAX),
			 (int32_t)ctf_member_number(payload, class->pid, UINT64_MAX),
			 ctf_member_text(payload, class->comm));
}

static int take_own(struct cpu *cpu, const struct ctf_class *class, const bt_event *event,
		    uint64_t time_ns, struct event *ev)
{
	return ctf_own_take(&cpu->unfolded, cpu->record, class, event, time_ns, ev) ? 1
										    : unknown(cpu);
}

/* ---- streams ---- */

/* 1 with *ev, 0: not for the caller, -1: no memory. */
static int take_event(struct ctf *c, struct cpu *cpu, const bt_message *message, struct event *ev)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	struct ctf_class *class = ctf_class_of(&c->classes, event);

	if (!class)
		return unknown(cpu);
	switch ((enum ctf_what) class->what) {
	case CTF_KERNEL:
		return take_kernel(c, cpu, class, event, ev);
	case CTF_EVENT:
		return take_own(cpu, class, event, ev->time_ns, ev);
	case CTF_PERF_COMM:
	case CTF_STATEDUMP:
	case CTF_TASK:
		cpu->others++;
		return take_task(c, class, event);
	default:
		cpu->others++;
		return 0;
	}
}

static int take_lost(struct cpu *cpu, const bt_message *message, struct event *ev)
{
	uint64_t n = 0;

	*ev = (struct event){ .kind = EVENT_LOST, .tid = NO_TID, .tgid = -1 };
	if (bt_message_get_type(message) == BT_MESSAGE_TYPE_DISCARDED_EVENTS &&
	    bt_message_discarded_events_get_count(message, &n) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		n = 0;
	ev->lost = n;
	cpu->lost += n;
	cpu->lost_unknown += !n;
	return 1;
}

/* The time of the port's next message; what has none is where the stream is. */
static uint64_t time_of(struct ctf_port *port, const bt_message *message)
{
	uint64_t time_ns;

	return ctf_message_time(message, &time_ns) ? time_ns : port->last_ns;
}

static struct ctf_port *earliest(struct ctf *c, struct cpu *cpu, const bt_message **message,
				 uint64_t *time_ns)
{
	struct ctf_port *found = NULL;

	for (uint32_t i = 0; i < cpu->n_ports; i++) {
		const bt_message *head = ctf_port_peek(&c->reader, cpu->ports[i]);
		uint64_t ns;

		if (!head)
			continue;
		ns = time_of(cpu->ports[i], head);
		if (found && *time_ns <= ns)
			continue;
		found = cpu->ports[i];
		*message = head;
		*time_ns = ns;
	}
	return found;
}

static void note_time(struct ctf_port *port, uint64_t time_ns)
{
	if (time_ns < port->begin_ns)
		ctf_port_note(port,
			      "an event at %" PRIu64 " ns is before the beginning of its packet",
			      time_ns);
	port->last_ns = time_ns;
}

static int read_cpu(struct ctf *c, uint32_t n, struct event *ev)
{
	struct cpu *cpu = &c->cpus[n];
	const bt_message *message;
	struct ctf_port *port;
	uint64_t time_ns = 0;
	int got;

	if (start_cpu(c, cpu))
		return -1;
	if (ctf_own_next(&cpu->unfolded, ev))
		return 1;
	while ((port = earliest(c, cpu, &message, &time_ns))) {
		note_time(port, time_ns);
		ev->time_ns = time_ns;
		got = bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT
			      ? take_event(c, cpu, message, ev)
			      : take_lost(cpu, message, ev);
		ctf_port_pop(port);
		if (got) {
			ev->time_ns = time_ns;
			return got;
		}
	}
	return 0;
}

static int next_of_cpu(struct ctf *c, uint32_t n, struct event *ev)
{
	struct cpu *cpu = &c->cpus[n];
	int got = read_cpu(c, n, ev);

	cpu->ended |= !got;
	if (got <= 0)
		return got;
	ev->cpu = n;
	if (ev->time_ns < cpu->last_ns) {
		damage_note(&cpu->damage, "CPU %" PRIu32 ": time goes back at %" PRIu64 " ns", n,
			    cpu->last_ns);
		ev->time_ns = cpu->last_ns;
	}
	cpu->last_ns = ev->time_ns;
	cpu->flushes += ev->kind == EVENT_TLBIE || ev->kind == EVENT_X86_FLUSH;
	return 1;
}

static int next(struct source *src, uint32_t n, struct event *ev, struct error *err)
{
	struct ctf *c = ctf_of(src);
	int got;

	pthread_mutex_lock(&c->lock);
	got = next_of_cpu(c, n, ev);
	pthread_mutex_unlock(&c->lock);
	return got < 0 ? no_memory(c, err) : got;
}

/* One graph reads all CPUs. */
static bool is_parallel(const struct source *src)
{
	(void)src;
	return false;
}

static const char *comm(const struct source *src, int32_t tid)
{
	struct ctf *c = ctf_of(src);
	const struct task_note *note;

	pthread_mutex_lock(&c->lock);
	note = task_notes_find(c->tasks, tid);
	pthread_mutex_unlock(&c->lock);
	return note ? note->comm : "";
}

static int32_t tgid(const struct source *src, int32_t tid)
{
	struct ctf *c = ctf_of(src);
	int32_t found;

	pthread_mutex_lock(&c->lock);
	found = known_tgid(c, tid);
	pthread_mutex_unlock(&c->lock);
	return found;
}

/* ---- what is known of the trace ---- */

static void add_cpu(struct ctf *c, const struct cpu *cpu, struct damage *damage)
{
	struct source_info *info = &c->info;

	damage_add(damage, &cpu->damage);
	info->unknown_records += cpu->unknown;
	if (c->own) /* counts what was recorded, not what the export made of it */
		return;
	info->lost_events += cpu->lost;
	info->lost_unknown += cpu->lost_unknown;
	info->events += cpu->others;
	if (!cpu->started)
		return;
	info->events += cpu->decoder.records;
	info->unknown_records += cpu->decoder.unknown;
	for (uint32_t i = 0; i < c->classes.formats.n; i++)
		c->counts[i].count += cpu->decoder.counts[i];
}

/* Our own exports say how many instructions there were: how many are not there, once all is read. */
static uint64_t missing(const struct ctf *c)
{
	uint64_t expected = 0, found = 0;

	for (uint32_t i = 0; i < c->info.cpus; i++) {
		if (!c->cpus[i].ended)
			return 0;
		found += c->cpus[i].flushes;
	}
	for (size_t i = 0; i < c->info.n_counts; i++)
		if (!strcmp(c->counts[i].name, "powerpc:tlbie") ||
		    !strcmp(c->counts[i].name, "tlb:tlb_flush"))
			expected += c->counts[i].count;
	return found < expected ? expected - found : 0;
}

static void update_info(const struct source *src)
{
	struct ctf *c = ctf_of(src);
	struct source_info *info = &c->info;
	struct damage damage;

	pthread_mutex_lock(&c->lock);
	damage = c->damage;
	info->events = c->about.events;
	info->lost_events = c->about.lost_events + (c->own ? missing(c) : 0);
	info->lost_unknown = c->about.lost_unknown;
	info->unknown_records = c->about.unknown_records;
	for (size_t i = 0; i < info->n_counts && !c->own; i++)
		c->counts[i].count = 0;
	for (uint32_t i = 0; i < info->cpus; i++)
		add_cpu(c, &c->cpus[i], &damage);
	for (uint32_t i = 0; i < c->reader.n_ports; i++)
		damage_add(&damage, &c->reader.ports[i].damage);
	info->truncated = c->about.truncated || damage.places;
	memcpy(info->truncated_text, damage.places ? damage.text : c->about.truncated_text,
	       sizeof(info->truncated_text));
	pthread_mutex_unlock(&c->lock);
}

static int list_counts(struct ctf *c)
{
	const struct event_formats *formats = &c->classes.formats;

	if (c->own)
		return 0;
	c->counts = calloc(formats->n + 1, sizeof(*c->counts));
	if (!c->counts)
		return -1;
	for (uint32_t i = 0; i < formats->n; i++) {
		memcpy(c->counts[i].name, formats->list[i].name, sizeof(c->counts[i].name));
		c->counts[i].enabled = true;
	}
	c->info.n_counts = formats->n;
	return 0;
}

/* ---- opening ---- */

/* Of our own export: an event name and how often it was recorded. */
static int add_recorded(struct ctf *c, const struct ctf_class *class, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	const bt_field_class *members = bt_event_class_borrow_payload_field_class_const(class->key);
	struct event_count *more, *to;

	more = reallocarray(c->counts, c->info.n_counts + 1, sizeof(*more));
	if (!more)
		return -1;
	c->counts = more;
	to = &more[c->info.n_counts++];
	*to = (struct event_count){ .count = ctf_member_number(
					    payload, ctf_member_index(members, "count"), 0) };
	to->enabled = ctf_member_number(payload, ctf_member_index(members, "enabled"), 0);
	snprintf(to->name, sizeof(to->name), "%s", ctf_member_text(payload, class->comm));
	return 0;
}

/* Reads a stream that is about the whole. 1: it was one. */
static int read_aside(struct ctf *c, struct ctf_port *port)
{
	const bt_message *message;
	struct ctf_class *class = NULL;
	int status = 0, was = 0;

	while ((message = ctf_port_peek(&c->reader, port)) &&
	       bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT && !status) {
		const bt_event *event = bt_message_event_borrow_event_const(message);

		class = ctf_class_of(&c->classes, event);
		if (!class || class->what < CTF_TASK)
			break;
		was = 1;
		if (class->what == CTF_FLUSH)
			break;
		status = class->what == CTF_TASK ? take_task(c, class, event)
						 : add_recorded(c, class, event);
		ctf_port_pop(port);
	}
	return status ? -1 : was;
}

static int add_port(struct ctf *c, struct ctf_port *port)
{
	struct cpu *cpu = &c->cpus[port->cpu < 0 ? 0 : port->cpu];
	struct ctf_port **more;

	more = reallocarray(cpu->ports, cpu->n_ports + 1, sizeof(struct ctf_port *));
	if (!more)
		return -1;
	cpu->ports = more;
	cpu->ports[cpu->n_ports++] = port;
	return 0;
}

static int add_ports(struct ctf *c)
{
	for (uint32_t i = 0; i < c->reader.n_ports; i++) {
		struct ctf_port *port = &c->reader.ports[i];
		int aside = port->has_cpu ? 0 : read_aside(c, port);

		if (aside < 0 || (!aside && add_port(c, port)))
			return -1;
	}
	return 0;
}

/* Every stream up to its first event: what traces there are, and what CPUs. */
static void look_at_ports(struct ctf *c)
{
	uint32_t cpus = 1;

	for (uint32_t i = 0; i < c->reader.n_ports; i++) {
		struct ctf_port *port = &c->reader.ports[i];

		(void)ctf_port_peek(&c->reader, port);
		if (port->cpu >= cpus)
			cpus = (uint32_t)port->cpu + 1;
	}
	c->info.cpus = cpus;
}

static bool seen_before(const struct ctf *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (c->reader.ports[i].trace == c->reader.ports[n].trace)
			return true;
	return false;
}

static int take_about(struct ctf *c, struct error *err)
{
	for (uint32_t i = 0; i < c->reader.n_ports; i++) {
		int64_t version;

		if (!c->reader.ports[i].trace || seen_before(c, i))
			continue;
		version = ctf_about_take(&c->about, c->reader.ports[i].trace);
		if (version && version != CTF_OWN_VERSION)
			return error_set(err, ERROR_INPUT,
					 "%s: is an export of another version of tlbtrace (format "
					 "%" PRId64 ", known here is %d)",
					 c->path, version, CTF_OWN_VERSION);
		c->own |= version != 0;
	}
	return 0;
}

static int take_classes(struct ctf *c)
{
	if (ctf_classes_begin(&c->classes, c->about.arch))
		return -1;
	for (uint32_t i = 0; i < c->reader.n_ports; i++) {
		const bt_trace *trace = c->reader.ports[i].trace;

		if (trace && !seen_before(c, i) &&
		    ctf_classes_add(&c->classes, bt_trace_borrow_class_const(trace)))
			return -1;
	}
	ctf_classes_end(&c->classes);
	return 0;
}

static bool has_clock(struct ctf *c)
{
	for (uint32_t i = 0; i < c->reader.n_ports; i++) {
		const bt_message *message = ctf_port_peek(&c->reader, &c->reader.ports[i]);
		uint64_t ignored;

		if (message && bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT &&
		    !ctf_message_time(message, &ignored))
			return false;
	}
	return true;
}

static bool has_irq_flags(const struct ctf *c)
{
	const struct ctf_class *class;

	for (class = c->classes.table; class; class = class->hh.next)
		if (class->what == CTF_KERNEL && class->common_flags != CTF_NO_FIELD)
			return true;
	return false;
}

static void fill_info(struct ctf *c)
{
	uint32_t cpus = c->info.cpus;
	const char *kind = c->own ? " of tlbtrace" : "";

	c->about.has_time = c->own ? c->about.has_time : has_clock(c);
	c->about.has_irq_flags = c->own ? c->about.has_irq_flags : has_irq_flags(c);
	c->info = c->about;
	if (!c->own || c->about.cpus < cpus || c->about.cpus > MAX_CPUS)
		c->info.cpus = cpus;
	c->info.path = c->path;
	snprintf(c->info.format, sizeof(c->info.format), "CTF%s", kind);
}

/* A file without a stream is one that libbabeltrace2 passed over. */
static void check_streams(struct ctf *c)
{
	uint64_t with_packets = 0;

	for (uint32_t i = 0; i < c->reader.n_ports; i++)
		with_packets += c->reader.ports[i].packets > 0 || c->reader.ports[i].failed;
	if (c->reader.dirs.files && !with_packets)
		damage_note(&c->damage, "none of %" PRIu64 " data stream files has a packet",
			    c->reader.dirs.files);
}

static int load(struct ctf *c, struct error *err)
{
	struct ctf_scout *scout = ctf_scout_send(c->path, err);
	int status = scout ? ctf_reader_open(&c->reader, c->path, scout, err) : -1;

	ctf_scout_free(scout);
	if (status)
		return -1;
	look_at_ports(c);
	if (take_about(c, err))
		return -1;
	if (take_classes(c))
		return no_memory(c, err);
	fill_info(c);
	check_streams(c);
	c->cpus = calloc(c->info.cpus, sizeof(*c->cpus));
	if (!c->cpus || add_ports(c) || list_counts(c))
		return no_memory(c, err);
	c->info.counts = c->counts;
	return 0;
}

static void close_ctf(struct source *src)
{
	struct ctf *c = ctf_of(src);

	for (uint32_t i = 0; c->cpus && i < c->info.cpus; i++) {
		event_decoder_free(&c->cpus[i].decoder);
		free(c->cpus[i].ports);
		free(c->cpus[i].record);
	}
	free(c->cpus);
	free(c->counts);
	task_notes_free(&c->tasks);
	ctf_classes_free(&c->classes);
	ctf_reader_close(&c->reader);
	pthread_mutex_destroy(&c->lock);
	free(c->path);
	free(c);
}

static bool matches(const struct source_file *file)
{
	return file->is_directory && ctf_dirs_any(file->name);
}

static struct source *open_ctf(struct source_file *file, struct error *err)
{
	struct ctf *c = calloc(1, sizeof(*c));

	if (c)
		c->path = strdup(file->name);
	if (!c || !c->path) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", file->name);
		source_file_close(file);
		free(c);
		return NULL;
	}
	source_file_close(file);
	c->base = (struct source){ .ops = &source_ctf_ops, .info = &c->info };
	pthread_mutex_init(&c->lock, NULL);
	if (load(c, err)) {
		close_ctf(&c->base);
		return NULL;
	}
	return &c->base;
}

const struct source_ops source_ctf_ops = {
	.matches = matches,
	.open = open_ctf,
	.next = next,
	.is_parallel = is_parallel,
	.update_info = update_info,
	.comm = comm,
	.tgid = tgid,
	.close = close_ctf,
};
