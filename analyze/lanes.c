/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lanes.c - the CPUs of a source, folded ahead of the merge. */
#include "analyze/lanes.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define LANES_ITEMS 32768u /* that wait, over all CPUs */
#define LANE_ITEMS_MIN 32u
#define LANE_ITEMS_MAX 2048u
#define MAX_WORKERS 15u
#define STRETCH 65536u /* events after which a lane that has nothing to show is left */

/*
 * One CPU. Whoever has claimed it writes items into the free places of the ring; the merge takes
 * the others. The counters of items run on; those of the first group change under the lock only.
 */
struct lane {
	uint64_t tail;	/* written */
	uint64_t given; /* taken, as far as the merge has said so */
	uint64_t events;
	bool claimed;
	bool done; /* nothing comes behind tail */

	uint64_t at;   /* the merge's: taken */
	uint64_t seen; /* the merge's: written, as far as it knows */

	struct run_folder *folder; /* from here on the claimer's; made for its first event */
	struct run_item *ring;
	uint64_t markers;
	uint64_t read;
	bool ended; /* the source has no more */
	bool quiet; /* others are to be read on; nothing comes before quiet_ns */
	uint64_t quiet_ns;
	bool failed;
	struct error err;
} __attribute__((aligned(64)));

struct lanes {
	struct source *src;
	struct lanes_options opt;
	struct lane *list;
	uint32_t n;
	uint32_t room;	/* places of a ring */
	uint32_t eager; /* items after which a lane is left */
	pthread_mutex_t lock;
	pthread_mutex_t metadata_lock; /* of opt.metadata */
	pthread_cond_t filled;	       /* for the merge */
	pthread_cond_t drained;	       /* for workers */
	pthread_t workers[MAX_WORKERS];
	unsigned n_workers;
	uint32_t next; /* lane that is looked at next */
	bool merge_waits;
	unsigned workers_wait;
	bool stop;
};

/* Text is there only as long as the event is the CPU's last. Lines written to trace_marker. */
static bool is_marker(const struct event *ev, const char *text)
{
	size_t len = ev->marker_len;

	if (ev->kind != EVENT_MARKER || !text)
		return false;
	while (len > 0 && (ev->marker[len - 1] == '\n' || ev->marker[len - 1] == '\0'))
		len--;
	return len == strlen(text) && memcmp(ev->marker, text, len) == 0;
}

/* Passes over the rest of the loop that the last event belongs to. */
static void pass_over(const struct lanes *lanes, struct lane *lane, uint32_t cpu)
{
	struct run_growth growth = run_folder_growth(lane->folder);
	struct source_skipped skipped;

	if (!growth.max)
		return;
	skipped = source_skip(lanes->src, cpu, growth.step, growth.max);
	if (!skipped.n)
		return;
	run_folder_grow(lane->folder, &skipped);
	lane->read += skipped.n;
}

static void take_marker(struct lanes *lanes, struct lane *lane, const struct event *ev)
{
	lane->markers += is_marker(ev, lanes->opt.marker);
	pthread_mutex_lock(&lanes->metadata_lock);
	(void)metadata_take(lanes->opt.metadata, ev->marker, ev->marker_len);
	pthread_mutex_unlock(&lanes->metadata_lock);
}

/* Others are to be read on. */
static void be_quiet(struct lane *lane)
{
	uint64_t since;

	lane->quiet = true;
	if (!lane->folder)
		return;
	run_folder_pause(lane->folder, lane->quiet_ns);
	since = run_folder_since(lane->folder);
	if (since < lane->quiet_ns)
		lane->quiet_ns = since;
}

/* Makes what a lane needs once it has an event. Fails the lane where memory is short. */
static bool furnish(const struct lanes *lanes, struct lane *lane)
{
	if (lane->ring)
		return true;
	if (!lane->folder)
		lane->folder = run_folder_new(lanes->opt.base_shift);
	if (lane->folder)
		lane->ring = malloc(lanes->room * sizeof(*lane->ring));
	if (!lane->ring) {
		error_set(&lane->err, ERROR_ENVIRONMENT, "out of memory");
		lane->failed = lane->ended = true;
		return false;
	}
	if (lanes->opt.keep_times)
		run_folder_keep_times(lane->folder);
	return true;
}

static void read_event(struct lanes *lanes, struct lane *lane, uint32_t cpu)
{
	struct event ev;
	int got = source_next_or_quiet(lanes->src, cpu, &ev, &lane->quiet_ns, &lane->err);

	if (got == SOURCE_QUIET) {
		be_quiet(lane);
		return;
	}
	if (got <= 0) {
		lane->failed = got < 0;
		lane->ended = true;
		if (lane->folder)
			run_folder_finish(lane->folder);
		return;
	}
	lane->read++;
	if (lanes->opt.ignore >> ev.kind & 1 || !furnish(lanes, lane))
		return;
	if (ev.kind == EVENT_MARKER)
		take_marker(lanes, lane, &ev);
	run_folder_feed(lane->folder, &ev);
	if (ev.kind == EVENT_TLBIE && !lanes->opt.plain)
		pass_over(lanes, lane, cpu);
}

/* Writes up to `room` items from place tail on; returns how many. *done: there will be no more. */
static uint32_t fill(struct lanes *lanes, uint32_t cpu, uint64_t tail, uint32_t room, bool *done)
{
	struct lane *lane = &lanes->list[cpu];
	uint32_t n = 0, events = 0;

	*done = false;
	lane->quiet = false;
	while (!*done && n < room && n < lanes->eager && events < STRETCH && !lane->quiet) {
		const struct run_item *item = lane->ring ? run_folder_peek(lane->folder) : NULL;

		if (item) {
			lane->ring[(tail + n++) % lanes->room] = *item;
			run_folder_pop(lane->folder);
		} else if (lane->ended) {
			*done = true;
		} else {
			read_event(lanes, lane, cpu);
			events++;
		}
	}
	return n;
}

/* ---- with the lock held ---- */

static uint32_t free_places(const struct lanes *lanes, const struct lane *lane)
{
	return lanes->room - (uint32_t)(lane->tail - lane->given);
}

/* Claims the lane, fills it without the lock, and leaves it. */
static void work(struct lanes *lanes, uint32_t cpu)
{
	struct lane *lane = &lanes->list[cpu];
	uint64_t tail = lane->tail;
	uint32_t room = free_places(lanes, lane), n;
	bool done;

	lane->claimed = true;
	pthread_mutex_unlock(&lanes->lock);
	n = fill(lanes, cpu, tail, room, &done);
	pthread_mutex_lock(&lanes->lock);
	lane->claimed = false;
	lane->tail += n;
	lane->events = lane->read;
	lane->done = done;
	if (lanes->merge_waits)
		pthread_cond_signal(&lanes->filled);
}

/* A lane that is worth being filled, or lanes->n. */
static uint32_t pick(struct lanes *lanes)
{
	for (uint32_t i = 0; i < lanes->n; i++) {
		uint32_t cpu = lanes->next;
		const struct lane *lane = &lanes->list[cpu];

		lanes->next = cpu + 1 < lanes->n ? cpu + 1 : 0;
		if (!lane->claimed && !lane->done && free_places(lanes, lane) >= lanes->room / 2)
			return cpu;
	}
	return lanes->n;
}

/* Until the CPU has an item that the merge has not taken, is quiet or done. */
static void wait_for(struct lanes *lanes, uint32_t cpu)
{
	struct lane *lane = &lanes->list[cpu];

	while (lane->tail == lane->at && !lane->done) {
		uint32_t other = lane->claimed && lanes->n_workers ? pick(lanes) : cpu;

		if (other < lanes->n) {
			work(lanes, other);
			if (other == cpu && lane->quiet)
				return;
			continue;
		}
		lanes->merge_waits = true;
		pthread_cond_wait(&lanes->filled, &lanes->lock);
		lanes->merge_waits = false;
	}
}

static void *run_worker(void *arg)
{
	struct lanes *lanes = arg;

	pthread_mutex_lock(&lanes->lock);
	while (!lanes->stop) {
		uint32_t cpu = pick(lanes);

		if (cpu < lanes->n) {
			work(lanes, cpu);
			continue;
		}
		lanes->workers_wait++;
		pthread_cond_wait(&lanes->drained, &lanes->lock);
		lanes->workers_wait--;
	}
	pthread_mutex_unlock(&lanes->lock);
	return NULL;
}

/* ---- for the merge ---- */

/* One core is the merge's, which helps where it would have to wait. */
static unsigned count_workers(const struct lanes *lanes)
{
	cpu_set_t set;
	unsigned cores;

	if (lanes->opt.plain || !source_is_parallel(lanes->src) || lanes->n < 2 ||
	    sched_getaffinity(0, sizeof(set), &set))
		return 0;
	cores = (unsigned)CPU_COUNT(&set);
	if (cores > lanes->n)
		cores = lanes->n;
	return cores - 1 < MAX_WORKERS ? cores - 1 : MAX_WORKERS;
}

/* Fewer than wanted, or none, are no error. Signals are for the thread that has always been there. */
static void start_workers(struct lanes *lanes)
{
	unsigned wanted = count_workers(lanes);
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (lanes->n_workers < wanted &&
	       !pthread_create(&lanes->workers[lanes->n_workers], NULL, run_worker, lanes))
		lanes->n_workers++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static uint32_t ring_room(uint32_t cpus)
{
	uint32_t room = LANES_ITEMS / (cpus ? cpus : 1);

	if (room < LANE_ITEMS_MIN)
		return LANE_ITEMS_MIN;
	return room < LANE_ITEMS_MAX ? room : LANE_ITEMS_MAX;
}

struct lanes *lanes_start(struct source *src, const struct lanes_options *opt)
{
	struct lanes *lanes = calloc(1, sizeof(*lanes));

	if (!lanes)
		return NULL;
	lanes->src = src;
	lanes->opt = *opt;
	lanes->n = source_info(src)->cpus;
	lanes->room = ring_room(lanes->n);
	lanes->eager = source_is_parallel(src) ? lanes->room : 1;
	lanes->list = aligned_alloc(_Alignof(struct lane), (lanes->n + 1) * sizeof(*lanes->list));
	if (!lanes->list) {
		free(lanes);
		return NULL;
	}
	memset(lanes->list, 0, (lanes->n + 1) * sizeof(*lanes->list));
	pthread_mutex_init(&lanes->lock, NULL);
	pthread_mutex_init(&lanes->metadata_lock, NULL);
	pthread_cond_init(&lanes->filled, NULL);
	pthread_cond_init(&lanes->drained, NULL);
	start_workers(lanes);
	return lanes;
}

/* Up to where the merge goes without the lock: half of the ring, so that the other is filled meanwhile. */
static uint64_t take(const struct lanes *lanes, const struct lane *lane)
{
	uint64_t n = lane->tail - lane->at;

	return lane->at + (n > lanes->room / 2 ? lanes->room / 2 : n);
}

int lanes_peek(struct lanes *lanes, uint32_t cpu, const struct run_item **item, uint64_t *time_ns,
	       struct error *err)
{
	struct lane *lane = &lanes->list[cpu];

	if (lane->at == lane->seen) {
		pthread_mutex_lock(&lanes->lock);
		lane->given = lane->at;
		if (lanes->workers_wait)
			pthread_cond_signal(&lanes->drained);
		wait_for(lanes, cpu);
		lane->seen = take(lanes, lane);
		pthread_mutex_unlock(&lanes->lock);
	}
	if (lane->at < lane->seen) {
		*item = &lane->ring[lane->at % lanes->room];
		*time_ns = (*item)->time_ns;
		return 1;
	}
	if (lane->quiet && !lane->done) {
		*item = NULL;
		*time_ns = lane->quiet_ns;
		return 1;
	}
	if (!lane->failed)
		return 0;
	*err = lane->err;
	return -1;
}

void lanes_pop(struct lanes *lanes, uint32_t cpu)
{
	lanes->list[cpu].at++;
}

bool lanes_tasks(struct lanes *lanes, size_t *done,
		 bool (*fn)(void *arg, const struct metadata_task *task), void *arg)
{
	const struct metadata *m = lanes->opt.metadata;
	bool ok = true;

	pthread_mutex_lock(&lanes->metadata_lock);
	while (ok && *done < m->n_tasks)
		ok = fn(arg, &m->tasks[(*done)++]);
	pthread_mutex_unlock(&lanes->metadata_lock);
	return ok;
}

uint64_t lanes_events(struct lanes *lanes)
{
	uint64_t n = 0;

	pthread_mutex_lock(&lanes->lock);
	for (uint32_t cpu = 0; cpu < lanes->n; cpu++)
		n += lanes->list[cpu].events;
	pthread_mutex_unlock(&lanes->lock);
	return n;
}

static void stop_workers(struct lanes *lanes)
{
	pthread_mutex_lock(&lanes->lock);
	lanes->stop = true;
	pthread_cond_broadcast(&lanes->drained);
	pthread_mutex_unlock(&lanes->lock);
	for (unsigned i = 0; i < lanes->n_workers; i++)
		pthread_join(lanes->workers[i], NULL);
}

static void free_lane(const struct lanes *lanes, struct lane *lane)
{
	for (; lane->at < lane->tail; lane->at++) {
		struct run_item *item = &lane->ring[lane->at % lanes->room];

		if (item->is_run)
			free(item->run.times);
	}
	run_folder_free(lane->folder);
	free(lane->ring);
}

struct lanes_sums lanes_finish(struct lanes *lanes, struct gap_stats *gaps)
{
	struct lanes_sums sums = { 0 };

	stop_workers(lanes);
	for (uint32_t cpu = 0; cpu < lanes->n; cpu++) {
		struct lane *lane = &lanes->list[cpu];

		sums.markers += lane->markers;
		if (lane->folder) {
			sums.orphan_fixups += run_folder_orphans(lane->folder)->fixups;
			gaps[cpu] = *run_folder_gaps(lane->folder);
		}
		free_lane(lanes, lane);
	}
	pthread_cond_destroy(&lanes->drained);
	pthread_cond_destroy(&lanes->filled);
	pthread_mutex_destroy(&lanes->lock);
	pthread_mutex_destroy(&lanes->metadata_lock);
	free(lanes->list);
	free(lanes);
	return sums;
}
