/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify_answer.c - predicts from one recording and compares with others. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static int read_calls(struct verify *v, struct verify_side *side, const struct params *alt,
		      struct error *err)
{
	const struct whatif_result *r = &side->result;
	struct common again = v->common;
	struct trace second;

	side->calls = calls_new(&r->trace, &r->model, alt);
	if (!side->calls)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", r->path);
	again.trace.flush = calls_take;
	again.trace.flush_arg = side->calls;
	if (common_read(&again, r->path, &second, err))
		return -1;
	trace_close(&second);
	calls_finish(side->calls);
	return 0;
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

static const struct call_stats *call_stats(const struct verify *v, const struct verify_side *side)
{
	return calls_of(side->calls, v->cause);
}

static int find_units(const struct verify *v, struct verify_side *side, struct error *err)
{
	const struct trace *t = &side->result.trace;

	switch (v->per) {
	case PER_NONE:
		side->units = 1;
		break;
	case PER_SECONDS:
		side->units = t->info->has_time ? t->last_ns - t->first_ns : 0;
		break;
	case PER_EVENT:
		side->units = v->event ? count_events(t, v->event) : 0;
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
	return error_set(err, ERROR_INPUT, "%s: --per=event:%s: %s", side->result.path, v->event,
			 v->per == PER_CALL
				 ? "no such call flushed in one scope throughout"
				 : "no such event, and no marker of this text, was recorded");
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

uint64_t verify_recorded(const struct verify *v, const struct verify_side *side,
			 enum counter counter)
{
	if (v->per == PER_CALL)
		return call_stats(v, side)->recorded.n[counter];
	return side->result.recorded.n[counter];
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
		double value = (double)verify_recorded(v, side, line->counter) / (double)side->units;

		if (i == 0 || value < line->actual_min)
			line->actual_min = value;
		if (i == 0 || value > line->actual_max)
			line->actual_max = value;
	}
}

/* Calls that a trim divided are apart when calls are compared: then it moves nothing. */
static double clock_of(const struct verify *v, enum counter counter)
{
	uint64_t most = counter == COUNT_TLBIE ? v->clock.most_tlbie
					       : v->clock.most_tlbiel + v->clock.handlers;

	if (v->per == PER_CALL || (counter != COUNT_TLBIE && counter != COUNT_TLBIEL))
		return 0;
	return (double)v->clock.cpus * (double)most / (double)v->recorded.units;
}

static bool meet(double a_min, double a_max, double b_min, double b_max)
{
	return a_min <= b_max && b_min <= a_max;
}

static enum verify_because judge(const struct verify *v, const struct verify_line *line)
{
	double from = line->actual_min * (1 - v->tolerance);
	double to = line->actual_max * (1 + v->tolerance);

	if (!line->predicted.open && meet(line->likely, line->likely, from, to))
		return BECAUSE_TOLERANCE;
	if (meet(line->lo, line->hi, from, to))
		return BECAUSE_INTERVAL;
	if (meet(line->lo - line->clock, line->hi + line->clock, from, to))
		return BECAUSE_CLOCK;
	return BECAUSE_NOTHING;
}

static void compare(struct verify *v, struct verify_line *line, enum counter counter)
{
	double units = (double)v->recorded.units;

	line->counter = counter;
	line->predicted = predicted_counts(v);
	line->lo = (double)line->predicted.lo.n[counter] / units;
	line->likely = (double)line->predicted.likely.n[counter] / units;
	line->hi = (double)line->predicted.hi.n[counter] / units;
	line->clock = clock_of(v, counter);
	find_spread(v, line);
	line->because = judge(v, line);
}

static int read_all(struct verify *v, struct error *err)
{
	static const struct whatif nothing;

	v->actual = calloc(v->n_actual, sizeof(*v->actual));
	if (!v->actual)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	if (read_side(v, &v->recorded, v->common.inputs[0], &v->question, err))
		return -1;
	for (size_t i = 0; i < v->n_actual; i++)
		if (read_side(v, &v->actual[i], v->paths[i], &nothing, err))
			return -1;
	return 0;
}

int verify_answer(struct verify *v, struct error *err)
{
	struct whatif_pair pair;

	if (v->event)
		v->cause = cause_of_event(v->event);
	if (v->per == PER_EVENT && v->cause != FLUSH_CAUSES)
		v->per = PER_CALL;
	v->common.trace.marker = v->event;
	v->common.trace.keep_mms = true; /* calls are counted in a second reading */
	if (read_all(v, err) || find_units(v, &v->recorded, err))
		return -1;
	for (size_t i = 0; i < v->n_actual; i++)
		if (find_units(v, &v->actual[i], err))
			return -1;
	v->clock = calls_clock(v->recorded.calls);
	pair = whatif_pair(v->recorded.result.x86);
	compare(v, &v->lines[0], pair.one);
	compare(v, &v->lines[1], pair.other);
	return 0;
}

bool verify_holds(const struct verify *v)
{
	return v->lines[0].because != BECAUSE_NOTHING && v->lines[1].because != BECAUSE_NOTHING;
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
