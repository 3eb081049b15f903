/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_tracefs.c - records through a tracefs instance of our own.
 *
 * Readers move full pages of the ring buffers into scratch files by splice; when recording ends,
 * these become a trace.dat. Only the instance's own files are written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "analyze/ringpage.h"
#include "cmd/record/record.h"
#include "cmd/record/record_cleanup.h"
#include "cmd/record/trace_dat_write.h"

#define CLOCK "mono" /* the same on all CPUs, in ns, and that of perf record -k mono */
#define CPUS_PER_READER 4
#define POLL_MS 100 /* pages that fill slowly are taken this often */
#define MAX_FLUSH_IDS 32
#define LOOK_PAGES 32 /* looked into per CPU and tick for the live line */

struct stream {
	uint32_t cpu;
	int raw;     /* trace_pipe_raw; -1: this CPU has none */
	int scratch; /* where its pages go */
	struct tracefs_cpu *reader;
	uint64_t looked; /* bytes of the scratch file that the live line has seen */
};

struct reader {
	struct tracefs_state *state;
	pthread_t thread;
	uint32_t first; /* streams first, first + n_readers, … */
	bool running;
};

struct tracefs_state {
	struct record_instance instance;
	struct tracefs_instance *handle;
	struct trace_dat *file;
	struct stream *streams;
	uint32_t n_streams;
	struct reader *readers;
	uint32_t n_readers;
	uint32_t subbuf_size;
	int stop_fd;	    /* readable: readers end */
	int fail_fd;	    /* readable: a reader failed */
	atomic_int failure; /* its errno */
	uint16_t flush_ids[MAX_FLUSH_IDS];
	uint32_t n_flush_ids;
	uint64_t flushes; /* estimated so far */
};

static int out_of_memory(struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
}

static int tracefs_probe(struct record_session *s, struct error *err)
{
	struct record_instance instance;

	if (record_instance_make(&instance, s->name, err))
		return -1;
	if (record_instance_remove(&instance))
		return error_set(err, ERROR_ENVIRONMENT,
				 "tracefs: the instance '%s' cannot be removed: %s", s->name,
				 strerror(errno));
	return 0;
}

/* The size of the instance's ring buffer pages: v6.8 and later can have others than the kernel's. */
static uint32_t subbuf_size(const struct record_session *s, const struct record_instance *instance)
{
	char *text = record_instance_read(instance, "buffer_subbuf_size_kb");
	unsigned long kb = text ? strtoul(text, NULL, 10) : 0;

	free(text);
	return kb && kb <= 1024 ? (uint32_t)kb * 1024 : s->machine.page_size;
}

static int set_option(const struct record_instance *instance, const char *file, const char *value,
		      struct error *err)
{
	if (record_instance_write(instance, file, value) == 0)
		return 0;
	return error_set(err, ERROR_ENVIRONMENT, "tracefs: writing '%s' to %s: %s", value, file,
			 strerror(errno));
}

static int set_pids(const struct record_session *s, const struct record_instance *instance,
		    struct error *err)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int status;

	if (!f)
		return out_of_memory(err);
	for (size_t i = 0; i < s->opt->n_pids; i++)
		(void)fprintf(f, "%d ", (int)s->opt->pids[i]);
	if (fclose(f)) {
		free(text);
		return out_of_memory(err);
	}
	status = set_option(instance, "options/event-fork", "1", err) ||
		 set_option(instance, "set_event_pid", text, err);
	free(text);
	return status ? -1 : 0;
}

static int set_buffers(const struct record_session *s, const struct record_instance *instance,
		       struct error *err)
{
	char kb[24];

	(void)snprintf(kb, sizeof(kb), "%" PRIu64, s->buffer_kb);
	if (record_instance_write(instance, "buffer_size_kb", kb) == 0)
		return 0;
	return error_set(err, ERROR_ENVIRONMENT,
			 "tracefs: buffers of %s KB on each CPU: %s: use a smaller -b", kb,
			 strerror(errno));
}

/* Enables one event; those that only help may be refused. */
static int enable_event(struct record_session *s, struct tracefs_state *state,
			const struct record_event *e, struct error *err)
{
	if (e->filter &&
	    tracefs_event_file_write(state->handle, e->system, e->name, "filter", e->filter) < 0)
		record_note(s, "%s:%s is recorded without its filter", e->system, e->name);
	if (tracefs_event_enable(state->handle, e->system, e->name) == 0)
		return 0;
	if (e->role == ROLE_FLUSH || e->role == ROLE_EXTRA)
		return error_set(err, ERROR_ENVIRONMENT, "tracefs: %s:%s cannot be enabled: %s",
				 e->system, e->name, strerror(errno));
	record_note(s, "%s:%s cannot be enabled (%s) and is left out", e->system, e->name,
		    strerror(errno));
	return 0;
}

static void add_flush_id(struct tracefs_state *state, const char *system, const char *name)
{
	char *text = tracefs_event_file_read(NULL, system, name, "id", NULL);

	if (text && state->n_flush_ids < MAX_FLUSH_IDS)
		state->flush_ids[state->n_flush_ids++] = (uint16_t)strtoul(text, NULL, 10);
	free(text);
}

static int enable_events(struct record_session *s, struct tracefs_state *state, struct error *err)
{
	for (size_t i = 0; i < s->events.n; i++) {
		const struct record_event *e = &s->events.list[i];

		if (enable_event(s, state, e, err))
			return -1;
		if (e->role == ROLE_FLUSH)
			add_flush_id(state, e->system, e->name);
	}
	for (size_t i = 0; i < s->probes.n; i++) {
		const struct record_probe *probe = &s->probes.list[i];

		if (tracefs_event_enable(state->handle, s->probes.group, probe->name))
			return error_set(err, ERROR_ENVIRONMENT,
					 "requests: the probe on %s cannot be enabled: %s",
					 probe->function, strerror(errno));
		add_flush_id(state, s->probes.group, probe->name);
	}
	return 0;
}

static int open_stream(struct record_session *s, struct tracefs_state *state, uint32_t cpu,
		       struct error *err)
{
	struct stream *stream = &state->streams[cpu];
	char path[64];

	*stream = (struct stream){ .cpu = cpu, .raw = -1, .scratch = -1 };
	state->n_streams = cpu + 1;
	stream->scratch = trace_dat_scratch(s->output, err);
	if (stream->scratch < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "per_cpu/cpu%" PRIu32 "/trace_pipe_raw", cpu);
	stream->raw = openat(state->instance.dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (stream->raw < 0)
		return errno == ENOENT ? 0
				       : error_set(err, ERROR_ENVIRONMENT, "tracefs: %s: %s", path,
						   strerror(errno));
	stream->reader = tracefs_cpu_alloc_fd(stream->raw, (int)state->subbuf_size, true);
	return stream->reader ? 0 : out_of_memory(err);
}

static int open_streams(struct record_session *s, struct tracefs_state *state, struct error *err)
{
	state->streams = calloc(s->machine.cpus, sizeof(*state->streams));
	if (!state->streams)
		return out_of_memory(err);
	for (uint32_t cpu = 0; cpu < s->machine.cpus; cpu++)
		if (open_stream(s, state, cpu, err))
			return -1;
	return 0;
}

/* Moves the full pages that there are. Returns 0, or -1 with errno set. */
static int take_pages(struct stream *stream)
{
	int n;

	if (!stream->reader)
		return 0;
	do {
		n = tracefs_cpu_write(stream->reader, stream->scratch, true);
	} while (n > 0);
	return n < 0 && errno != EAGAIN && errno != EINTR && errno != ENODEV ? -1 : 0;
}

static void fail(struct tracefs_state *state, int reason)
{
	uint64_t one = 1;
	int none = 0;

	(void)atomic_compare_exchange_strong(&state->failure, &none, reason);
	(void)!write(state->fail_fd, &one, sizeof(one));
}

/* Waits until one of the reader's buffers has pages; false if it is to end. */
static bool wait_for_pages(const struct reader *r, struct pollfd *fds)
{
	nfds_t n = 0;

	fds[n++] = (struct pollfd){ .fd = r->state->stop_fd, .events = POLLIN };
	for (uint32_t i = r->first; i < r->state->n_streams; i += r->state->n_readers)
		fds[n++] = (struct pollfd){ .fd = r->state->streams[i].raw, .events = POLLIN };
	(void)poll(fds, n, POLL_MS);
	return !fds[0].revents;
}

static void *read_pages(void *arg)
{
	const struct reader *r = arg;
	struct tracefs_state *state = r->state;
	struct pollfd *fds = calloc(state->n_streams + 1, sizeof(*fds));

	if (!fds) {
		fail(state, ENOMEM);
		return NULL;
	}
	while (wait_for_pages(r, fds))
		for (uint32_t i = r->first; i < state->n_streams; i += state->n_readers)
			if (take_pages(&state->streams[i])) {
				fail(state, errno);
				goto out;
			}
out:
	free(fds);
	return NULL;
}

static int start_readers(struct tracefs_state *state, struct error *err)
{
	uint32_t n = (state->n_streams + CPUS_PER_READER - 1) / CPUS_PER_READER;

	state->readers = calloc(n, sizeof(*state->readers));
	state->stop_fd = eventfd(0, EFD_CLOEXEC);
	state->fail_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!state->readers || state->stop_fd < 0 || state->fail_fd < 0)
		return out_of_memory(err);
	state->n_readers = n;
	for (uint32_t i = 0; i < n; i++) {
		struct reader *r = &state->readers[i];
		int failed;

		r->state = state;
		r->first = i;
		failed = pthread_create(&r->thread, NULL, read_pages, r);
		if (failed)
			return error_set(err, ERROR_ENVIRONMENT,
					 "record: cannot start a thread: %s", strerror(failed));
		r->running = true;
	}
	return 0;
}

static void stop_readers(struct tracefs_state *state)
{
	uint64_t one = 1;

	if (state->stop_fd >= 0)
		(void)!write(state->stop_fd, &one, sizeof(one));
	for (uint32_t i = 0; i < state->n_readers; i++)
		if (state->readers[i].running)
			(void)pthread_join(state->readers[i].thread, NULL);
	state->n_readers = 0;
}

static void close_readers(struct tracefs_state *state)
{
	for (uint32_t i = 0; i < state->n_streams; i++) {
		struct stream *stream = &state->streams[i];

		if (stream->reader)
			tracefs_cpu_free_fd(stream->reader);
		if (stream->raw >= 0)
			(void)close(stream->raw);
		stream->reader = NULL;
		stream->raw = -1;
	}
}

static void free_state(struct record_session *s)
{
	struct tracefs_state *state = s->state;

	stop_readers(state);
	close_readers(state);
	for (uint32_t i = 0; i < state->n_streams; i++)
		if (state->streams[i].scratch >= 0)
			(void)close(state->streams[i].scratch);
	if (record_instance_remove(&state->instance))
		record_note(s, "the tracefs instance '%s' cannot be removed: %s", s->name,
			    strerror(errno));
	if (state->handle)
		tracefs_instance_free(state->handle);
	if (state->stop_fd >= 0)
		(void)close(state->stop_fd);
	if (state->fail_fd >= 0)
		(void)close(state->fail_fd);
	trace_dat_free(state->file);
	free(state->streams);
	free(state->readers);
	free(state);
	s->state = NULL;
}

static int begin_file(struct record_session *s, struct tracefs_state *state, struct error *err)
{
	size_t n = s->events.n + s->probes.n;
	struct trace_dat_event *events = calloc(n + 1, sizeof(*events));
	struct trace_dat_setup setup = {
		.path = s->output,
		.version = s->opt->file_version,
		.uname = s->machine.uname,
		.clock = CLOCK,
		.page_size = s->machine.page_size,
		.subbuf_size = state->subbuf_size,
		.cpus = s->machine.cpus,
		.events = events,
		.n_events = n,
	};

	if (!events)
		return out_of_memory(err);
	for (size_t i = 0; i < s->events.n; i++)
		events[i] = (struct trace_dat_event){ s->events.list[i].system,
						      s->events.list[i].name };
	for (size_t i = 0; i < s->probes.n; i++)
		events[s->events.n + i] = (struct trace_dat_event){ s->probes.group,
								    s->probes.list[i].name };
	state->file = trace_dat_begin(&setup, err);
	free(events);
	s->hopeless = !state->file;
	return state->file ? 0 : -1;
}

static int start_all(struct record_session *s, struct tracefs_state *state, struct error *err)
{
	if (record_instance_make(&state->instance, s->name, err))
		return -1;
	state->handle = tracefs_instance_alloc(NULL, s->name);
	if (!state->handle)
		return out_of_memory(err);
	state->subbuf_size = subbuf_size(s, &state->instance);
	if (set_option(&state->instance, "trace_clock", CLOCK, err) ||
	    set_buffers(s, &state->instance, err) ||
	    (s->opt->n_pids && set_pids(s, &state->instance, err)))
		return -1;
	if (begin_file(s, state, err) || open_streams(s, state, err) || start_readers(state, err) ||
	    enable_events(s, state, err))
		return -1;
	return set_option(&state->instance, "tracing_on", "1", err);
}

static int tracefs_start(struct record_session *s, struct error *err)
{
	struct tracefs_state *state = calloc(1, sizeof(*state));

	if (!state)
		return out_of_memory(err);
	state->instance = RECORD_NO_INSTANCE;
	state->stop_fd = state->fail_fd = -1;
	s->state = state;
	if (start_all(s, state, err) == 0)
		return 0;
	free_state(s);
	return -1;
}

static int tracefs_annotate(struct record_session *s, char *const *lines, size_t n,
			    struct error *err)
{
	struct tracefs_state *state = s->state;

	for (size_t i = 0; i < n; i++)
		if (record_instance_write(&state->instance, "trace_marker", lines[i]))
			return error_set(err, ERROR_ENVIRONMENT, "tracefs: trace_marker: %s",
					 strerror(errno));
	return 0;
}

static int tracefs_watch(struct record_session *s)
{
	return ((struct tracefs_state *)s->state)->fail_fd;
}

static int tracefs_check(struct record_session *s, struct error *err)
{
	int reason = atomic_load(&((struct tracefs_state *)s->state)->failure);

	if (!reason)
		return 0;
	return error_set(err, ERROR_ENVIRONMENT,
			 "%s: %s: recording stopped here; what was recorded until then is kept",
			 s->output, strerror(reason));
}

static bool is_flush(const struct tracefs_state *state, const struct ringrec *rec)
{
	uint16_t id;

	if (rec->len < sizeof(id))
		return false;
	memcpy(&id, rec->data, sizeof(id));
	for (uint32_t i = 0; i < state->n_flush_ids; i++)
		if (state->flush_ids[i] == id)
			return true;
	return false;
}

static uint64_t count_flushes(const struct tracefs_state *state, const uint8_t *data)
{
	struct ringpage_format format = ringpage_default_format(sizeof(long), host_is_big_endian());
	struct ringpage page;
	struct ringrec rec;
	uint64_t n = 0;

	if (ringpage_start(&page, &format, data, state->subbuf_size))
		return 0;
	while (ringpage_next(&page, &rec) == 1)
		n += is_flush(state, &rec);
	return n;
}

/* Flushes in what was written since the last look, from the first pages of that. */
static uint64_t look_at(struct tracefs_state *state, struct stream *stream, uint8_t *page)
{
	struct stat st;
	uint64_t pages, looked = 0, found = 0;

	if (fstat(stream->scratch, &st) || (uint64_t)st.st_size <= stream->looked)
		return 0;
	pages = ((uint64_t)st.st_size - stream->looked) / state->subbuf_size;
	for (; looked < pages && looked < LOOK_PAGES; looked++) {
		off_t at = (off_t)(stream->looked + looked * state->subbuf_size);

		if (pread(stream->scratch, page, state->subbuf_size, at) !=
		    (ssize_t)state->subbuf_size)
			break;
		found += count_flushes(state, page);
	}
	stream->looked += pages * state->subbuf_size;
	return looked ? found * pages / looked : 0;
}

static uint64_t stat_of(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static char *read_stats(const struct tracefs_state *state, uint32_t cpu)
{
	char path[48];

	(void)snprintf(path, sizeof(path), "per_cpu/cpu%" PRIu32 "/stats", cpu);
	return record_instance_read(&state->instance, path);
}

static uint64_t lost_of(const char *stats)
{
	return stat_of(stats, "\noverrun: ") + stat_of(stats, "commit overrun: ") +
	       stat_of(stats, "dropped events: ");
}

static void tracefs_progress(struct record_session *s, struct record_progress *p)
{
	struct tracefs_state *state = s->state;
	uint8_t *page = malloc(state->subbuf_size);

	*p = (struct record_progress){ 0 };
	for (uint32_t i = 0; page && i < state->n_streams; i++) {
		char *stats = read_stats(state, i);

		state->flushes += look_at(state, &state->streams[i], page);
		p->lost += lost_of(stats);
		p->bytes += state->streams[i].looked;
		free(stats);
	}
	p->flushes = state->flushes;
	free(page);
}

/* The page that is not full yet, as a whole page. Returns 0, or -1 with errno set. */
static int take_rest(const struct tracefs_state *state, struct stream *stream)
{
	uint8_t *page = calloc(1, state->subbuf_size);
	int status = 0;
	int n;

	if (!page || !stream->reader) {
		free(page);
		return stream->reader ? -1 : 0;
	}
	while (status == 0 && (n = tracefs_cpu_flush(stream->reader, page)) > 0) {
		memset(page + n, 0, state->subbuf_size - (uint32_t)n);
		if (write(stream->scratch, page, state->subbuf_size) != (ssize_t)state->subbuf_size)
			status = -1;
	}
	free(page);
	return status;
}

static void drain(struct tracefs_state *state)
{
	for (uint32_t i = 0; i < state->n_streams; i++)
		if (take_pages(&state->streams[i]) || take_rest(state, &state->streams[i])) {
			fail(state, errno);
			return;
		}
}

/* A buffer that holds what came while its reader was away, rounded up to a power of two. */
static uint64_t enough_kb(const struct record_session *s, const struct trace_dat_copied *copied,
			  const char *stats)
{
	uint64_t events = stat_of(stats, "read events: ");
	uint64_t each = events ? copied->bytes / events + 1 : 64;
	uint64_t lost = copied->worst_lost > lost_of(stats) ? copied->worst_lost : lost_of(stats);
	uint64_t need, kb = s->buffer_kb;

	if (!lost)
		return 0;
	/* What is missing in one place; where the kernel does not say, all that is missing. */
	if (copied->worst_lost)
		lost = copied->worst_lost;
	need = s->buffer_kb + lost * each / 1024 + 1;
	while (kb < need && kb < UINT64_MAX / 2)
		kb *= 2;
	return kb;
}

/* The text of the kernel's table of names, for those programs that know no other. */
static char *read_cmdlines(void)
{
	char *text = tracefs_instance_file_read(NULL, "saved_cmdlines", NULL);

	return text ? text : strdup("");
}

/* Everything into the file. Returns 0, 1 if it was given up, -1 with *err. */
static int write_streams(struct record_session *s, struct tracefs_state *state, char *const *stats,
			 struct error *err)
{
	for (uint32_t i = 0; i < state->n_streams; i++) {
		struct trace_dat_copied copied;
		uint64_t kb;
		int status = trace_dat_add_cpu(state->file, state->streams[i].scratch, &copied,
					       s->give_up, s->give_up_arg, err);

		if (status)
			return status;
		kb = enough_kb(s, &copied, stats[i]);
		if (kb > s->enough_kb)
			s->enough_kb = kb;
	}
	return 0;
}

static int write_file(struct record_session *s, struct tracefs_state *state, char *const *stats,
		      const char *cmdlines, struct error *err)
{
	struct error ignored;
	int status = 0;
	int written;

	for (uint32_t i = 0; i < state->n_streams && !status; i++)
		status = trace_dat_set_stats(state->file, i, stats[i] ? stats[i] : "", err);
	written = write_streams(s, state, stats, status ? &ignored : err);
	if (written > 0)
		return error_set(err, ERROR_ENVIRONMENT, "%s: given up: nothing was written",
				 s->output);
	if (written == 0 && !status)
		status = trace_dat_set_cmdlines(state->file, cmdlines, err);
	if (trace_dat_commit(state->file, status || written ? &ignored : err))
		return -1;
	return status || written ? -1 : 0;
}

static int tracefs_stop(struct record_session *s, struct error *err)
{
	struct tracefs_state *state = s->state;
	char **stats = calloc(state->n_streams, sizeof(*stats));
	char *cmdlines = read_cmdlines();
	int status = -1;

	(void)!write(state->instance.lock_fd, "0", 1); /* tracing_on */
	stop_readers(state);
	drain(state);
	for (uint32_t i = 0; stats && i < state->n_streams; i++)
		stats[i] = read_stats(state, i);
	close_readers(state);
	if (record_instance_remove(&state->instance))
		record_note(s, "the tracefs instance '%s' cannot be removed: %s", s->name,
			    strerror(errno));
	if (stats && cmdlines)
		status = write_file(s, state, stats, cmdlines, err);
	else
		(void)out_of_memory(err);
	if (status == 0)
		status = tracefs_check(s, err);
	for (uint32_t i = 0; stats && i < state->n_streams; i++)
		free(stats[i]);
	free(stats);
	free(cmdlines);
	free_state(s);
	return status;
}

static void tracefs_abandon(struct record_session *s)
{
	if (s->state)
		free_state(s);
}

const struct record_backend record_tracefs = {
	.name = "tracefs",
	.default_output = "trace.dat",
	.probe = tracefs_probe,
	.start = tracefs_start,
	.annotate = tracefs_annotate,
	.watch = tracefs_watch,
	.check = tracefs_check,
	.progress = tracefs_progress,
	.stop = tracefs_stop,
	.abandon = tracefs_abandon,
};
