/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_scout.c - how far libbabeltrace2 gets in CTF traces without crashing. */
#include "analyze/ctf_scout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTEMPTS 3		   /* children; each that dies costs one stream its rest */
#define LONG_ARRAY 4096		   /* elements of an array of fixed length that are no harm */
#define MEMORY (UINT64_C(1) << 28) /* bytes that a child may add to what it starts with */
#define MILLISECONDS 500	   /* of CPU time, and: */
#define BYTES_PER_MS 4096	   /* a fiftieth of what is usual */

enum stage {
	STAGE_OPENING,
	STAGE_READING,
	STAGE_REFUSED, /* with .err */
	STAGE_DONE,
};

enum fate {
	FATE_OPEN,
	FATE_GOOD,
	FATE_BAD, /* a child died behind .fetched messages */
};

struct ctf_scout {
	uint32_t stage;
	uint32_t current;
	struct error err;
	uint64_t fetched[CTF_MAX_PORTS];
	uint8_t fate[CTF_MAX_PORTS];
};

/* ---- which event classes may ask for memory without bounds ---- */

/* Both call each other, as deep as the metadata says: a stack overflow only ends the child. */
/* NOLINTBEGIN(misc-no-recursion) */
static bool is_unbounded(const bt_field_class *class);

static bool member_is_unbounded(const bt_field_class *structure)
{
	uint64_t n = bt_field_class_structure_get_member_count(structure);

	for (uint64_t i = 0; i < n; i++)
		if (is_unbounded(bt_field_class_structure_member_borrow_field_class_const(
			    bt_field_class_structure_borrow_member_by_index_const(structure, i))))
			return true;
	return false;
}

/* Options and variants have not been seen in what is read here: they count as unbounded. */
static bool is_unbounded(const bt_field_class *class)
{
	bt_field_class_type type = class ? bt_field_class_get_type(class)
					 : BT_FIELD_CLASS_TYPE_STRING;

	if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
		return member_is_unbounded(class);
	if (type == BT_FIELD_CLASS_TYPE_STATIC_ARRAY)
		return bt_field_class_array_static_get_length(class) > LONG_ARRAY ||
		       is_unbounded(bt_field_class_array_borrow_element_field_class_const(class));
	return !bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER) &&
	       type != BT_FIELD_CLASS_TYPE_STRING && type != BT_FIELD_CLASS_TYPE_BOOL &&
	       type != BT_FIELD_CLASS_TYPE_BIT_ARRAY &&
	       !bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_REAL);
}

/* NOLINTEND(misc-no-recursion) */

static bool event_is_unbounded(const bt_event_class *class)
{
	return is_unbounded(bt_event_class_borrow_payload_field_class_const(class)) ||
	       is_unbounded(bt_event_class_borrow_specific_context_field_class_const(class));
}

static bool stream_is_unbounded(const bt_stream_class *stream)
{
	uint64_t n = bt_stream_class_get_event_class_count(stream);

	if (is_unbounded(bt_stream_class_borrow_packet_context_field_class_const(stream)) ||
	    is_unbounded(bt_stream_class_borrow_event_common_context_field_class_const(stream)))
		return true;
	for (uint64_t i = 0; i < n; i++)
		if (event_is_unbounded(bt_stream_class_borrow_event_class_by_index_const(stream, i)))
			return true;
	return false;
}

static bool trace_is_unbounded(const bt_trace *trace)
{
	const bt_trace_class *class = trace ? bt_trace_borrow_class_const(trace) : NULL;
	uint64_t n = class ? bt_trace_class_get_stream_class_count(class) : 0;

	for (uint64_t i = 0; i < n; i++)
		if (stream_is_unbounded(bt_trace_class_borrow_stream_class_by_index_const(class, i)))
			return true;
	return false;
}

/* ---- the child ---- */

static void read_port(struct ctf_scout *scout, struct ctf_reader *reader, uint32_t i)
{
	struct ctf_port *port = &reader->ports[i];
	bool has_more = ctf_port_peek(reader, port);

	scout->fetched[i] = port->fetched;
	if (trace_is_unbounded(port->trace))
		while (has_more) {
			ctf_port_pop(port);
			has_more = ctf_port_peek(reader, port);
			scout->fetched[i] = port->fetched;
		}
	scout->fate[i] = FATE_GOOD;
}

static void limit(__rlimit_resource_t what, uint64_t to)
{
	struct rlimit limits = { to, to };

	(void)setrlimit(what, &limits);
}

/* SIGPROF ends the child then. */
static void limit_time(uint64_t ms)
{
	struct itimerval left = {
		.it_value = { (time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000) },
	};

	(void)setitimer(ITIMER_PROF, &left, NULL);
}

/* Address sanitizer takes more address space than any limit allows. */
static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__)
	uint64_t pages = 0;
	char text[64] = "";
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		for (const char *at = text; *at >= '0' && *at <= '9'; at++)
			pages = 10 * pages + (uint64_t)(*at - '0');
	if (fd >= 0)
		close(fd);
	if (pages)
		limit(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + MEMORY);
#endif
}

/* What libraries say when they die is of no use to anyone. */
static void be_quiet(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		(void)dup2(null, STDOUT_FILENO);
		(void)dup2(null, STDERR_FILENO);
	}
}

static void scout_traces(struct ctf_scout *scout, const char *path)
{
	struct ctf_reader reader;

	be_quiet();
	limit(RLIMIT_CORE, 0);
	limit_time(MILLISECONDS);
	limit_memory();
	scout->stage = STAGE_OPENING;
	if (ctf_reader_open(&reader, path, NULL, &scout->err)) {
		scout->stage = STAGE_REFUSED;
		return;
	}
	limit_time(MILLISECONDS + reader.dirs.bytes / BYTES_PER_MS);
	for (uint32_t i = 0; i < reader.n_ports; i++) {
		scout->current = i;
		scout->stage = STAGE_READING;
		if (scout->fate[i] == FATE_OPEN)
			read_port(scout, &reader, i);
	}
	scout->stage = STAGE_DONE;
}

/* ---- the parent ---- */

/* Waits for a child. Returns its status, or -1 with errno set. */
static int run_child(struct ctf_scout *scout, const char *path)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		scout_traces(scout, path);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int explore(struct ctf_scout *scout, const char *path, struct error *err)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		int status = run_child(scout, path);

		if (status < 0)
			return error_set(err, ERROR_ENVIRONMENT, "%s: cannot start a process: %s",
					 path, strerror(errno));
		if (scout->stage == STAGE_DONE)
			return 0;
		if (scout->stage == STAGE_REFUSED) {
			*err = scout->err;
			return -1;
		}
		if (scout->stage == STAGE_OPENING)
			return error_set(err, ERROR_INPUT,
					 "%s: damaged: libbabeltrace2 fails on its metadata or the "
					 "heads of its packets (%s)",
					 path,
					 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
		scout->fate[scout->current] = FATE_BAD;
	}
	return 0;
}

struct ctf_scout *ctf_scout_send(const char *path, struct error *err)
{
	struct ctf_scout *scout = mmap(NULL, sizeof(*scout), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (scout == MAP_FAILED) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
		return NULL;
	}
	if (explore(scout, path, err)) {
		ctf_scout_free(scout);
		return NULL;
	}
	return scout;
}

uint64_t ctf_scout_limit(const struct ctf_scout *scout, uint32_t port)
{
	return scout->fate[port] == FATE_GOOD ? UINT64_MAX : scout->fetched[port];
}

void ctf_scout_free(struct ctf_scout *scout)
{
	if (scout)
		munmap(scout, sizeof(*scout));
}
