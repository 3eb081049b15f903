/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - a trace read as fast as possible, by several threads, passing over repeated records and
 * asking the mask machines once for flushes that are alike, and the same trace read plainly: the
 * results must be the same to the last count.
 *
 *   fast TRACE...
 *
 * A file that cannot be read must be refused in both ways. Prints the differences.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/trace.h"
#include "replay/follow.h"

/* An observer that sums up all that it is shown, in order, and hands it to the mask machines. */
struct seen {
	uint64_t hash;
	uint64_t items;
	struct follower *masks;
	struct observer follow; /* .arg NULL: no masks, on x86 */
};

static void mix(struct seen *s, uint64_t v)
{
	s->hash = (s->hash ^ v) * UINT64_C(0x100000001b3);
}

static bool see_begin(void *arg, const struct source *src)
{
	struct seen *s = arg;

	if (strncmp(source_info(src)->arch, "x86", 3) == 0)
		s->follow.arg = NULL;
	return !s->follow.arg || s->follow.begin(s->follow.arg, src);
}

/* Machines that are watched are asked for every flush. */
static void watch(void *arg, const struct flush *f, const struct ts_flush *what,
		  const struct mask_view *view)
{
	(void)arg;
	(void)f;
	(void)what;
	(void)view;
}

static bool see_item(void *arg, const struct run_item *item)
{
	struct seen *s = arg;

	if (s->follow.arg && !s->follow.item(s->follow.arg, item))
		return false;
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
	struct seen *s = arg;

	if (s->follow.arg && !s->follow.flush(s->follow.arg, f))
		return false;
	mix(s, f->hw_pid);
	for (int kind = 0; kind < TRIMS; kind++) {
		mix(s, f->seen.scope[kind]);
		mix(s, (uint64_t)f->seen.ipis[kind] << 32 | (uint64_t)f->seen.trims[kind] << 16 |
			       f->seen.targets[kind]);
	}
	return true;
}

static void see_end(void *arg)
{
	struct seen *s = arg;

	if (s->follow.arg)
		s->follow.end(s->follow.arg);
	mix(s, 1);
}

static int read_trace(struct trace *t, const char *path, bool plain, struct seen *seen,
		      struct error *err)
{
	seen->masks = follower_new(TRIM_V5_12, plain ? watch : NULL, NULL);
	seen->follow = follower_observer(seen->masks);

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

	while (a && b && class_key_same(&a->key, &b->key) && a->count == b->count) {
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

/* The numbers of one kind's machine, and how its rules did. */
static unsigned compare_machine(const char *path, const struct masks *a, const struct masks *b,
				enum trim kind, uint32_t cpus)
{
	struct mask_totals x = masks_totals(a, kind), y = masks_totals(b, kind);
	size_t bytes = cpus * sizeof(uint64_t);

	return complain(path, "scope of the rules", 0,
			memcmp(masks_scope(a, kind), masks_scope(b, kind),
			       sizeof(struct mask_scope)) != 0) +
	       complain(path, "local flushes", x.scope[MACHINE_LOCAL], y.scope[MACHINE_LOCAL]) +
	       complain(path, "global flushes", x.scope[MACHINE_GLOBAL], y.scope[MACHINE_GLOBAL]) +
	       complain(path, "unsure flushes", x.unsure, y.unsure) +
	       complain(path, "trims", x.trims, y.trims) + complain(path, "IPIs", x.ipis, y.ipis) +
	       complain(path, "ticks", x.ticks, y.ticks) +
	       complain(path, "IPIs of the clock", x.clock_ipis, y.clock_ipis) +
	       complain(path, "CPUs trimmed", 0, memcmp(x.trims_to, y.trims_to, bytes) != 0) +
	       complain(path, "CPUs flushed", 0, memcmp(x.global_to, y.global_to, bytes) != 0);
}

static unsigned compare_masks(const char *path, const struct seen *a, const struct seen *b)
{
	const struct masks *x = follower_masks(a->masks), *y = follower_masks(b->masks);
	unsigned bad = 0;

	if (!x || !y)
		return complain(path, "masks", x != NULL, y != NULL);
	for (int kind = 0; kind < TRIMS; kind++)
		bad += compare_machine(path, x, y, (enum trim)kind, follower_cpus(a->masks));
	return bad + complain(path, "incomplete", masks_incomplete(x), masks_incomplete(y)) +
	       complain(path, "against the rules", masks_against(x), masks_against(y));
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
		bad += compare(path, &plain, &fast) + compare_masks(path, &see_plain, &see_fast) +
		       complain(path, "items", see_plain.items, see_fast.items) +
		       complain(path, "what an observer sees", see_plain.hash, see_fast.hash);
	if (!refused)
		trace_close(&plain);
	if (!also)
		trace_close(&fast);
	follower_free(see_plain.masks);
	follower_free(see_fast.masks);
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
