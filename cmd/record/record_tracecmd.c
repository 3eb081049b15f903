/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_tracecmd.c - records by `trace-cmd record`, for those who want its ways. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>

#include "cmd/record/record.h"
#include "cmd/record/record_args.h"
#include "cmd/record/record_command.h"

#define READY_MS 20000
#define GONE_MS 5000

struct tracecmd_state {
	struct record_command program;
};

/* Its recorders hold the instance until they are gone, which takes a while where they were killed. */
static int destroy(struct tracefs_instance *instance)
{
	for (unsigned waited = 0; tracefs_instance_destroy(instance); waited += 20) {
		if (errno != EBUSY || waited >= GONE_MS)
			return -1;
		(void)usleep(20000);
	}
	return 0;
}

/* trace-cmd's own instance; it removes it when it ends well. */
static void remove_instance(const struct record_session *s)
{
	struct tracefs_instance *instance;

	if (!tracefs_instance_exists(s->name))
		return;
	instance = tracefs_instance_alloc(NULL, s->name);
	if (!instance)
		return;
	(void)tracefs_trace_off(instance);
	if (destroy(instance))
		record_note(s, "the tracefs instance '%s' cannot be removed: %s", s->name,
			    strerror(errno));
	tracefs_instance_free(instance);
}

/* Its recorders' files, which it removes when it ends well. */
static void remove_parts(const struct record_session *s)
{
	for (uint32_t cpu = 0; cpu < s->machine.cpus; cpu++) {
		char path[4096];

		(void)snprintf(path, sizeof(path), "%s.cpu%" PRIu32, s->output, cpu);
		(void)unlink(path);
		(void)snprintf(path, sizeof(path), "%s.%s.cpu%" PRIu32, s->output, s->name, cpu);
		(void)unlink(path);
	}
}

static void free_state(struct record_session *s)
{
	struct tracecmd_state *state = s->state;

	if (state->program.pid)
		record_command_signal(&state->program, SIGINT);
	record_command_end(&state->program);
	remove_instance(s);
	free(state);
	s->state = NULL;
}

static int explain(struct record_session *s, struct error *err)
{
	struct tracecmd_state *state = s->state;

	record_command_said(&state->program, s->program, sizeof(s->program));
	if (strstr(s->program, "enable ftrace"))
		return error_set(err, ERROR_ENVIRONMENT,
				 "trace-cmd: it must set kernel.ftrace_enabled, which this machine "
				 "does not allow: use --with=tracefs");
	return error_set(err, ERROR_ENVIRONMENT, "trace-cmd: cannot record here: %s", s->program);
}

static int tracecmd_probe(struct record_session *s, struct error *err)
{
	char *argv[] = { "trace-cmd", "list", "-h", NULL };
	struct record_command program;
	int status;

	(void)s;
	status = record_command_spawn(&program, argv, NULL, err);
	record_command_end(&program);
	if (status)
		return error_set(err, ERROR_ENVIRONMENT,
				 "trace-cmd: there is no such program: apt-get install trace-cmd");
	return 0;
}

void record_tracecmd_args(struct record_args *args, const struct record_session *s)
{
	record_args_add(args, "trace-cmd");
	record_args_add(args, "record");
	record_args_add(args, "-q");
	record_args_add(args, "-o");
	record_args_add(args, "%s", s->output);
	if (s->opt->file_version == 6) {
		record_args_add(args, "--file-version");
		record_args_add(args, "6");
	}
	record_args_add(args, "-B");
	record_args_add(args, "%s", s->name);
	record_args_add(args, "-C");
	record_args_add(args, "mono");
	record_args_add(args, "-b");
	record_args_add(args, "%" PRIu64, s->buffer_kb);
	for (size_t i = 0; i < s->opt->n_pids; i++) {
		record_args_add(args, "-P");
		record_args_add(args, "%d", (int)s->opt->pids[i]);
	}
	record_args_add_events(args, s, "-f");
	record_args_add_probes(args, s);
	/* What follows -A is for the guest; our probes are of this kernel. */
	for (size_t i = 0; i < s->opt->n_agents; i++) {
		record_args_add(args, "-A");
		record_args_add(args, "%s", s->opt->agents[i]);
		record_args_add_events(args, s, "-f");
	}
}

/* Whether its instance is there with the last event enabled and tracing on. */
static bool is_recording(const struct record_session *s)
{
	struct tracefs_instance *instance;
	const struct record_event *last = &s->events.list[s->events.n - 1];
	bool on;

	if (!tracefs_instance_exists(s->name))
		return false;
	instance = tracefs_instance_alloc(NULL, s->name);
	on = instance && tracefs_trace_is_on(instance) == 1 &&
	     tracefs_event_is_enabled(instance, last->system, last->name) == TRACEFS_ALL_ENABLED;
	if (instance)
		tracefs_instance_free(instance);
	return on;
}

static int tracecmd_start(struct record_session *s, struct error *err)
{
	struct tracecmd_state *state = calloc(1, sizeof(*state));
	struct record_args args = { 0 };
	unsigned waited = 0;
	int status;

	if (!state)
		return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	s->state = state;
	record_tracecmd_args(&args, s);
	status = args.failed ? error_set(err, ERROR_ENVIRONMENT, "record: out of memory")
			     : record_command_spawn(&state->program, args.words, NULL, err);
	record_args_free(&args);
	while (!status && !is_recording(s)) {
		if (record_command_wait(&state->program, 20) || (waited += 20) >= READY_MS)
			status = explain(s, err);
	}
	if (status) {
		free_state(s);
		remove_parts(s);
	}
	return status;
}

static int tracecmd_annotate(struct record_session *s, char *const *lines, size_t n,
			     struct error *err)
{
	struct tracefs_instance *instance = tracefs_instance_alloc(NULL, s->name);
	int status = instance ? 0 : -1;

	for (size_t i = 0; i < n && !status; i++)
		if (tracefs_instance_file_write(instance, "trace_marker", lines[i]) < 0)
			status = -1;
	if (status)
		(void)error_set(err, ERROR_ENVIRONMENT, "trace-cmd: trace_marker of '%s': %s",
				s->name, strerror(errno));
	if (instance)
		tracefs_instance_free(instance);
	return status;
}

static int tracecmd_watch(struct record_session *s)
{
	(void)s;
	return -1; /* SIGCHLD wakes us */
}

static int tracecmd_check(struct record_session *s, struct error *err)
{
	struct tracecmd_state *state = s->state;

	if (!record_command_ended(&state->program))
		return 0;
	record_command_said(&state->program, s->program, sizeof(s->program));
	return error_set(err, ERROR_ENVIRONMENT, "trace-cmd: stopped recording: %s", s->program);
}

static void tracecmd_progress(struct record_session *s, struct record_progress *p)
{
	*p = (struct record_progress){ 0 };
	for (uint32_t cpu = 0; cpu < s->machine.cpus; cpu++) {
		char path[4096];
		struct stat st;

		(void)snprintf(path, sizeof(path), "%s.%s.cpu%" PRIu32, s->output, s->name, cpu);
		if (stat(path, &st) == 0)
			p->bytes += (uint64_t)st.st_size;
	}
}

static int tracecmd_stop(struct record_session *s, struct error *err)
{
	struct tracecmd_state *state = s->state;
	int status = 0;

	if (record_command_ended(&state->program)) {
		status = tracecmd_check(s, err);
		free_state(s);
		remove_parts(s);
		return status;
	}
	(void)kill(state->program.pid, SIGINT);
	while (!record_command_wait(&state->program, 200))
		if (s->give_up(s->give_up_arg))
			break;
	record_command_said(&state->program, s->program, sizeof(s->program));
	if (state->program.pid ||
	    (WIFEXITED(state->program.status) && WEXITSTATUS(state->program.status)))
		status = error_set(err, ERROR_ENVIRONMENT, "trace-cmd: %s", s->program);
	free_state(s);
	return status;
}

static void tracecmd_abandon(struct record_session *s)
{
	if (!s->state)
		return;
	free_state(s);
	remove_parts(s);
	(void)unlink(s->output);
}

const struct record_backend record_tracecmd = {
	.name = "trace-cmd",
	.default_output = "trace.dat",
	.probe = tracecmd_probe,
	.start = tracecmd_start,
	.annotate = tracecmd_annotate,
	.watch = tracecmd_watch,
	.check = tracecmd_check,
	.progress = tracecmd_progress,
	.stop = tracecmd_stop,
	.abandon = tracecmd_abandon,
};
