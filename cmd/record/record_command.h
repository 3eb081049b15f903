/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_command.h - processes that a recording starts: the COMMAND, held at a gate until recording
 * has begun, and the programs that record.
 */
#ifndef TLBTRACE_RECORD_COMMAND_H
#define TLBTRACE_RECORD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "analyze/error.h"

struct record_command {
	const char *name;
	pid_t pid;   /* 0: none, or reaped */
	pid_t group; /* of a spawned program and its children; 0: none of its own */
	int gate_fd; /* written to: it may run; -1: open */
	int exec_fd; /* errno comes out of it if it cannot run */
	int out_fd;  /* what it says, where that was asked for; else -1 */
	int status;  /* as of waitpid, once reaped */
};

#define RECORD_NO_COMMAND ((struct record_command){ NULL, 0, 0, -1, -1, -1, 0 })

/* Forks; the child waits at its gate. Signals are the child's defaults. */
int record_command_hold(struct record_command *c, char **argv, struct error *err);

/* Opens the gate. Fails if there is no such program. */
int record_command_release(struct record_command *c, struct error *err);

/*
 * Starts a program that records: in its own process group, told to end (SIGINT) when we die, what it
 * says kept for record_command_said. keep are descriptors, ending with -1, that it inherits; may be
 * NULL.
 */
int record_command_spawn(struct record_command *c, char **argv, const int *keep, struct error *err);

/* True once it has ended; c->status is set then. */
bool record_command_ended(struct record_command *c);

/* Waits until it has ended, at most so long; false: it has not. */
bool record_command_wait(struct record_command *c, unsigned timeout_ms);

/* The last line of what a spawned program said, without its newline; where it was ended by a signal or
 * said nothing, that. */
void record_command_said(struct record_command *c, char *to, size_t size);

/* Sends a signal to it; to its whole group if it was spawned. */
void record_command_signal(const struct record_command *c, int signal);

/* Ends it, if need be by SIGKILL, and reaps it. */
void record_command_end(struct record_command *c);

#endif
