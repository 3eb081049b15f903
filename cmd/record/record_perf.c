/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_perf.c - records by `perf record`, where tracefs is closed but perf events are allowed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/record/record.h"
#include "cmd/record/record_args.h"
#include "cmd/record/record_command.h"
#include "cmd/record/record_machine.h"
#include "cmd/record/record_meta.h"

#define READY_MS 10000

struct perf_state {
	struct record_command perf;
	int control[2]; /* we write commands */
	int ack[2];	/* perf answers */
};

static void close_pair(int *fds)
{
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			(void)close(fds[i]);
		fds[i] = -1;
	}
}

static void free_state(struct record_session *s)
{
	struct perf_state *state = s->state;

	if (state->perf.pid)
		record_command_signal(&state->perf, SIGINT);
	record_command_end(&state->perf);
	close_pair(state->control);
	close_pair(state->ack);
	free(state);
	s->state = NULL;
}

/* Why perf failed, in its own words or in better ones. */
static int explain(struct record_session *s, struct error *err)
{
	struct perf_state *state = s->state;
	char paranoid[16];

	record_command_said(&state->perf, s->program, sizeof(s->program));
	if (geteuid() &&
	    record_read_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid)) &&
	    strtol(paranoid, NULL, 10) > -1)
		return error_set(err, ERROR_ENVIRONMENT,
				 "perf: kernel.perf_event_paranoid is %s: run it as root, or set it "
				 "to -1",
				 paranoid);
	if (!record_command_ended(&state->perf))
		return error_set(
			err, ERROR_ENVIRONMENT,
			"perf: did not begin to record within %d s: is the machine too busy?",
			READY_MS / 1000);
	return error_set(err, ERROR_ENVIRONMENT, "perf: cannot record here: %s", s->program);
}

static int perf_probe(struct record_session *s, struct error *err)
{
	char *argv[] = { "perf", "--version", NULL };
	struct record_command perf;
	int status;

	if (record_command_spawn(&perf, argv, NULL, err)) {
		record_command_end(&perf);
		return error_set(err, ERROR_ENVIRONMENT,
				 "perf: there is no such program: apt-get install linux-perf");
	}
	status = record_command_wait(&perf, READY_MS) && WIFEXITED(perf.status)
			 ? WEXITSTATUS(perf.status)
			 : -1;
	record_command_end(&perf);
	if (status)
		return error_set(err, ERROR_ENVIRONMENT,
				 "perf: does not work: 'perf --version' says why (for kernel %s)",
				 s->machine.kernel);
	return 0;
}

static void add_target(struct record_args *args, const struct record_options *opt)
{
	char list[4096] = "";
	size_t len = 0;

	for (size_t i = 0; i < opt->n_pids && len < sizeof(list) - 16; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%d", i ? "," : "",
					(int)opt->pids[i]);
	if (!opt->n_pids) {
		record_args_add(args, "-a");
		return;
	}
	record_args_add(args, "-p");
	record_args_add(args, "%s", list);
}

void record_perf_args(struct record_args *args, const struct record_session *s)
{
	record_args_add(args, "perf");
	record_args_add(args, "record");
	record_args_add(args, "-B"); /* no build ids: nobody asks for symbols of programs */
	record_args_add(args, "-N");
	record_args_add(args, "-T");
	record_args_add(args, "-R");
	record_args_add(args, "-c");
	record_args_add(args, "1");
	record_args_add(args, "-k");
	record_args_add(args, "mono");
	record_args_add(args, "-m");
	record_args_add(args, "%" PRIu64 "K", s->buffer_kb);
	add_target(args, s->opt);
	record_args_add(args, "-o");
	record_args_add(args, "%s", s->output);
	record_args_add_events(args, s, "--filter");
	record_args_add_probes(args, s);
}

/* Gives perf a command and waits until it says that it is done. */
static int command(struct perf_state *state, const char *word)
{
	struct pollfd fd = { .fd = state->ack[0], .events = POLLIN };
	char answer[16];

	if (write(state->control[1], word, strlen(word)) != (ssize_t)strlen(word))
		return -1;
	for (unsigned waited = 0; waited < READY_MS; waited += 50) {
		if (poll(&fd, 1, 50) > 0)
			return read(state->ack[0], answer, sizeof(answer)) > 0 ? 0 : -1;
		if (record_command_ended(&state->perf))
			return -1;
	}
	return -1;
}

static int start_perf(struct record_session *s, struct perf_state *state, struct error *err)
{
	struct record_args args = { 0 };
	int keep[] = { state->control[0], state->ack[1], -1 };
	int status = -1;

	record_perf_args(&args, s);
	/* Events begin disabled, and are enabled when perf has set up everything. */
	record_args_add(&args, "-D");
	record_args_add(&args, "-1");
	record_args_add(&args, "--control=fd:%d,%d", keep[0], keep[1]);
	if (args.failed)
		(void)error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	else
		status = record_command_spawn(&state->perf, args.words, keep, err);
	record_args_free(&args);
	if (status)
		return -1;
	if (command(state, "enable\n"))
		return explain(s, err);
	return 0;
}

static int perf_start(struct record_session *s, struct error *err)
{
	struct perf_state *state = calloc(1, sizeof(*state));
	int status;

	if (!state)
		return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	*state = (struct perf_state){ RECORD_NO_COMMAND, { -1, -1 }, { -1, -1 } };
	s->state = state;
	if (pipe2(state->control, O_CLOEXEC) || pipe2(state->ack, O_CLOEXEC))
		status = error_set(err, ERROR_ENVIRONMENT, "perf: %s", strerror(errno));
	else
		status = start_perf(s, state, err);
	if (status)
		free_state(s);
	return status;
}

static int perf_annotate(struct record_session *s, char *const *lines, size_t n, struct error *err)
{
	return record_meta_write(lines, n, s->output, err);
}

static int perf_watch(struct record_session *s)
{
	(void)s;
	return -1; /* SIGCHLD wakes us */
}

static int perf_check(struct record_session *s, struct error *err)
{
	struct perf_state *state = s->state;

	if (!record_command_ended(&state->perf))
		return 0;
	record_command_said(&state->perf, s->program, sizeof(s->program));
	return error_set(err, ERROR_ENVIRONMENT, "perf: stopped recording: %s: %s is cut",
			 s->program, s->output);
}

static void perf_progress(struct record_session *s, struct record_progress *p)
{
	struct stat st;

	*p = (struct record_progress){ .bytes = stat(s->output, &st) ? 0 : (uint64_t)st.st_size };
}

/* perf ends by the signal that stops it; anything else is a failure. */
static int perf_stop(struct record_session *s, struct error *err)
{
	struct perf_state *state = s->state;
	int status = 0;
	bool was_there = !record_command_ended(&state->perf);

	if (was_there) {
		(void)command(state, "disable\n");
		record_command_signal(&state->perf, SIGINT);
	}
	while (!record_command_wait(&state->perf, 200))
		if (s->give_up(s->give_up_arg))
			break;
	status = state->perf.pid ? -1 : state->perf.status;
	record_command_said(&state->perf, s->program, sizeof(s->program));
	if (state->perf.pid)
		status = error_set(err, ERROR_ENVIRONMENT, "perf: given up: %s is cut", s->output);
	else if (status && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT && was_there))
		status = error_set(err, ERROR_ENVIRONMENT, "perf: %s", s->program);
	else
		status = 0;
	free_state(s);
	return status;
}

static void perf_abandon(struct record_session *s)
{
	if (!s->state)
		return;
	free_state(s);
	(void)unlink(s->output);
	record_meta_unlink(s->output);
}

const struct record_backend record_perf = {
	.name = "perf",
	.default_output = "perf.data",
	.probe = perf_probe,
	.start = perf_start,
	.annotate = perf_annotate,
	.watch = perf_watch,
	.check = perf_check,
	.progress = perf_progress,
	.stop = perf_stop,
	.abandon = perf_abandon,
};
