/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify_answer.c - predicts from one recording and compares with others. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/suggest.h"
#include "cmd/verify.h"

#define VERIFY_BECAUSE_KEY(id, key) [id] = key,
const char *const verify_because_keys[VERIFY_BECAUSES] = { VERIFY_BECAUSE_X(VERIFY_BECAUSE_KEY) };

/* Calls are priced in a second pass. */
static int check_readable_twice(const char *path, struct error *err)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && (stat(path, &st) || !S_ISFIFO(st.st_mode)))
		return 0;
	return error_set(err, ERROR_USAGE,
			 "verify reads its inputs twice: '%s' is a pipe; save it to a file first",
			 path);
}

static int out_of_memory(const char *path, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
}

/* A second reading, in which masks are followed as in the first. */
static int read_followed(struct verify *v, struct verify_side *side, struct follower *f,
			 struct error *err)
{
	struct observer observer = follower_observer(f);
	struct common again = v->common;
	struct trace second;

	again.trace.flush = calls_take;
	again.trace.flush_arg = side->calls;
	again.trace.observer = &observer;
	if (common_read(&again, side->result.path, &second, err))
		return -1;
	trace_close(&second);
	calls_finish(side->calls);
	return 0;
}

static int read_calls(struct verify *v, struct verify_side *side, const struct params *alt,
		      struct error *err)
{
	const struct whatif_result *r = &side->result;
	struct common_selection s = { &v->common, &r->trace };
	struct calls_question q = { &r->trace, &r->model, alt, common_filter, &s };
	struct follower *f;
	int status = -1;

	if (r->trace.kept && v->per == PER_CALL)
		return error_set(err, ERROR_USAGE,
				 "%s: --per=event:%s: a summary does not keep calls one by one: name "
				 "the trace, or use --per=seconds",
				 r->path, v->event);
	if (r->trace.kept)
		return 0;
	f = follower_new(stateful_kind(&r->model.used), NULL, NULL);
	side->calls = calls_new(&q);
	if (!side->calls || !f)
		(void)out_of_memory(r->path, err);
	else
		status = read_followed(v, side, f, err);
	follower_free(f);
	return status;
}

/* "sys_exit_ipc" is "syscalls:sys_exit_ipc", whatever recorded it. */
static bool is_named(const char *name, const char *wanted)
{
	const char *colon = strchr(name, ':');

	return strcmp(name, wanted) == 0 || (colon && strcmp(colon + 1, wanted) == 0);
}

static uint64_t count_events(const struct trace *t, const char *name)
{
	uint64_t n = t->markers;

	for (size_t i = 0; i < t->info->n_counts; i++)
		if (is_named(t->info->counts[i].name, name))
			n += t->info->counts[i].count;
	return n;
}

/* The calls that an event begins or ends, if they are some that flush; else FLUSH_CAUSES. */
static enum flush_cause cause_of_event(const char *event)
{
	static const struct {
		const char *call;
		enum flush_cause cause;
	} calls[] = {
		{ "ipc", CAUSE_SHMDT },	      { "shmdt", CAUSE_SHMDT },
		{ "munmap", CAUSE_MUNMAP },   { "mprotect", CAUSE_MPROTECT },
		{ "madvise", CAUSE_MADVISE }, { "mremap", CAUSE_MREMAP },
		{ "brk", CAUSE_BRK },
	};
	const char *colon = strchr(event, ':');
	const char *name = colon ? colon + 1 : event;

	if (strncmp(name, "sys_exit_", 9) == 0)
		name += 9;
	else if (strncmp(name, "sys_enter_", 10) == 0)
		name += 10;
	else
		return FLUSH_CAUSES;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(name, calls[i].call) == 0)
			return calls[i].cause;
	return FLUSH_CAUSES;
}

/* The recorded event that NAME was perhaps meant to be; "" where none is like it. */
static const char *near_event(const struct trace *t, const char *name, char *buf, size_t size)
{
	bool has_system = strchr(name, ':');
	struct suggestion near = suggest_for(name);

	for (size_t i = 0; i < t->info->n_counts; i++) {
		const char *event = t->info->counts[i].name;
		const char *colon = strchr(event, ':');

		suggest_offer(&near, colon && !has_system ? colon + 1 : event);
	}
	*buf = '\0';
	if (near.best && strcmp(near.best, name) != 0)
		(void)snprintf(buf, size, "; did you mean '%s'?", near.best);
	return buf;
}

static const struct call_stats *call_stats(const struct verify *v, const struct verify_side *side)
{
	return calls_of(side->calls, v->cause);
}

static int find_units(const struct verify *v, struct verify_side *side, struct error *err)
{
	const struct trace *t = &side->result.trace;
	char hint[96];

	switch (v->per) {
	case PER_NONE:
		side->units = 1;
		break;
	case PER_SECONDS:
		side->units = side->result.duration_ns;
		break;
	case PER_EVENT:
		side->units = count_events(t, v->event);
		break;
	case PER_CALL:
		side->units = call_stats(v, side)->calls;
		break;
	}
	if (side->units)
		return 0;
	if (v->per == PER_SECONDS)
		return error_set(err, ERROR_INPUT, "%s: has no time to divide by",
				 side->result.path);
	if (v->per == PER_CALL)
		return error_set(err, ERROR_INPUT,
				 "%s: --per=event:%s: no such call flushed in one scope throughout",
				 side->result.path, v->event);
	return error_set(err, ERROR_INPUT,
			 "%s: --per=event:%s: no such event, and no marker of this text, was "
			 "recorded%s",
			 side->result.path, v->event, near_event(t, v->event, hint, sizeof(hint)));
}

static int read_side(struct verify *v, struct verify_side *side, const char *path,
		     const struct whatif *question, struct error *err)
{
	struct whatif_result *r = &side->result;

	if (check_readable_twice(path, err) || whatif_answer(r, question, &v->common, path, err))
		return -1;
	return read_calls(v, side, question->n_policies ? &r->answers[0].params : &r->model.used,
			  err);
}

struct counts verify_recorded(const struct verify *v, const struct verify_side *side)
{
	struct counts c = side->result.derived;

	if (v->per == PER_CALL)
		c = call_stats(v, side)->predicted;
	for (const enum counter *id = whatif_recorded_counters(side->result.x86); *id != COUNTERS;
	     id++) {
		uint64_t n = v->per == PER_CALL ? call_stats(v, side)->recorded.n[*id]
						: side->result.recorded.n[*id];

		c.lo.n[*id] = c.likely.n[*id] = c.hi.n[*id] = n;
	}
	return c;
}

const struct params *verify_params(const struct verify *v)
{
	return &v->recorded.result.answers[0].params;
}

static struct counts predicted_counts(const struct verify *v)
{
	if (v->per == PER_CALL)
		return call_stats(v, &v->recorded)->predicted;
	return v->recorded.result.answers[0].total;
}

static void find_spread(const struct verify *v, struct verify_line *line)
{
	for (size_t i = 0; i < v->n_actual; i++) {
		const struct verify_side *side = &v->actual[i];
		struct counts c = verify_recorded(v, side);
		double lo = (double)c.lo.n[line->counter] / (double)side->units;
		double hi = (double)c.hi.n[line->counter] / (double)side->units;

		if (i == 0 || lo < line->actual_min)
			line->actual_min = lo;
		if (i == 0 || hi > line->actual_max)
			line->actual_max = hi;
	}
}

/* Calls that a trim divided are apart when calls are compared: then it moves nothing. */
static double clock_of(const struct verify *v, enum counter counter)
{
	if (v->per == PER_CALL)
		return 0;
	if (counter == COUNT_TLBIE)
		return (double)v->clock.tlbie / (double)v->recorded.units;
	if (counter == COUNT_TLBIEL)
		return (double)v->clock.tlbiel / (double)v->recorded.units;
	return 0;
}

static bool meet(double a_min, double a_max, double b_min, double b_max)
{
	return a_min <= b_max && b_min <= a_max;
}

static enum verify_because judge(const struct verify *v, const struct verify_line *line)
{
	double from = line->actual_min * (1 - v->tolerance);
	double to = line->actual_max * (1 + v->tolerance);

	if (!line->derived && !line->predicted.open && meet(line->likely, line->likely, from, to))
		return BECAUSE_TOLERANCE;
	if (meet(line->lo, line->hi, from, to))
		return BECAUSE_INTERVAL;
	if (v->clock_untold && (line->counter == COUNT_TLBIE || line->counter == COUNT_TLBIEL))
		return BECAUSE_UNDECIDED;
	if (!meet(line->lo - line->clock, line->hi + line->clock, from, to))
		return BECAUSE_NOTHING;
	/* Where a trim can move more than was counted, it explains almost anything. */
	return line->clock >= line->hi ? BECAUSE_UNDECIDED : BECAUSE_CLOCK;
}

static void compare(struct verify *v, enum counter counter, bool derived)
{
	struct verify_line *line = &v->lines[v->n_lines++];
	double units = (double)v->recorded.units;

	line->counter = counter;
	line->derived = derived;
	line->predicted = predicted_counts(v);
	line->lo = (double)line->predicted.lo.n[counter] / units;
	line->likely = (double)line->predicted.likely.n[counter] / units;
	line->hi = (double)line->predicted.hi.n[counter] / units;
	line->clock = clock_of(v, counter);
	find_spread(v, line);
	line->because = judge(v, line);
}

static bool has_filter(const struct common *c)
{
	const struct trace_filter *f = &c->trace.filter;

	return c->mm || f->by_cpu || f->by_time || *f->comm;
}

/* Two counts of nothing agree about nothing. */
static int check_selection(const struct verify *v, const struct verify_side *side, struct error *err)
{
	const struct fidelity *f = &side->result.fidelity;

	if (f->flushes || f->asked)
		return 0;
	if (has_filter(&v->common))
		return error_set(err, ERROR_INPUT,
				 "%s: no flush is selected by --mm, --comm, --cpu or --time: there is "
				 "nothing to compare",
				 side->result.path);
	if (v->recorded.result.fidelity.flushes + v->recorded.result.fidelity.asked == 0)
		return error_set(err, ERROR_INPUT, "%s: has no flush: there is nothing to compare",
				 side->result.path);
	return 0;
}

/* What really ran is known from instructions only. */
static int check_instructions(const struct verify_side *side, struct error *err)
{
	if (!side->result.trace.asked)
		return 0;
	return error_set(err, ERROR_INPUT,
			 "--actual=%s: only requests were recorded: what they cost is computed, and "
			 "shows nothing; record with --requests=on",
			 side->result.path);
}

/* What was recorded must be of the same kind of machine, and counted as the policy counts. */
static int check_machine(const struct verify *v, const struct verify_side *side, struct error *err)
{
	const struct whatif_result *r = &side->result;
	const struct whatif_result *from = &v->recorded.result;
	uint64_t was = from->model.used.v[PARAM_PAGE_SIZE];
	uint64_t is = r->model.used.v[PARAM_PAGE_SIZE];

	if (r->x86 != from->x86)
		return error_set(err, ERROR_USAGE,
				 "%s is of %s and %s is of %s: their instructions cannot be compared",
				 from->path, from->x86 ? "an x86" : "a POWER", r->path,
				 r->x86 ? "an x86" : "a POWER");
	if (whatif_is_hash(r))
		return error_set(err, ERROR_USAGE,
				 "%s: the hash MMU is not modelled, so no prediction of it can be "
				 "verified",
				 r->path);
	if (!r->x86 && was != is)
		return error_set(err, ERROR_USAGE,
				 "%s has pages of %" PRIu64 "K and %s of %" PRIu64
				 "K: what another page size does is not predicted",
				 from->path, was / 1024, r->path, is / 1024);
	return 0;
}

static int check_side(const struct verify *v, const struct verify_side *side, struct error *err)
{
	return check_machine(v, side, err) || check_selection(v, side, err) ? -1 : 0;
}

/* Events have no mm, and are not filtered: the whole trace's against a part of its flushes. */
static int check_units(const struct verify *v, struct error *err)
{
	if (v->per == PER_EVENT && has_filter(&v->common))
		return error_set(
			err, ERROR_USAGE,
			"--per=event:%s counts events of the whole trace: leave out --mm, --comm, "
			"--cpu and --time, or count a call that flushes",
			v->event);
	return 0;
}

static int read_all(struct verify *v, struct error *err)
{
	static const struct whatif nothing;

	v->actual = calloc(v->n_actual, sizeof(*v->actual));
	if (!v->actual)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	if (read_side(v, &v->recorded, v->common.inputs[0], &v->question, err) ||
	    check_side(v, &v->recorded, err))
		return -1;
	for (size_t i = 0; i < v->n_actual; i++)
		if (read_side(v, &v->actual[i], v->paths[i], &nothing, err) ||
		    check_instructions(&v->actual[i], err) || check_side(v, &v->actual[i], err))
			return -1;
	return 0;
}

static void find_clock(struct verify *v)
{
	const struct whatif_result *r = &v->recorded.result;

	if (!r->trace.kept)
		v->clock = calls_clock(v->recorded.calls);
	else
		v->clock_untold = !r->x86 && r->trace.info->cpus > 1 &&
				  calls_have_clock(verify_params(v));
}

int verify_answer(struct verify *v, struct error *err)
{
	struct whatif_pair pair;

	v->cause = cause_of_event(v->event);
	if (v->per == PER_EVENT && v->cause != FLUSH_CAUSES)
		v->per = PER_CALL;
	if (check_units(v, err))
		return -1;
	v->common.trace.marker = *v->event ? v->event : NULL;
	v->common.trace.keep_mms = true; /* calls are counted in a second reading */
	if (read_all(v, err) || find_units(v, &v->recorded, err))
		return -1;
	for (size_t i = 0; i < v->n_actual; i++)
		if (find_units(v, &v->actual[i], err))
			return -1;
	find_clock(v);
	pair = whatif_pair(v->recorded.result.x86);
	compare(v, pair.one, false);
	compare(v, pair.other, false);
	if (!v->recorded.result.x86 && !verify_params(v)->v[PARAM_TLBIE])
		compare(v, COUNT_IPIS, true);
	return 0;
}

bool verify_holds(const struct verify *v)
{
	for (size_t i = 0; i < v->n_lines; i++)
		if (v->lines[i].because >= BECAUSE_UNDECIDED)
			return false;
	return true;
}

static void free_side(struct verify_side *side, const struct whatif *question)
{
	calls_free(side->calls);
	whatif_result_free(&side->result, question);
}

void verify_free(struct verify *v)
{
	static const struct whatif nothing;

	free_side(&v->recorded, &v->question);
	for (size_t i = 0; v->actual && i < v->n_actual; i++)
		free_side(&v->actual[i], &nothing);
	free(v->actual);
	free(v->paths);
	free(v->question.policies);
	common_free(&v->common);
}
