/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_cleanup.h - what recordings put into tracefs: whose it is, and how it goes away.
 *
 * An instance "tlbtrace-PID" belongs to the process that holds a lock (flock) on its tracing_on
 * file; the kernel lets go of the lock when that process ends, however it ends. Probes in a group
 * "tlbtrace_PID" belong to the instance with the same number, or where there is none to that
 * process.
 */
#ifndef TLBTRACE_RECORD_CLEANUP_H
#define TLBTRACE_RECORD_CLEANUP_H

#include "analyze/error.h"

#define RECORD_INSTANCE_PREFIX "tlbtrace-"
#define RECORD_GROUP_PREFIX "tlbtrace_"

/* An own instance: open directories, so that it can be removed even where tracefs is unmounted. */
struct record_instance {
	char name[48];
	int instances_fd; /* the directory that it is in */
	int dir_fd;	  /* its own */
	int lock_fd;	  /* its tracing_on */
};

/* Makes it and takes its lock, with tracing off. Returns 0, or -1 with *err and nothing left. */
int record_instance_make(struct record_instance *i, const char *name, struct error *err);

/* Writes to one of its files. Returns 0, or -1 with errno set. */
int record_instance_write(const struct record_instance *i, const char *file, const char *text);

/* Reads one of its files from the start: text to free, NULL with errno set. */
char *record_instance_read(const struct record_instance *i, const char *file);

/* Stops tracing and removes it; nobody may have its files open. Returns 0, or -1 with errno set. */
int record_instance_remove(struct record_instance *i);

/* An instance that is none yet. */
#define RECORD_NO_INSTANCE ((struct record_instance){ "", -1, -1, -1 })

/*
 * Removes the instances and probes of recordings that were killed. Returns how many; those that
 * will not go are named in *err, whose class stays ERROR_NONE otherwise.
 */
unsigned record_remove_leftovers(struct error *err);

#endif
