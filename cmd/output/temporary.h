/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temporary.h - outputs that appear whole or not at all: written under another name, then renamed.
 *
 * While one is open, SIGINT, SIGTERM and SIGHUP remove it before they end the program as they always
 * do; signals that are ignored or handled otherwise stay what they are.
 */
#ifndef TLBTRACE_CMD_OUTPUT_TEMPORARY_H
#define TLBTRACE_CMD_OUTPUT_TEMPORARY_H

#include <sys/types.h>

/* All zero: none. */
struct temporary {
	char *path; /* beside the output; NULL: none is open */
	unsigned int slot;
};

/* An empty file with the permissions `mode`. Returns its descriptor, or -1 with errno set. */
int temporary_file(struct temporary *t, const char *output, mode_t mode);

/* An empty directory. Returns 0, or -1 with errno set. */
int temporary_directory(struct temporary *t, const char *output);

/* Gives the file its name. Returns 0, or -1 with errno set: then it is still to be dropped. */
int temporary_keep(struct temporary *t, const char *output);

/* Removes the file, or the directory with all that is in it; nothing where none is open. */
void temporary_drop(struct temporary *t);

/*
 * A child that writes to what is open: those signals kill it before they remove that, and it does not
 * outlive us otherwise. One at a time. As fork() and waitpid().
 */
pid_t temporary_fork(void);
int temporary_wait(int *status);

#endif
