/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - folding one CPU's records into runs. */
#include "analyze/run.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/geometry.h"

/*
 * Items wait here behind a run that is still open. Only records of interrupt handlers pile up
 * behind a task's run, and a handler runs once per flush that another CPU waits for, so a few
 * suffice; a stream that fills the ring closes its oldest run.
 */
#define RING_SIZE 64u

#define RB_FAR (UINT64_C(1) << 51)

#define PAUSE_NS UINT64_C(1000000000) /* that no loop of a kernel makes between two records */

/* How far the open run of a context has come. */
enum fold_phase {
	FOLD_GROWING,  /* may take more records */
	FOLD_ERAT,     /* its ERAT fixup was seen: only STQ fixups can follow */
	FOLD_REPEAT,   /* its last page was flushed again: an STQ fixup, or a request of its own */
	FOLD_COMPLETE, /* all fixups seen */
};

/* Whether the machine repeats the last page for the STQ erratum (q of policies 1.6). */
enum stq {
	STQ_UNKNOWN, /* a repeated page is taken for one */
	STQ_ACTIVE,
	STQ_ABSENT, /* an ERAT fixup was the last of its request: a page again is another request */
};

/* One context of the CPU: the task's or the interrupts'. */
struct fold_context {
	struct run_item *open; /* in the ring, or NULL */
	enum fold_phase phase;
	uint64_t last;	     /* address or set number of the open run's last record */
	struct event repeat; /* FOLD_REPEAT: the record in question */
	uint64_t records;    /* seen so far, the current one included */
	uint64_t repeat_record;
	uint64_t longest_gap; /* of the open run, in ns */
	uint64_t last_ns;     /* end of the run before, if that surely is a whole request; else 0 */
	bool asked;	      /* the last mark is a probe of a flush function */
	bool told;	      /* it was when the open run began: that is this request's */
	bool edge;	      /* nothing since the trace's beginning, or since records were lost */
	uint64_t *times;      /* of the open run's records, [n_times] */
	size_t n_times;
	size_t room;
};

struct run_folder {
	struct run_item ring[RING_SIZE];
	bool is_open[RING_SIZE];
	uint32_t head; /* next to hand out */
	uint32_t count;
	unsigned base_shift;
	bool has_2m; /* the machine has an AP code for 2 MiB: it was seen */
	bool keep_times;
	enum stq stq;		      /* by the first request that tells */
	struct fold_context *growing; /* whose run the last record began or continued, or NULL */
	struct fold_context task;
	struct fold_context irq;
	int32_t stopper; /* tid of the CPU's migration thread; 0 until it has run */
	struct run_orphans orphans;
	struct gap_stats gaps;
};

struct run_folder *run_folder_new(unsigned base_shift)
{
	struct run_folder *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->base_shift = base_shift;
	f->task.edge = true;
	return f;
}

void run_folder_keep_times(struct run_folder *f)
{
	f->keep_times = true;
}

void run_folder_free(struct run_folder *f)
{
	if (!f)
		return;
	for (; f->count; run_folder_pop(f))
		if (f->ring[f->head].is_run)
			free(f->ring[f->head].run.times);
	free(f->task.times);
	free(f->irq.times);
	free(f);
}

const struct run_orphans *run_folder_orphans(const struct run_folder *f)
{
	return &f->orphans;
}

const struct gap_stats *run_folder_gaps(const struct run_folder *f)
{
	return &f->gaps;
}

bool run_folder_wants(const struct run_folder *f)
{
	/* One event adds at most two items: a repeated page that turns out to be a run, and itself. */
	return f->count + 2 <= RING_SIZE;
}

static uint32_t ring_index(const struct run_folder *f, const struct run_item *item)
{
	return (uint32_t)(item - f->ring);
}

static struct run_item *ring_push(struct run_folder *f, uint64_t time_ns, bool open)
{
	uint32_t at = (f->head + f->count) % RING_SIZE;

	f->count++;
	f->is_open[at] = open;
	f->ring[at].time_ns = time_ns;
	return &f->ring[at];
}

static void note_time(const struct run_folder *f, struct fold_context *ctx, uint64_t time_ns)
{
	if (!f->keep_times)
		return;
	if (ctx->n_times == ctx->room) {
		size_t room = ctx->room ? ctx->room * 2 : 64;
		uint64_t *grown = reallocarray(ctx->times, room, sizeof(*grown));

		if (!grown)
			return;
		ctx->times = grown;
		ctx->room = room;
	}
	ctx->times[ctx->n_times++] = time_ns;
}

/* Gives the run the times of its records if it may have to be cut. */
static void attach_times(const struct run_folder *f, const struct fold_context *ctx, struct run *run)
{
	if (!f->keep_times || run->kind != TLBIE_VA || run->n < 2 ||
	    run->ended_by == RUN_END_FIXUP || ctx->n_times != run->n)
		return;
	run->times = reallocarray(NULL, run->n, sizeof(*run->times));
	if (run->times)
		memcpy(run->times, ctx->times, run->n * sizeof(*run->times));
}

/* Pauses of the run that has just ended, by what is known of it. */
static void note_gaps(struct run_folder *f, struct fold_context *ctx, const struct run *run)
{
	bool sure = run->ended_by == RUN_END_FIXUP || ctx->told;

	ctx->last_ns = sure && !run->partial ? run->end_ns : 0;
	if (run->kind != TLBIE_VA || run->n < 2 || run->irq || run->partial)
		return;
	gap_note(sure ? f->gaps.inside : f->gaps.hidden, ctx->longest_gap);
}

/*
 * What a run that ends for certain here says of the STQ fixup, which must follow an ERAT fixup. A
 * page that was repeated before another record says nothing: both can be one more request.
 */
static void learn_stq(struct run_folder *f, const struct fold_context *ctx, enum run_end by)
{
	if (f->stq != STQ_UNKNOWN || by == RUN_END_NONE || by == RUN_END_LOST)
		return;
	if (ctx->open->run.fix_stq || (ctx->phase == FOLD_REPEAT && by != RUN_END_RECORD))
		f->stq = STQ_ACTIVE;
	else if (ctx->open->run.fix_erat && ctx->phase != FOLD_REPEAT)
		f->stq = STQ_ABSENT;
}

static void close_run(struct run_folder *f, struct fold_context *ctx, enum run_end by)
{
	struct run *run;

	ctx->edge = by == RUN_END_NONE || by == RUN_END_LOST;
	if (!ctx->open)
		return;
	run = &ctx->open->run;
	learn_stq(f, ctx, by);
	if (ctx->phase == FOLD_REPEAT) {
		run->fix_stq = 1;
		run->end_ns = ctx->repeat.time_ns;
	}
	if (run->fix_erat || run->fix_stq || run->fix_old)
		by = RUN_END_FIXUP;
	run->ended_by = (uint8_t)by;
	run->partial |= by == RUN_END_NONE || by == RUN_END_LOST;
	attach_times(f, ctx, run);
	note_gaps(f, ctx, run);
	f->is_open[ring_index(f, ctx->open)] = false;
	ctx->open = NULL;
}

/* Records folded here are compared by this: where 64K pages have AP 0, the kernel meant 2 MiB. */
static unsigned page_shift(const struct run_folder *f, const struct tlbie_op *op)
{
	if (op->shift == 12 && f->base_shift == 16)
		return PMD_SHIFT;
	return op->shift;
}

/*
 * With 4K pages, AP 0 is also the 2 MiB page of a machine that has no AP code for it: only addresses
 * that step by 2 MiB tell.
 */
static bool may_be_2m(const struct run_folder *f, const struct tlbie_op *op)
{
	return f->base_shift == 12 && op->shift == 12 && !f->has_2m &&
	       (op->addr & (PMD_BYTES - 1)) == 0;
}

static bool same_size(const struct run_folder *f, const struct run *run, const struct tlbie_op *op)
{
	return run->shift == page_shift(f, op) || (run->shift == PMD_SHIFT && may_be_2m(f, op));
}

/* True where op follows the open run's only page by 2 MiB: neither was a page of 4K. */
static bool steps_by_2m(const struct run_folder *f, const struct fold_context *ctx,
			const struct tlbie_op *op)
{
	return ctx->open->run.n == 1 && ctx->open->run.shift == 12 && may_be_2m(f, op) &&
	       op->addr == ctx->last + PMD_BYTES;
}

static uint64_t position(const struct tlbie_op *op)
{
	return op->kind == TLBIE_VA ? op->addr : op->set;
}

/* record: index of ev among the records of its context. */
static void open_run(struct run_folder *f, struct fold_context *ctx, const struct event *ev,
		     const struct tlbie_op *op, uint64_t record)
{
	struct run_item *item = ring_push(f, ev->time_ns, true);

	item->is_run = true;
	item->run = (struct run){
		.start_ns = ev->time_ns,
		.end_ns = ev->time_ns,
		.addr = position(op),
		.n = 1,
		.record = record,
		.cpu = ev->cpu,
		.tid = ev->tid,
		.tgid = ev->tgid,
		.hw_pid = op->hw_pid,
		.stack = ev->stack,
		.kind = (uint8_t)op->kind,
		.shift = (uint8_t)page_shift(f, op),
		.local = op->local,
		.irq = ctx == &f->irq,
		.partial = ctx->edge,
	};
	ctx->open = item;
	ctx->edge = false;
	ctx->phase = FOLD_GROWING;
	ctx->longest_gap = 0;
	if (ctx->last_ns && ev->time_ns >= ctx->last_ns)
		gap_note(f->gaps.between, ev->time_ns - ctx->last_ns);
	ctx->told = ctx->asked;
	ctx->asked = false;
	ctx->n_times = 0;
	note_time(f, ctx, ev->time_ns);
	ctx->last = position(op);
}

/* True where op is the next record of the loop that wrote the open run. */
static bool continues(const struct run_folder *f, const struct fold_context *ctx,
		      const struct tlbie_op *op)
{
	const struct run *run = &ctx->open->run;

	if (ctx->phase != FOLD_GROWING || run->hw_pid != op->hw_pid || run->local != op->local)
		return false;
	if (op->kind == TLBIE_VA && run->kind == TLBIE_VA)
		return steps_by_2m(f, ctx, op) ||
		       (same_size(f, run, op) && op->addr == ctx->last + (UINT64_C(1) << run->shift));
	/* Sets 1 … of a PID flush are written with ric 0, whatever set 0 had. */
	if (op->kind == TLBIE_PID && op->local)
		return (run->kind == TLBIE_PID || run->kind == TLBIE_ALL) &&
		       op->set == ctx->last + 1;
	return false;
}

/* Kinds of which only the number matters: consecutive ones are one run. */
static bool counts_only(enum tlbie_kind kind)
{
	return kind >= TLBIE_LPID;
}

static void extend(const struct run_folder *f, struct fold_context *ctx, const struct event *ev,
		   uint64_t at)
{
	uint64_t gap = ev->time_ns - ctx->open->run.end_ns;

	if (gap > ctx->longest_gap)
		ctx->longest_gap = gap;
	note_time(f, ctx, ev->time_ns);
	ctx->open->run.n++;
	ctx->open->run.end_ns = ev->time_ns;
	ctx->last = at;
}

/* Whether a record like this one, but for its address or set number, can continue its run. */
static bool can_repeat(const struct tlbie_op *op)
{
	return op->kind == TLBIE_VA || (op->kind == TLBIE_PID && op->local);
}

static void take_operation(struct run_folder *f, struct fold_context *ctx, const struct event *ev,
			   const struct tlbie_op *op)
{
	const struct run *run = ctx->open ? &ctx->open->run : NULL;

	if (run && continues(f, ctx, op)) {
		if (op->kind == TLBIE_VA && steps_by_2m(f, ctx, op))
			ctx->open->run.shift = PMD_SHIFT;
		extend(f, ctx, ev, position(op));
		f->growing = ctx;
		return;
	}
	if (run && counts_only(op->kind) && run->kind == op->kind && run->local == op->local) {
		extend(f, ctx, ev, 0);
		return;
	}
	/* policies 1.4, rule 11: the last page again behind an ERAT fixup */
	if (run && ctx->phase == FOLD_ERAT && f->stq != STQ_ABSENT && run->kind == TLBIE_VA &&
	    op->kind == TLBIE_VA && !op->local && op->hw_pid == run->hw_pid &&
	    same_size(f, run, op) && op->addr == ctx->last) {
		ctx->phase = FOLD_REPEAT;
		ctx->repeat = *ev;
		ctx->repeat_record = ctx->records - 1;
		return;
	}
	close_run(f, ctx, RUN_END_RECORD);
	open_run(f, ctx, ev, op, ctx->records - 1);
	f->growing = can_repeat(op) ? ctx : NULL;
}

/*
 * An ERAT fixup behind a repeated page proves that the page was flushed by a request of its own:
 * the STQ workaround's repeat comes last. Makes it the open run.
 */
static void repeat_was_request(struct run_folder *f, struct fold_context *ctx)
{
	struct tlbie_op op = tlbie_decode(&ctx->repeat.tlbie);

	ctx->phase = FOLD_COMPLETE;
	close_run(f, ctx, RUN_END_FIXUP);
	open_run(f, ctx, &ctx->repeat, &op, ctx->repeat_record);
}

static void take_fixup(struct run_folder *f, struct fold_context *ctx, const struct event *ev,
		       const struct tlbie_op *op)
{
	struct run *run;

	if (ctx->open && ctx->phase == FOLD_REPEAT && op->kind == TLBIE_FIXUP_ERAT)
		repeat_was_request(f, ctx);
	if (!ctx->open || ctx->open->run.local || ctx->phase == FOLD_COMPLETE ||
	    ctx->phase == FOLD_REPEAT) {
		f->orphans.fixups++;
		return;
	}
	run = &ctx->open->run;
	run->end_ns = ev->time_ns;
	if (op->kind == TLBIE_FIXUP_ERAT && ctx->phase == FOLD_GROWING) {
		run->fix_erat = 1;
		ctx->phase = FOLD_ERAT;
		return;
	}
	ctx->phase = FOLD_COMPLETE;
	if (op->kind == TLBIE_FIXUP_SENTINEL)
		run->fix_stq = 1;
	else if (op->kind == TLBIE_FIXUP_OLD && run->kind == TLBIE_KERNEL && run->fix_erat)
		run->fix_stq = 1; /* the kernel's PID is 0, and so is its sentinel's */
	else if (op->kind == TLBIE_FIXUP_OLD)
		run->fix_old = 1;
	else
		f->orphans.fixups++;
}

static bool is_fixup(enum tlbie_kind kind)
{
	return kind == TLBIE_FIXUP_ERAT || kind == TLBIE_FIXUP_SENTINEL || kind == TLBIE_FIXUP_OLD;
}

static enum run_end end_by_event(const struct event *ev)
{
	switch ((enum event_kind)ev->kind) {
	case EVENT_SYS_ENTER:
	case EVENT_SYS_EXIT:
		return RUN_END_SYSCALL;
	case EVENT_SWITCH:
		return RUN_END_SWITCH;
	case EVENT_REQUEST:
		return RUN_END_REQUEST;
	case EVENT_LOST:
		return RUN_END_LOST;
	default:
		return RUN_END_TASK;
	}
}

/* No request ever comes from an interrupt, or from the idle loop, which runs queued calls. */
static bool in_irq(const struct event *ev)
{
	return (ev->flags & EVENT_HARDIRQ) || ev->tid == 0;
}

bool event_is_mark(const struct event *ev)
{
	if (ev->kind == EVENT_SWITCH || ev->kind == EVENT_LOST)
		return true;
	return !in_irq(ev) && !(ev->flags & EVENT_SOFTIRQ) && ev->kind != EVENT_IPI_SEND &&
	       ev->kind != EVENT_IPI_RECV && ev->kind != EVENT_CSD_QUEUE &&
	       ev->kind != EVENT_CSD_RUN && ev->kind != EVENT_OFFLINE && ev->kind != EVENT_MARKER &&
	       ev->kind != EVENT_X86_FLUSH;
}

/*
 * Nor from the CPU's stopper: before it moves a task, and when its CPU goes offline, it too runs queued
 * calls, migration_cpu_stop() since v5.8.
 */
static bool in_handler(const struct run_folder *f, const struct event *ev)
{
	return in_irq(ev) || (f->stopper && ev->tid == f->stopper);
}

static void find_stopper(struct run_folder *f, const struct event *ev)
{
	static const char name[] = "migration/";

	if (ev->kind == EVENT_SWITCH && memcmp(ev->sw.next_comm, name, sizeof(name) - 1) == 0)
		f->stopper = ev->sw.next_tid;
}

static void take_event(struct run_folder *f, const struct event *ev)
{
	struct run_item *item;

	find_stopper(f, ev);
	if (event_is_mark(ev)) {
		close_run(f, &f->task, end_by_event(ev));
		close_run(f, &f->irq, end_by_event(ev));
		f->task.asked = ev->kind == EVENT_REQUEST;
		if (ev->kind != EVENT_REQUEST)
			f->task.last_ns = 0;
	}
	item = ring_push(f, ev->time_ns, false);
	item->is_run = false;
	item->event = *ev;
}

/* A hypervisor call flushes what the task has asked for: a run that no record can continue. */
static void take_hcall(struct run_folder *f, const struct event *ev)
{
	struct run_item *item;

	close_run(f, &f->task, RUN_END_RECORD);
	close_run(f, &f->irq, RUN_END_RECORD);
	f->task.last_ns = 0;
	item = ring_push(f, ev->time_ns, false);
	item->is_run = true;
	item->run = (struct run){
		.start_ns = ev->time_ns,
		.end_ns = ev->time_ns,
		.n = 1,
		.record = f->task.records++,
		.cpu = ev->cpu,
		.tid = ev->tid,
		.tgid = ev->tgid,
		.stack = ev->stack,
		.kind = TLBIE_HCALL,
		.ended_by = RUN_END_RECORD,
	};
}

static void take_record(struct run_folder *f, const struct event *ev)
{
	struct tlbie_op op = tlbie_decode(&ev->tlbie);
	struct fold_context *ctx = in_handler(f, ev) ? &f->irq : &f->task;

	ctx->records++;
	f->has_2m |= op.kind == TLBIE_VA && op.shift == PMD_SHIFT;
	/* Back in the task: the handler has returned. */
	if (ctx == &f->task)
		close_run(f, &f->irq, RUN_END_RECORD);
	if (is_fixup(op.kind))
		take_fixup(f, ctx, ev, &op);
	else
		take_operation(f, ctx, ev, &op);
}

void run_folder_feed(struct run_folder *f, const struct event *ev)
{
	f->growing = NULL;
	if (ev->kind == EVENT_TLBIE)
		take_record(f, ev);
	else if (ev->kind == EVENT_HCALL)
		take_hcall(f, ev);
	else
		take_event(f, ev);
}

struct run_growth run_folder_growth(const struct run_folder *f)
{
	const struct fold_context *ctx = f->growing;

	if (!ctx || !ctx->open || f->keep_times)
		return (struct run_growth){ 0, 0 };
	/* Set numbers have 12 bits. */
	if (ctx->open->run.kind != TLBIE_VA)
		return (struct run_growth){ UINT64_C(1) << 12, 0xfff - ctx->last };
	/* Half of the user's addresses: the sentinel and the ends of the number stay far away. */
	if (ctx->last >= RB_FAR)
		return (struct run_growth){ 0, 0 };
	return (struct run_growth){ UINT64_C(1) << ctx->open->run.shift,
				    (RB_FAR - ctx->last) >> ctx->open->run.shift };
}

void run_folder_grow(struct run_folder *f, const struct source_skipped *skipped)
{
	struct fold_context *ctx = f->growing;
	struct run *run = &ctx->open->run;

	ctx->records += skipped->n;
	ctx->last += run->kind == TLBIE_VA ? skipped->n << run->shift : skipped->n;
	if (skipped->longest_ns > ctx->longest_gap)
		ctx->longest_gap = skipped->longest_ns;
	run->n += skipped->n;
	run->end_ns = skipped->last_ns;
}

void run_folder_finish(struct run_folder *f)
{
	close_run(f, &f->task, RUN_END_NONE);
	close_run(f, &f->irq, RUN_END_NONE);
}

static void end_paused(struct run_folder *f, struct fold_context *ctx, uint64_t now_ns)
{
	if (ctx->open && now_ns > PAUSE_NS && ctx->open->run.end_ns < now_ns - PAUSE_NS)
		close_run(f, ctx, RUN_END_RECORD);
}

void run_folder_pause(struct run_folder *f, uint64_t now_ns)
{
	end_paused(f, &f->task, now_ns);
	end_paused(f, &f->irq, now_ns);
}

const struct run_item *run_folder_peek(struct run_folder *f)
{
	struct run_item *item = &f->ring[f->head];

	if (f->count == 0)
		return NULL;
	if (f->is_open[f->head]) {
		if (run_folder_wants(f))
			return NULL;
		close_run(f, f->task.open == item ? &f->task : &f->irq, RUN_END_NONE);
	}
	return item;
}

uint64_t run_folder_since(const struct run_folder *f)
{
	return f->count ? f->ring[f->head].time_ns : UINT64_MAX;
}

void run_folder_pop(struct run_folder *f)
{
	f->head = (f->head + 1) % RING_SIZE;
	f->count--;
}
