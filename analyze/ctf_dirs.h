/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_dirs.h - which directories in and below a path are CTF traces: those with a file `metadata`. */
#ifndef TLBTRACE_CTF_DIRS_H
#define TLBTRACE_CTF_DIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/error.h"

/*
 * Deeper, and of more, than any tracer makes (LTTng's are up to 4 deep): what is beyond is not looked
 * at, nor what is on another file system or behind a symbolic link.
 */
#define CTF_DIRS_DEPTH 5
#define CTF_DIRS_ENTRIES 4096 /* outside of traces */
#define CTF_DIRS_MAX 256

struct ctf_dirs {
	char *paths[CTF_DIRS_MAX]; /* owned */
	uint32_t n;
	uint64_t files; /* data stream files in them that are not empty */
	uint64_t bytes; /* of these */
};

/* Fills *dirs, in the order of the names. Returns 0, or -1 with *err filled: also where there are more
 * entries, which could be traces, than are looked at. */
int ctf_dirs_find(struct ctf_dirs *dirs, const char *path, struct error *err);

/* Whether there is one; reads no file. */
bool ctf_dirs_any(const char *path);

void ctf_dirs_free(struct ctf_dirs *dirs);

#endif
