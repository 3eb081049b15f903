/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - a trace read as fast as possible, by several threads and passing over repeated records,
 * and the same trace read plainly: the results must be the same to the last count.
 *
 *   fast TRACE...
 *
 * A file that cannot be read must be refused in both ways. Prints the differences.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/trace.h"

/* An observer that sums up all that it is shown, in order. */
struct seen {
	uint64_t hash;
	uint64_t items;
};

static void mix(struct seen *s, uint64_t v)
{
	s->hash = (s->hash ^ v) * UINT64_C(0x100000001b3);
}

static bool see_begin(void *arg, const struct source *src)
{
	(void)arg;
	(void)src;
	return true;
}

static bool see_item(void *arg, const struct run_item *item)
{
	struct seen *s = arg;

	s->items++;
	mix(s, item->time_ns);
	mix(s, item->is_run);
	if (!item->is_run) {
		mix(s, (uint64_t)item->event.kind << 32 | (uint32_t)item->event.tid);
		mix(s, item->event.cpu);
		return true;
	}
	mix(s, item->run.addr);
	mix(s, item->run.n);
	mix(s, item->run.end_ns);
	mix(s, item->run.record);
	mix(s, (uint64_t)item->run.ended_by << 8 | item->run.partial);
	return true;
}

static bool see_flush(void *arg, struct flush *f)
{
	mix(arg, f->hw_pid);
	return true;
}

static void see_end(void *arg)
{
	mix(arg, 1);
}

static int read_trace(struct trace *t, const char *path, bool plain, struct seen *seen,
		      struct error *err)
{
	const struct observer observer = { seen, see_begin, see_item, see_flush, see_end };
	const struct trace_options opt = { .plain = plain, .observer = &observer };

	return trace_read(t, path, &opt, err);
}

static unsigned complain(const char *path, const char *what, uint64_t plain, uint64_t fast)
{
	if (plain == fast)
		return 0;
	printf("%s: %s: %" PRIu64 " plainly, %" PRIu64 " fast\n", path, what, plain, fast);
	return 1;
}

static unsigned compare_classes(const char *path, const struct trace *plain,
				const struct trace *fast)
{
	const struct class *a = class_next(plain->classes, NULL);
	const struct class *b = class_next(fast->classes, NULL);
	uint64_t n = 0;

	while (a && b && memcmp(&a->key, &b->key, sizeof(a->key)) == 0 && a->count == b->count) {
		a = class_next(plain->classes, a);
		b = class_next(fast->classes, b);
		n++;
	}
	if (!a && !b)
		return 0;
	printf("%s: class %" PRIu64 " differs\n", path, n);
	return 1;
}

static unsigned compare_info(const char *path, const struct source_info *a,
			     const struct source_info *b)
{
	unsigned bad = complain(path, "events", a->events, b->events) +
		       complain(path, "lost events", a->lost_events, b->lost_events) +
		       complain(path, "unknown records", a->unknown_records, b->unknown_records) +
		       complain(path, "truncated", a->truncated, b->truncated);

	if (strcmp(a->truncated_text, b->truncated_text) != 0)
		bad += complain(path, a->truncated_text, 0, 1);
	for (size_t i = 0; i < a->n_counts; i++)
		bad += complain(path, a->counts[i].name, a->counts[i].count, b->counts[i].count);
	return bad;
}

static unsigned compare_gaps(const char *path, const struct trace *a, const struct trace *b)
{
	unsigned bad = 0;

	for (uint32_t cpu = 0; cpu < a->info->cpus; cpu++)
		bad += complain(path, "pauses of a CPU", 0,
				memcmp(&a->gaps[cpu], &b->gaps[cpu], sizeof(*a->gaps)) != 0);
	return bad;
}

static unsigned compare(const char *path, const struct trace *a, const struct trace *b)
{
	return compare_info(path, a->info, b->info) + compare_classes(path, a, b) +
	       compare_gaps(path, a, b) +
	       complain(path, "classes", class_count(a->classes), class_count(b->classes)) +
	       complain(path, "mms", mm_count(join_mms(a->join)), mm_count(join_mms(b->join))) +
	       complain(path, "first ns", a->first_ns, b->first_ns) +
	       complain(path, "last ns", a->last_ns, b->last_ns) +
	       complain(path, "orphan fixups", a->orphan_fixups, b->orphan_fixups) +
	       complain(path, "switches", a->switches, b->switches) +
	       complain(path, "requests", a->requests, b->requests) +
	       complain(path, "system calls", a->syscalls, b->syscalls);
}

static unsigned check(const char *path)
{
	struct seen see_plain = { 0 }, see_fast = { 0 };
	struct error plain_err = { 0 }, fast_err = { 0 };
	struct trace plain, fast;
	bool refused = read_trace(&plain, path, true, &see_plain, &plain_err) != 0;
	bool also = read_trace(&fast, path, false, &see_fast, &fast_err) != 0;
	unsigned bad = complain(path, "refused", refused, also);

	if (!refused && !also)
		bad += compare(path, &plain, &fast) +
		       complain(path, "items", see_plain.items, see_fast.items) +
		       complain(path, "what an observer sees", see_plain.hash, see_fast.hash);
	if (!refused)
		trace_close(&plain);
	if (!also)
		trace_close(&fast);
	return bad;
}

int main(int argc, char **argv)
{
	unsigned bad = 0;

	for (int i = 1; i < argc; i++)
		bad += check(argv[i]);
	printf("%d traces, %u differences\n", argc - 1, bad);
	return bad || argc < 2;
}
