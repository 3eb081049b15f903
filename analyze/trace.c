/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.c - reads a trace: folds each CPU, merges the CPUs by time, joins, classifies. */
#include "analyze/trace.h"

#include <stdlib.h>
#include <string.h>

#define PROGRESS_EVERY (1u << 18) /* items */

/* One CPU on the way into the merge. */
struct lane {
	struct run_folder *folder;
	bool ended;
};

struct merge {
	struct trace *t;
	const struct trace_options *opt;
	struct lane *lanes;
	uint32_t *heap; /* CPUs that have an item, the earliest first */
	uint32_t n_heap;
	uint32_t n_lanes;
};

static unsigned shift_of(uint32_t page_size)
{
	return page_size && (page_size & (page_size - 1)) == 0 ? (unsigned)__builtin_ctz(page_size)
							       : 0;
}

static bool is_ignored(const struct event *ev, uint32_t ignore)
{
	switch ((enum event_kind)ev->kind) {
	case EVENT_REQUEST:
		return ignore & IGNORE_REQUESTS;
	case EVENT_SYS_ENTER:
	case EVENT_SYS_EXIT:
		return ignore & IGNORE_SYSCALLS;
	case EVENT_SWITCH:
		return ignore & IGNORE_SWITCHES;
	case EVENT_MARKER:
		return ignore & IGNORE_METADATA;
	default:
		return false;
	}
}

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

/* Reads on until this CPU has an item to hand out or ends. */
static int fill_lane(struct merge *m, uint32_t cpu, struct error *err)
{
	struct lane *lane = &m->lanes[cpu];
	struct event ev;

	while (!lane->ended && !run_folder_peek(lane->folder)) {
		int got = source_next(m->t->src, cpu, &ev, err);

		if (got < 0)
			return -1;
		if (got == 0) {
			run_folder_finish(lane->folder);
			lane->ended = true;
		} else if (!is_ignored(&ev, m->opt->ignore)) {
			m->t->markers += is_marker(&ev, m->opt->marker);
			run_folder_feed(lane->folder, &ev);
		}
	}
	return 0;
}

static uint64_t lane_time(const struct merge *m, uint32_t cpu)
{
	return run_folder_peek(m->lanes[cpu].folder)->time_ns;
}

static bool earlier(const struct merge *m, uint32_t a, uint32_t b)
{
	uint64_t ta = lane_time(m, a);
	uint64_t tb = lane_time(m, b);

	return ta != tb ? ta < tb : a < b;
}

static void sift_down(struct merge *m, uint32_t at)
{
	for (;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < m->n_heap && earlier(m, m->heap[child], m->heap[least]))
				least = child;
		if (least == at)
			return;
		uint32_t swap = m->heap[at];

		m->heap[at] = m->heap[least];
		m->heap[least] = swap;
		at = least;
	}
}

static int fill_heap(struct merge *m, struct error *err)
{
	for (uint32_t cpu = 0; cpu < m->n_lanes; cpu++) {
		if (fill_lane(m, cpu, err))
			return -1;
		if (run_folder_peek(m->lanes[cpu].folder))
			m->heap[m->n_heap++] = cpu;
	}
	for (uint32_t at = m->n_heap / 2; at > 0; at--)
		sift_down(m, at - 1);
	return 0;
}

static void note_item(struct trace *t, const struct run_item *item)
{
	/* What a file's statistics say was lost has no time of its own. */
	if (!item->is_run && item->event.kind == EVENT_LOST && item->time_ns == 0)
		return;
	if (t->first_ns > item->time_ns)
		t->first_ns = item->time_ns;
	if (t->last_ns < item->time_ns)
		t->last_ns = item->time_ns;
	if (item->is_run)
		return;
	if (item->event.kind == EVENT_SYS_ENTER || item->event.kind == EVENT_SYS_EXIT) {
		t->syscalls++;
		class_note_syscalls(t->classes);
	}
	t->switches += item->event.kind == EVENT_SWITCH;
	t->requests += item->event.kind == EVENT_REQUEST;
}

static int out_of_memory(const struct trace *t, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", t->info->path);
}

static int merge_all(struct merge *m, struct error *err)
{
	const struct observer *watch = m->opt->observer;
	uint64_t items = 0;

	if (fill_heap(m, err))
		return -1;
	while (m->n_heap) {
		uint32_t cpu = m->heap[0];
		const struct run_item *item = run_folder_peek(m->lanes[cpu].folder);

		note_item(m->t, item);
		if (watch && !watch->item(watch->arg, item))
			return out_of_memory(m->t, err);
		if (!join_item(m->t->join, item)) /* owns item->run.times from here on */
			return out_of_memory(m->t, err);
		run_folder_pop(m->lanes[cpu].folder);
		if (fill_lane(m, cpu, err))
			return -1;
		if (!run_folder_peek(m->lanes[cpu].folder))
			m->heap[0] = m->heap[--m->n_heap];
		sift_down(m, 0);
		if (++items % PROGRESS_EVERY == 0 && m->opt->progress &&
		    !m->opt->progress(m->opt->progress_arg, source_info(m->t->src)->events)) {
			m->t->interrupted = true;
			break;
		}
	}
	if (watch)
		watch->end(watch->arg);
	return join_finish(m->t->join) ? 0 : out_of_memory(m->t, err);
}

static void free_lanes(struct merge *m)
{
	for (uint32_t cpu = 0; m->lanes && cpu < m->n_lanes; cpu++) {
		if (!m->lanes[cpu].folder)
			continue;
		m->t->orphan_fixups += run_folder_orphans(m->lanes[cpu].folder)->fixups;
		if (m->t->gaps)
			m->t->gaps[cpu] = *run_folder_gaps(m->lanes[cpu].folder);
		run_folder_free(m->lanes[cpu].folder);
	}
	free(m->lanes);
	free(m->heap);
}

static int merge_trace(struct trace *t, const struct trace_options *opt, unsigned base_shift,
		       struct error *err)
{
	struct merge m = { .t = t, .opt = opt, .n_lanes = t->info->cpus };
	int status = -1;

	m.lanes = calloc(m.n_lanes + 1, sizeof(*m.lanes));
	m.heap = calloc(m.n_lanes + 1, sizeof(*m.heap));
	t->gaps = calloc(m.n_lanes + 1, sizeof(*t->gaps));
	if (!m.lanes || !m.heap || !t->gaps) {
		(void)out_of_memory(t, err);
		goto out;
	}
	for (uint32_t cpu = 0; cpu < m.n_lanes; cpu++) {
		m.lanes[cpu].folder = run_folder_new(base_shift);
		if (!m.lanes[cpu].folder) {
			(void)out_of_memory(t, err);
			goto out;
		}
		if (opt->flush)
			run_folder_keep_times(m.lanes[cpu].folder);
	}
	status = merge_all(&m, err);
out:
	free_lanes(&m);
	return status;
}

static bool selects(const struct trace_filter *filter, const struct flush *f)
{
	if (filter->by_cpu && (f->cpu >= 4096 || !(filter->cpus[f->cpu / 64] >> (f->cpu % 64) & 1)))
		return false;
	if (filter->by_time && (f->start_ns < filter->from_ns || f->start_ns >= filter->to_ns))
		return false;
	return !*filter->comm || strncmp(filter->comm, f->comm, COMM_LEN) == 0;
}

/* What the sink needs beside the trace. */
struct collector {
	struct trace *t;
	const struct trace_options *opt;
};

static bool take_flush(void *arg, const struct flush *f)
{
	const struct collector *c = arg;
	bool counted = selects(&c->opt->filter, f);

	if (counted && c->opt->flush && !c->opt->flush(c->opt->flush_arg, f))
		return false;
	return class_add(c->t->classes, f, counted);
}

static bool take_call(void *arg, const struct mm *mm, enum flush_cause cause, uint32_t promoted)
{
	const struct collector *c = arg;

	return class_add_call(c->t->classes, mm, cause, promoted);
}

static bool begin_observer(const struct observer *observer, const struct source *src)
{
	return !observer || observer->begin(observer->arg, src);
}

int trace_read(struct trace *t, const char *path, const struct trace_options *opt, struct error *err)
{
	struct collector collector = { t, opt };
	struct join_sink sink = { &collector, take_flush, take_call, opt->observer };
	unsigned base_shift;
	int status = -1;

	*t = (struct trace){ .first_ns = UINT64_MAX };
	t->src = source_open(path, err);
	if (!t->src)
		return -1;
	t->info = source_info(t->src);
	base_shift = shift_of(t->info->page_size);
	t->classes = class_table_new(base_shift);
	t->join = join_new(t->src, t->info->cpus, base_shift, &sink);
	if (!t->classes || !t->join || !begin_observer(opt->observer, t->src)) {
		(void)out_of_memory(t, err);
		goto out;
	}
	status = merge_trace(t, opt, base_shift, err);
	t->info = source_info(t->src);
	if (t->first_ns == UINT64_MAX)
		t->first_ns = 0;
out:
	if (status)
		trace_close(t);
	return status;
}

void trace_close(struct trace *t)
{
	free(t->gaps);
	join_free(t->join);
	class_table_free(t->classes);
	source_close(t->src);
	*t = (struct trace){ 0 };
}

uint64_t trace_probable_gaps(const struct trace *t)
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; t->info->has_time && cpu < t->info->cpus; cpu++)
		sum += gap_probable(&t->gaps[cpu]);
	return sum;
}
