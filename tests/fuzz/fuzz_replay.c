/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_replay.c - any sequence of events through folding, joining, classes and predictions: every
 * recorded instruction is counted once, and no prediction's ends are the wrong way round.
 *
 * The input is a list of short operations, so that mutations stay sequences of events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/class.h"
#include "analyze/infer.h"
#include "analyze/join.h"
#include "analyze/run.h"
#include "analyze/source_ops.h"
#include "drain.h"
#include "replay/predict.h"

#define CPUS 4
#define MAX_EVENTS 2048

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t left;
};

struct stream {
	struct event list[MAX_EVENTS];
	uint32_t n;
	uint32_t at;
	struct run_folder *folder;
};

struct world {
	struct source src;
	struct source_info info;
	struct event_count counts[1];
	struct stream *streams;
	struct trace trace;
	uint64_t instructions; /* recorded */
	uint64_t flushed;      /* in the flushes */
	uint64_t now_ns;
	int32_t running[CPUS];
};

/* ---- a source that only has a name ---- */

static int no_next(struct source *src, uint32_t cpu, struct event *ev, struct error *err)
{
	(void)src, (void)cpu, (void)ev, (void)err;
	return 0;
}

static void no_update(const struct source *src)
{
	(void)src;
}

static const char *no_comm(const struct source *src, int32_t tid)
{
	(void)src;
	return tid % 3 ? "shm" : "";
}

static int32_t no_tgid(const struct source *src, int32_t tid)
{
	(void)src;
	return tid % 2 ? tid : -1;
}

static void no_close(struct source *src)
{
	(void)src;
}

static const struct source_ops ops = {
	.next = no_next,
	.update_info = no_update,
	.comm = no_comm,
	.tgid = no_tgid,
	.close = no_close,
};

/* ---- events out of the input ---- */

static uint8_t take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static struct event *add(struct world *w, uint32_t cpu, enum event_kind kind)
{
	struct stream *s = &w->streams[cpu];
	struct event *ev;

	if (s->n == MAX_EVENTS)
		return NULL;
	ev = &s->list[s->n++];
	*ev = (struct event){ .time_ns = w->now_ns, .cpu = cpu, .kind = (uint8_t)kind };
	ev->tid = w->running[cpu];
	ev->tgid = w->running[cpu] % 5 ? w->running[cpu] : -1;
	return ev;
}

/* A loop of instructions over so many pages or sets, perhaps with its fixups, as radix has them. */
static void add_loop(struct world *w, uint32_t cpu, struct input *in)
{
	uint8_t shape = take(in), n = take(in), where = take(in), pid = take(in) % 8;
	bool by_page = shape & 1, local = shape & 2, irq = shape & 4;
	uint64_t ap = shape & 8 ? 5 : 0; /* of 64K pages, else of 4K */

	for (uint32_t i = 0; i <= n; i++) {
		struct event *ev = add(w, cpu, EVENT_TLBIE);

		if (!ev)
			return;
		w->instructions++;
		w->now_ns += 100;
		ev->flags = irq ? EVENT_HARDIRQ : 0;
		ev->tlbie.rs = (uint64_t)pid << 32;
		ev->tlbie.local = local;
		ev->tlbie.prs = 1;
		ev->tlbie.r = 1;
		ev->tlbie.ric = by_page ? 0 : shape >> 4 & 3;
		ev->tlbie.rb = by_page ? (uint64_t)where << 21 | (uint64_t)i << (ap ? 16 : 12) |
						 ap << 5
				       : 1 << 10 | (uint64_t)i << 12;
	}
}

/* One instruction of any kind. */
static void add_any(struct world *w, uint32_t cpu, struct input *in)
{
	struct event *ev = add(w, cpu, EVENT_TLBIE);
	uint8_t *bytes = (uint8_t *)(ev ? &ev->tlbie : NULL);

	if (!ev)
		return;
	w->instructions++;
	for (size_t i = 0; i < sizeof(ev->tlbie); i++)
		bytes[i] = take(in);
	ev->tlbie.local &= 1;
}

static void add_task_event(struct world *w, uint32_t cpu, struct input *in)
{
	static const enum event_kind kinds[] = { EVENT_NEWTASK, EVENT_FORK,   EVENT_EXEC,
						 EVENT_EXIT,	EVENT_RENAME, EVENT_MIGRATE };
	uint8_t which = take(in), tid = take(in);
	struct event *ev = add(w, cpu, kinds[which % 6]);

	if (!ev)
		return;
	ev->task.tid = ev->task.old_tid = tid;
	ev->task.flags = which & 64 ? 0x10100 : 0; /* CLONE_THREAD and CLONE_VM, or neither */
	ev->task.dest_cpu = which % CPUS;
	memcpy(ev->task.comm, "new", 4);
}

static void add_switch(struct world *w, uint32_t cpu, struct input *in)
{
	struct event *ev = add(w, cpu, EVENT_SWITCH);
	uint8_t next = take(in) % 16;

	if (!ev)
		return;
	ev->sw.prev_tid = w->running[cpu];
	ev->sw.next_tid = w->running[cpu] = next;
	memcpy(ev->sw.next_comm, next % 2 ? "one" : "two", 4);
}

static void add_call(struct world *w, uint32_t cpu, struct input *in)
{
	uint8_t nr = take(in), len = take(in);
	struct event *ev = add(w, cpu, nr & 128 ? EVENT_SYS_EXIT : EVENT_SYS_ENTER);

	if (!ev)
		return;
	ev->sys.nr = nr % SYSCALL_COUNT;
	ev->sys.start = (uint64_t)len << 21;
	ev->sys.len = (uint64_t)len << 16;
}

static void add_request(struct world *w, uint32_t cpu, struct input *in)
{
	struct event *ev = add(w, cpu, EVENT_REQUEST);
	uint8_t fn = take(in), pages = take(in), where = take(in);

	if (!ev)
		return;
	ev->request.fn = fn % (REQUEST_OTHER + 1);
	ev->request.has = (uint32_t)(fn & 128 ? REQUEST_HAS_RANGE | REQUEST_HAS_MM : 2047);
	ev->request.mm = 1u + where % 4;
	ev->request.hw_pid = where % 8;
	ev->request.start = (uint64_t)where << 21;
	ev->request.end = pages == 255 ? UINT64_MAX : ev->request.start + ((uint64_t)pages << 16);
	ev->request.page_size = 65536;
	ev->request.psize = fn % 4;
	ev->request.type = pages % 3;
}

static void add_event(struct world *w, struct input *in)
{
	uint8_t op = take(in);
	uint32_t cpu = op % CPUS;

	w->now_ns += 1 + (op & 4 ? 100 * (uint64_t)take(in) : 0);
	switch (op >> 3 & 7) {
	case 0:
	case 1:
		add_loop(w, cpu, in);
		break;
	case 2:
		add_any(w, cpu, in);
		break;
	case 3:
		add_switch(w, cpu, in);
		break;
	case 4:
		add_call(w, cpu, in);
		break;
	case 5:
		add_task_event(w, cpu, in);
		break;
	case 6:
		add_request(w, cpu, in);
		break;
	default:
		(void)add(w, cpu, EVENT_LOST);
	}
}

/* ---- the street ---- */

static const struct run_item *peek(struct stream *s)
{
	const struct run_item *item;

	while (!(item = run_folder_peek(s->folder)) && s->at <= s->n) {
		if (s->at < s->n)
			run_folder_feed(s->folder, &s->list[s->at]);
		else
			run_folder_finish(s->folder);
		s->at++;
	}
	return item;
}

static bool join_next(struct world *w)
{
	const struct run_item *first = NULL, *item;
	struct stream *of = NULL;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		item = peek(&w->streams[cpu]);
		if (!item || (first && first->time_ns <= item->time_ns))
			continue;
		first = item;
		of = &w->streams[cpu];
	}
	if (!first)
		return false;
	w->trace.switches += !first->is_run && first->event.kind == EVENT_SWITCH;
	must(join_item(w->trace.join, first));
	run_folder_pop(of->folder);
	return true;
}

static bool take_flush(void *arg, const struct flush *f)
{
	struct world *w = arg;
	struct tally t = flush_recorded(f);

	w->flushed += t.n[COUNT_TLBIE] + t.n[COUNT_TLBIEL];
	return class_add(w->trace.classes, f, true);
}

static bool take_call(void *arg, const struct mm *mm, enum flush_cause cause, uint32_t promoted)
{
	struct world *w = arg;

	return class_add_call(w->trace.classes, mm, cause, promoted);
}

static void check_counts(const struct counts *c)
{
	for (size_t i = 0; i < COUNTERS; i++)
		must(c->lo.n[i] <= c->likely.n[i] && (c->open || c->likely.n[i] <= c->hi.n[i]));
}

static void check_policy(const struct world *w, const struct model *model, uint64_t ceiling)
{
	struct params alt = model->used;
	struct prediction p;

	if (ceiling)
		alt.v[PARAM_CEILING] = ceiling;
	must(!predict(&p, &w->trace, model, &alt, NULL, NULL));
	check_counts(&p.total);
	for (size_t i = 0; i < p.n_mms; i++)
		check_counts(&p.by_mm[i]);
	prediction_free(&p);
}

static void check_predictions(const struct world *w)
{
	struct error err = { .class = ERROR_NONE };
	struct fidelity fidelity;
	struct model model;

	must(!infer_model(&model, &w->trace, NULL, &err));
	predict_fidelity(&fidelity, &w->trace, &model, NULL, NULL);
	must(fidelity.exact <= fidelity.flushes);
	must(fidelity.recorded.n[COUNT_TLBIE] + fidelity.recorded.n[COUNT_TLBIEL] == w->flushed);
	check_policy(w, &model, 0);
	check_policy(w, &model, 1);
	check_policy(w, &model, 31);
	check_policy(w, &model, 4096);
}

static void run_world(struct world *w)
{
	struct join_sink sink = { .arg = w, .flush = take_flush, .call = take_call };
	uint64_t orphans = 0;

	w->trace.join = join_new(&w->src, CPUS, 16, &sink);
	w->trace.classes = class_table_new(16);
	must(w->trace.join && w->trace.classes);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		must((w->streams[cpu].folder = run_folder_new(16)) != NULL);
	while (join_next(w))
		;
	must(join_finish(w->trace.join));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		orphans += run_folder_orphans(w->streams[cpu].folder)->fixups;
	must(w->flushed + orphans == w->instructions);
	check_predictions(w);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		run_folder_free(w->streams[cpu].folder);
	join_free(w->trace.join);
	class_table_free(w->trace.classes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct world w = { .src = { .ops = &ops } };

	w.info = (struct source_info){ .path = "fuzz",
				       .cpus = CPUS,
				       .page_size = 65536,
				       .has_time = true,
				       .has_irq_flags = true,
				       .arch = "ppc64le",
				       .counts = w.counts,
				       .n_counts = 1 };
	w.counts[0] = (struct event_count){ .name = "powerpc:tlbie", .enabled = true };
	w.src.info = &w.info;
	w.trace.src = &w.src;
	w.trace.info = &w.info;
	w.streams = calloc(CPUS, sizeof(*w.streams));
	must(w.streams != NULL);
	while (in.left)
		add_event(&w, &in);
	w.trace.last_ns = w.now_ns;
	run_world(&w);
	free(w.streams);
	return 0;
}
