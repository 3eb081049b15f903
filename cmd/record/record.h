/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - what is asked of `tlbtrace record`, and the parts that a recording is made of.
 */
#ifndef TLBTRACE_RECORD_H
#define TLBTRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyze/error.h"
#include "cmd/record/record_events.h"
#include "cmd/record/record_machine.h"
#include "cmd/record/record_requests.h"

enum record_requests {
	REQUESTS_AUTO, /* where the kernel allows it */
	REQUESTS_ON,
	REQUESTS_OFF,
	REQUESTS_ONLY, /* and not the instructions */
};

struct record_options {
	const char *output;	  /* NULL: trace.dat, or perf.data with perf */
	const char *with;	  /* a backend's name; NULL: the first that works */
	const char *const *extra; /* -e: n_extra words SYSTEM:EVENT, patterns allowed */
	size_t n_extra;
	const char *const *agents; /* --agent: n_agents guests, as trace-cmd -A takes them */
	size_t n_agents;
	const pid_t *pids; /* -p: only these processes and their children; none: the whole system */
	size_t n_pids;
	enum record_requests requests;
	uint64_t buffer_kb;    /* per CPU; 0: chosen by the machine's memory */
	uint64_t duration_ms;  /* 0: no limit */
	unsigned file_version; /* of trace.dat: 7 or 6 */
	char **command;	       /* ends with NULL; NULL: none */
	bool list;
	bool dry_run;
	bool quiet;
	bool verbose;
};

/* How a recording goes, for the live line. */
struct record_progress {
	uint64_t events;  /* of every kind */
	uint64_t flushes; /* events that are instructions or flush requests; estimated */
	uint64_t lost;
	uint64_t bytes; /* written so far */
};

struct record_session {
	const struct record_options *opt;
	struct record_machine machine;
	struct record_events events; /* those that will be recorded, and those that are missing */
	struct record_probes probes; /* dynamic ones, made by this session */
	char name[48];		     /* of the tracefs instance: "tlbtrace-PID" */
	char *output;		     /* owned */
	uint64_t buffer_kb;
	bool hopeless; /* starting failed for a reason that other backends would meet too */
	const struct record_backend *backend;
	void *state; /* the backend's own */
	/* A second Ctrl-C: whether finishing the file is to be given up. */
	bool (*give_up)(void *arg);
	void *give_up_arg;
	uint64_t enough_kb; /* buffers of this size would have lost nothing; 0: nothing was lost, or unknown */
	char program[512]; /* what the program that records said last; "" */
};

/*
 * One way to record. Functions return 0, or -1 with *err filled (ERROR_ENVIRONMENT) and nothing left
 * behind: no process, instance, probe or changed setting.
 */
struct record_backend {
	const char *name;
	const char *default_output;
	/* Whether it can work here at all, without recording anything. */
	int (*probe)(struct record_session *s, struct error *err);
	/* Recording when it returns. */
	int (*start)(struct record_session *s, struct error *err);
	/* Puts lines of metadata, each with its newline, into the recording. */
	int (*annotate)(struct record_session *s, char *const *lines, size_t n, struct error *err);
	/* A descriptor that becomes readable when something is wrong; -1: none. */
	int (*watch)(struct record_session *s);
	/* What is wrong then; 0 if nothing is. */
	int (*check)(struct record_session *s, struct error *err);
	void (*progress)(struct record_session *s, struct record_progress *p);
	/* Stops and finishes the file. On failure too, what was written stays readable if it can. */
	int (*stop)(struct record_session *s, struct error *err);
	/* Stops and leaves nothing, not even a file. */
	void (*abandon)(struct record_session *s);
};

extern const struct record_backend record_tracefs;
extern const struct record_backend record_perf;
extern const struct record_backend record_tracecmd;

/* Records as asked. Returns the exit code; where that is an enum error_class, *err has the line. */
int record_run(const struct record_options *opt, struct error *err);

/* --list and --dry-run, to standard output. */
int record_list(struct record_session *s, struct error *err);
int record_dry_run(struct record_session *s, struct error *err);

/* After the recording, to standard error: what it has, and what to type next. */
void record_summary(const struct record_session *s, double seconds);

/* One line on standard error, unless -q. */
void record_note(const struct record_session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
