/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_run.c - one recording from its plan to its end, whichever way it ends. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/record/record.h"
#include "cmd/record/record_cleanup.h"
#include "cmd/record/record_command.h"
#include "cmd/record/record_meta.h"
#include "cmd/record/trace_dat_write.h"

#define TICK_MS 1000

/* In the order in which they are tried: ours needs least. */
#define BACKENDS 3
static const struct record_backend *const backends[BACKENDS] = {
	&record_tracefs,
	&record_perf,
	&record_tracecmd,
};

struct run {
	struct record_session s;
	struct record_meta meta;
	struct record_command command;
	struct record_progress last;
	int *pid_fds; /* of -p */
	size_t pids_left;
	int signal_fd;
	bool interrupted;
	bool given_up; /* interrupted again */
	uint64_t start_ms;
	uint64_t end_ms;  /* of recording: finishing the file comes after it */
	uint64_t last_ms; /* of the live line */
};

void record_note(const struct record_session *s, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (s->opt->quiet)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	message(text);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* A signal that asks us to end, if one is waiting. */
static bool take_signal(struct run *r)
{
	struct signalfd_siginfo info;
	bool asked = false;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		asked = true;
		/* From a terminal, the command has it already. */
		if (info.ssi_code == SI_USER)
			record_command_signal(&r->command, (int)info.ssi_signo);
	}
	return asked;
}

static bool asked_again(void *arg)
{
	struct run *r = arg;

	if (r->interrupted && take_signal(r))
		r->given_up = true;
	return r->given_up;
}

static int catch_signals(struct run *r, struct error *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGCHLD);
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || signal(SIGPIPE, SIG_IGN) == SIG_ERR ||
	    sigprocmask(SIG_BLOCK, &set, NULL))
		return error_set(err, ERROR_ENVIRONMENT, "record: signals: %s", strerror(errno));
	r->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (r->signal_fd < 0)
		return error_set(err, ERROR_ENVIRONMENT, "record: signals: %s", strerror(errno));
	return 0;
}

static int check_tracefs(struct error *err)
{
	const char *dir = tracefs_tracing_dir();
	char *events;
	int status;

	if (!dir)
		return error_set(err, ERROR_ENVIRONMENT, "no tracefs: %s",
				 geteuid() ? "run it as root"
					   : "mount -t tracefs nodev /sys/kernel/tracing");
	events = tracefs_get_tracing_file("events");
	status = events ? access(events, R_OK | X_OK) : -1;
	tracefs_put_tracing_file(events);
	if (status)
		return error_set(err, ERROR_ENVIRONMENT, "%s: %s%s", dir, strerror(errno),
				 geteuid() ? ": run it as root" : "");
	return 0;
}

static int find_events(struct record_session *s, struct error *err)
{
	unsigned roles = ~0U;

	if (check_tracefs(err))
		return -1;
	if (s->opt->requests == REQUESTS_ONLY)
		roles = 1U << ROLE_TASK | 1U << ROLE_EXTRA;
	return record_events_find(&s->events, &s->machine, roles, s->opt->extra, s->opt->n_extra,
				  err);
}

/* Whether what will be recorded has flushes at all; explains if not. */
static int check_flushes(const struct record_session *s, struct error *err)
{
	const struct record_machine *m = &s->machine;

	if (record_events_have(&s->events, ROLE_FLUSH) || s->probes.n)
		return 0;
	if (m->arch == ARCH_OTHER)
		return error_set(err, ERROR_ENVIRONMENT,
				 "record: %s kernels have no event for TLB flushes", m->machine);
	return error_set(err, ERROR_ENVIRONMENT,
			 "record: this kernel (%s) has no event %s: it needs v4.13 or later and "
			 "CONFIG_TRACEPOINTS",
			 m->kernel, m->arch == ARCH_X86 ? "tlb:tlb_flush" : "powerpc:tlbie");
}

static void note_blind_spots(const struct record_session *s)
{
	const struct record_machine *m = &s->machine;

	if (m->guest && !strcmp(m->mmu, "hash"))
		record_note(s, "this guest has the hash MMU: it flushes by hypervisor calls, which "
			       "powerpc:tlbie does not see");
	else if (m->guest && !m->gtse && !s->probes.n)
		record_note(s, "this guest flushes by H_RPT_INVALIDATE; its global flushes are not "
			       "traced: use --requests=on");
	if (m->arch != ARCH_OTHER && !m->debugfs)
		record_note(s, "the ceilings are not noted: %s", m->debugfs_why);
}

static int define_probes(struct record_session *s, struct error *err)
{
	char group[40];
	struct error why;

	if (s->opt->requests == REQUESTS_OFF)
		return 0;
	(void)snprintf(group, sizeof(group), RECORD_GROUP_PREFIX "%d", (int)getpid());
	if (record_probes_define(&s->probes, &s->machine, group, &why) == 0)
		return 0;
	if (s->opt->requests != REQUESTS_AUTO) {
		*err = why;
		return -1;
	}
	if (s->opt->verbose)
		record_note(s, "%s", why.text);
	return 0;
}

static int name_output(struct record_session *s, struct error *err)
{
	free(s->output);
	s->output = strdup(s->opt->output ? s->opt->output : s->backend->default_output);
	return s->output ? 0 : error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
}

static int try_backend(struct record_session *s, const struct record_backend *backend,
		       struct error *err)
{
	s->backend = backend;
	if (name_output(s, err) || backend->probe(s, err))
		return -1;
	return s->opt->dry_run ? 0 : backend->start(s, err);
}

/* Whether files can be made where the recording goes; otherwise every backend would fail alike. */
static int check_output(const struct record_options *opt, struct error *err)
{
	int fd = trace_dat_scratch(opt->output ? opt->output : "trace.dat", err);

	if (fd < 0)
		return -1;
	(void)close(fd);
	return 0;
}

/* The first backend that works, or the one that was asked for. */
static int start(struct record_session *s, struct error *err)
{
	struct error why[BACKENDS];

	if (check_output(s->opt, err))
		return -1;

	for (size_t i = 0; i < BACKENDS; i++) {
		bool named = s->opt->with && !strcmp(s->opt->with, backends[i]->name);

		why[i].class = ERROR_NONE;
		if (s->opt->with && !named)
			continue;
		if (try_backend(s, backends[i], &why[i]) == 0)
			return 0;
		s->backend = NULL;
		if (named || s->hopeless) {
			*err = why[i];
			return -1;
		}
	}
	for (size_t i = 0; i < BACKENDS; i++)
		message(why[i].text);
	(void)error_set(err, ERROR_ENVIRONMENT, "record: none of %s, %s and %s can record here",
			backends[0]->name, backends[1]->name, backends[2]->name);
	return -1;
}

/* Processes of -p, so that the recording ends with the last of them. */
static int open_pids(struct run *r, struct error *err)
{
	const struct record_options *opt = r->s.opt;

	r->pid_fds = calloc(opt->n_pids + 1, sizeof(*r->pid_fds));
	if (!r->pid_fds)
		return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	for (; r->pids_left < opt->n_pids; r->pids_left++) {
		pid_t pid = opt->pids[r->pids_left];
		int fd = (int)syscall(SYS_pidfd_open, pid, 0);

		if (fd < 0)
			return error_set(err, ERROR_ENVIRONMENT, "-p %d: %s", (int)pid,
					 errno == ESRCH ? "there is no such process"
							: strerror(errno));
		r->pid_fds[r->pids_left] = fd;
	}
	return 0;
}

static void live_line(struct run *r)
{
	uint64_t now = now_ms();
	struct record_progress p;
	double seconds;

	if (r->s.opt->quiet || !isatty(STDERR_FILENO) || now - r->last_ms < TICK_MS)
		return;
	seconds = (double)(now - r->last_ms) / 1000;
	r->s.backend->progress(&r->s, &p);
	(void)fprintf(stderr,
		      "\r\033[Krecording %" PRIu64 " s: %.0f flush events/s, %.1f MB, %" PRIu64
		      " lost",
		      (now - r->start_ms) / 1000, (double)(p.flushes - r->last.flushes) / seconds,
		      (double)p.bytes / 1e6, p.lost);
	r->last = p;
	r->last_ms = now;
}

static void clear_line(const struct run *r)
{
	if (!r->s.opt->quiet && isatty(STDERR_FILENO))
		(void)fputs("\r\033[K", stderr);
}

static int time_left_ms(const struct run *r)
{
	uint64_t limit = r->s.opt->duration_ms;
	uint64_t spent = now_ms() - r->start_ms;

	if (!limit)
		return TICK_MS;
	if (spent >= limit)
		return 0;
	return limit - spent < TICK_MS ? (int)(limit - spent) : TICK_MS;
}

/* Drops the processes of -p that have ended. */
static void forget_ended(struct run *r, const struct pollfd *fds)
{
	size_t left = 0;

	for (size_t i = 0; i < r->pids_left; i++)
		if (fds[i].revents)
			(void)close(r->pid_fds[i]);
		else
			r->pid_fds[left++] = r->pid_fds[i];
	r->pids_left = left;
}

/* Sleeps until something happens. */
static void wait_a_little(struct run *r, struct pollfd *fds)
{
	nfds_t n = (nfds_t)r->pids_left;
	size_t pids = r->pids_left;

	for (size_t i = 0; i < pids; i++)
		fds[i] = (struct pollfd){ .fd = r->pid_fds[i], .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = r->signal_fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = r->s.backend->watch(&r->s), .events = POLLIN };
	if (poll(fds, n, time_left_ms(r)) > 0)
		forget_ended(r, fds);
}

/* Until the command or the processes end, the time is over, a signal comes, or something fails. */
static int record(struct run *r, struct error *err)
{
	const struct record_options *opt = r->s.opt;
	struct pollfd *fds = calloc(r->pids_left + 2, sizeof(*fds));
	int status = 0;

	if (!fds)
		return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	while (!status && !r->interrupted) {
		wait_a_little(r, fds);
		r->interrupted = take_signal(r);
		status = r->s.backend->check(&r->s, err);
		if ((opt->command && record_command_ended(&r->command)) ||
		    (opt->n_pids && !r->pids_left) || !time_left_ms(r))
			break;
		live_line(r);
	}
	clear_line(r);
	free(fds);
	return status;
}

/* From the first event to the last. What fails first is what is told. */
static int record_and_stop(struct run *r, struct error *err)
{
	struct record_session *s = &r->s;
	struct error later;
	int status;

	r->start_ms = r->last_ms = now_ms();
	status = s->backend->annotate(s, r->meta.lines, r->meta.n, err);
	if (!status && s->opt->command)
		status = record_command_release(&r->command, err);
	if (status) {
		s->backend->abandon(s);
		return -1;
	}
	status = record(r, err);
	r->end_ms = now_ms();
	record_probes_count(&s->probes);
	if (s->backend->stop(s, status ? &later : err))
		status = -1;
	return status;
}

static int exit_code(const struct run *r)
{
	int status = r->command.status;

	if (r->interrupted)
		return ERROR_INTERRUPTED;
	if (!r->s.opt->command)
		return EXIT_DONE;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void note_leftovers(const struct record_session *s)
{
	struct error err;
	unsigned n = record_remove_leftovers(&err);

	if (n)
		record_note(s, "removed %u %s that a killed recording had left in tracefs", n,
			    n == 1 ? "thing" : "things");
	if (err.class != ERROR_NONE)
		record_note(s, "%s", err.text);
}

static int plan(struct run *r, struct error *err)
{
	struct record_session *s = &r->s;

	record_machine_find(&s->machine);
	(void)snprintf(s->name, sizeof(s->name), RECORD_INSTANCE_PREFIX "%d", (int)getpid());
	s->buffer_kb = s->opt->buffer_kb ? s->opt->buffer_kb : record_machine_buffer_kb(&s->machine);
	s->give_up = asked_again;
	s->give_up_arg = r;
	return find_events(s, err);
}

static int prepare(struct run *r, struct error *err)
{
	struct record_session *s = &r->s;

	note_leftovers(s);
	if (open_pids(r, err) || define_probes(s, err) || check_flushes(s, err) ||
	    record_meta_find(&r->meta, &s->machine, s->opt->requests == REQUESTS_ONLY, err))
		return -1;
	note_blind_spots(s);
	if (s->opt->command && record_command_hold(&r->command, s->opt->command, err))
		return -1;
	return start(s, err);
}

static int run_recording(struct run *r, struct error *err)
{
	int status;

	if (catch_signals(r, err) || prepare(r, err))
		return -1;
	status = record_and_stop(r, err);
	record_command_end(&r->command);
	if (!status && !r->s.opt->quiet)
		record_summary(&r->s, (double)(r->end_ms - r->start_ms) / 1000);
	return status;
}

static void clean_up(struct run *r)
{
	record_command_end(&r->command);
	if (record_probes_remove(&r->s.probes))
		record_note(&r->s, "some probes of group '%s' cannot be removed", r->s.probes.group);
	for (size_t i = 0; i < r->pids_left; i++)
		(void)close(r->pid_fds[i]);
	if (r->signal_fd >= 0)
		(void)close(r->signal_fd);
	free(r->pid_fds);
	record_meta_free(&r->meta);
	record_events_free(&r->s.events);
	free(r->s.output);
}

int record_run(const struct record_options *opt, struct error *err)
{
	struct run r = { .s.opt = opt, .command = RECORD_NO_COMMAND, .signal_fd = -1 };
	int status = plan(&r, err);

	if (!status && opt->list)
		status = record_list(&r.s, err);
	else if (!status && opt->dry_run)
		status = start(&r.s, err) || record_dry_run(&r.s, err);
	else if (!status)
		status = run_recording(&r, err);
	clean_up(&r);
	if (status && !r.given_up)
		return (int)err->class;
	return exit_code(&r);
}
