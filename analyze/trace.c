/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.c - reads a trace: folds each CPU, merges the CPUs by time, joins, classifies. */
#include "analyze/trace.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/asked.h"
#include "analyze/lanes.h"

#define PROGRESS_EVERY (1u << 18) /* items */

/* The head of a CPU's lane. */
struct head {
	const struct run_item *item; /* NULL: it has none before that time */
	uint64_t time_ns;	     /* of the item */
	uint32_t cpu;
};

struct merge {
	struct trace *t;
	const struct trace_options *opt;
	struct lanes *lanes;
	struct asked *asked; /* NULL: instructions are recorded */
	struct head *heap;   /* of CPUs that have an item, the earliest first */
	uint32_t n_heap;
	uint32_t n_lanes;
	size_t noted; /* tasks that the metadata told of */
};

static unsigned shift_of(uint32_t page_size)
{
	return page_size && (page_size & (page_size - 1)) == 0 ? (unsigned)__builtin_ctz(page_size)
							       : 0;
}

/* A bit for each kind of event that is left out. */
static uint32_t ignored_kinds(uint32_t ignore)
{
	uint32_t kinds = 0;

	if (ignore & IGNORE_REQUESTS)
		kinds |= 1u << EVENT_REQUEST;
	if (ignore & IGNORE_SYSCALLS)
		kinds |= 1u << EVENT_SYS_ENTER | 1u << EVENT_SYS_EXIT;
	if (ignore & IGNORE_SWITCHES)
		kinds |= 1u << EVENT_SWITCH;
	if (ignore & IGNORE_METADATA)
		kinds |= 1u << EVENT_MARKER;
	if (ignore & IGNORE_INSTRUCTIONS)
		kinds |= 1u << EVENT_TLBIE | 1u << EVENT_X86_FLUSH;
	return kinds;
}

static bool earlier(const struct head *a, const struct head *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->cpu < b->cpu;
}

static void sift_down(struct merge *m, uint32_t at)
{
	struct head moved = m->heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < m->n_heap && earlier(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (child >= m->n_heap || !earlier(&m->heap[child], &moved))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moved;
}

/* The CPU's next item as a head. 1, 0 at the CPU's end, -1 with *err filled. */
static int next_head(const struct merge *m, uint32_t cpu, struct head *head, struct error *err)
{
	head->cpu = cpu;
	return lanes_peek(m->lanes, cpu, &head->item, &head->time_ns, err);
}

static int fill_heap(struct merge *m, struct error *err)
{
	for (uint32_t cpu = 0; cpu < m->n_lanes; cpu++) {
		int got = next_head(m, cpu, &m->heap[m->n_heap], err);

		if (got < 0)
			return -1;
		m->n_heap += got > 0;
	}
	for (uint32_t at = m->n_heap / 2; at > 0; at--)
		sift_down(m, at - 1);
	return 0;
}

/* Moves on in the lane whose item was the earliest. */
static int advance(struct merge *m, struct error *err)
{
	uint32_t cpu = m->heap[0].cpu;
	int got;

	if (m->heap[0].item)
		lanes_pop(m->lanes, cpu);
	got = next_head(m, cpu, &m->heap[0], err);
	if (got < 0)
		return -1;
	if (!got)
		m->heap[0] = m->heap[--m->n_heap];
	if (m->n_heap)
		sift_down(m, 0);
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

static bool is_stopped(const struct trace_options *opt)
{
	struct pollfd stop = { .fd = opt->stop_fd, .events = POLLIN };

	return opt->stop_fd > 0 && poll(&stop, 1, 0) > 0;
}

static bool goes_on(const struct merge *m)
{
	const struct trace_options *opt = m->opt;

	return !is_stopped(opt) &&
	       (!opt->progress || opt->progress(opt->progress_arg, lanes_events(m->lanes)));
}

/* An item, or a run made from it, goes its way. The join owns item->run.times from here on. */
static bool take_item(void *arg, const struct run_item *item)
{
	const struct merge *m = arg;
	const struct observer *watch = m->opt->observer;

	if (watch && !watch->item(watch->arg, item)) {
		if (item->is_run)
			free(item->run.times);
		return false;
	}
	return join_item(m->t->join, item);
}

static bool note_task(void *arg, const struct metadata_task *task)
{
	return source_note_task(arg, task->tid, task->tgid, task->comm);
}

static bool pass_on(struct merge *m, const struct run_item *item)
{
	if (!item->is_run && item->event.kind == EVENT_MARKER &&
	    !lanes_tasks(m->lanes, &m->noted, note_task, m->t->src))
		return false;
	return m->asked ? asked_item(m->asked, item, take_item, m) : take_item(m, item);
}

static int merge_all(struct merge *m, struct error *err)
{
	const struct observer *watch = m->opt->observer;
	uint64_t *items = &m->t->items;

	if (fill_heap(m, err))
		return -1;
	while (m->n_heap) {
		const struct run_item *item = m->heap[0].item;

		if (!item) {
			if (advance(m, err))
				return -1;
			continue;
		}
		note_item(m->t, item);
		source_as_of(m->t->src, item->time_ns);
		if (!pass_on(m, item)) {
			lanes_pop(m->lanes, m->heap[0].cpu);
			return out_of_memory(m->t, err);
		}
		if (advance(m, err))
			return -1;
		if (++*items == m->opt->items_most)
			break;
		if (*items % PROGRESS_EVERY == 0 && !goes_on(m)) {
			m->t->interrupted = true;
			break;
		}
	}
	if (m->asked && !asked_finish(m->asked, take_item, m))
		return out_of_memory(m->t, err);
	m->t->interrupted |= is_stopped(m->opt); /* then a pipe has ended early */
	source_as_of(m->t->src, 0);
	if (watch)
		watch->end(watch->arg);
	return join_finish(m->t->join) ? 0 : out_of_memory(m->t, err);
}

static int merge_trace(struct trace *t, const struct trace_options *opt, unsigned base_shift,
		       struct error *err)
{
	struct merge m = { .t = t, .opt = opt, .n_lanes = t->info->cpus };
	struct lanes_options lanes = {
		.base_shift = base_shift,
		.keep_times = opt->flush && !opt->no_times,
		.plain = opt->plain,
		.ignore = ignored_kinds(opt->ignore),
		.marker = opt->marker,
		.metadata = &t->metadata,
	};
	struct lanes_sums sums;
	int status;

	if (t->asked) {
		m.asked = asked_new(base_shift);
		if (!m.asked)
			return out_of_memory(t, err);
	}
	m.heap = calloc(m.n_lanes + 1, sizeof(*m.heap));
	t->gaps = calloc(m.n_lanes + 1, sizeof(*t->gaps));
	m.lanes = m.heap && t->gaps ? lanes_start(t->src, &lanes) : NULL;
	if (!m.lanes) {
		free(m.heap);
		asked_free(m.asked);
		return out_of_memory(t, err);
	}
	/* A side file is there before anything is read. */
	if (lanes_tasks(m.lanes, &m.noted, note_task, t->src))
		status = merge_all(&m, err);
	else
		status = out_of_memory(t, err);
	sums = lanes_finish(m.lanes, t->gaps);
	t->markers = sums.markers;
	t->orphan_fixups = sums.orphan_fixups;
	asked_free(m.asked);
	free(m.heap);
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

static void fold_mms(void *arg, const uint32_t *into)
{
	const struct collector *c = arg;

	class_fold(c->t->classes, into);
	if (c->opt->fold)
		c->opt->fold(c->opt->flush_arg, into);
}

static bool begin_observer(const struct observer *observer, const struct source *src)
{
	return !observer || observer->begin(observer->arg, src);
}

int trace_read(struct trace *t, const char *path, const struct trace_options *opt, struct error *err)
{
	struct collector collector = { t, opt };
	struct join_sink sink = {
		.arg = &collector,
		.flush = take_flush,
		.call = take_call,
		.fold = opt->keep_mms ? NULL : fold_mms,
		.observer = opt->observer,
	};
	unsigned base_shift;
	int status = -1;

	*t = (struct trace){ .first_ns = UINT64_MAX };
	t->src = source_open_until(path, opt->stop_fd, err);
	if (!t->src)
		return -1;
	t->info = source_info(t->src);
	base_shift = shift_of(t->info->page_size);
	t->asked = (opt->ignore & IGNORE_INSTRUCTIONS) || asked_applies(t->info);
	sink.asked = t->asked;
	t->classes = class_table_new(base_shift);
	t->join = join_new(t->src, t->info->cpus, base_shift, &sink);
	if (!t->classes || !t->join || !begin_observer(opt->observer, t->src)) {
		(void)out_of_memory(t, err);
		goto out;
	}
	if (!(opt->ignore & IGNORE_METADATA) && metadata_take_side_file(&t->metadata, path, err) < 0)
		goto out;
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
	metadata_free(&t->metadata);
	join_free(t->join);
	class_table_free(t->classes);
	source_close(t->src);
	if (t->kept) {
		mm_table_free(t->kept->mms);
		free(t->kept->counts);
		free(t->kept);
	}
	*t = (struct trace){ 0 };
}

const struct mm_table *trace_mms(const struct trace *t)
{
	return t->kept ? t->kept->mms : join_mms(t->join);
}

const struct x86_strays *trace_x86_strays(const struct trace *t)
{
	if (!t->kept)
		return join_x86_strays(t->join);
	return t->kept->has_strays ? &t->kept->strays : NULL;
}

uint64_t trace_probable_gaps(const struct trace *t)
{
	uint64_t sum = 0;

	if (t->kept)
		return t->kept->probable_gaps;
	for (uint32_t cpu = 0; t->info->has_time && cpu < t->info->cpus; cpu++)
		sum += gap_probable(&t->gaps[cpu]);
	return sum;
}
