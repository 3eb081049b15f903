/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_dirs.h - which directories in and below a path are CTF traces: those with a file `metadata`. */
#ifndef TLBTRACE_CTF_DIRS_H
#define TLBTRACE_CTF_DIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/error.h"

/* Deeper, and of more, than any tracer makes: what is beyond is not looked at. */
#define CTF_DIRS_DEPTH 8
#define CTF_DIRS_MAX 256

struct ctf_dirs {
	char *paths[CTF_DIRS_MAX]; /* owned */
	uint32_t n;
	uint64_t files; /* data stream files in them that are not empty */
	uint64_t bytes; /* of these */
};

/* Fills *dirs, in the order of the names. Returns 0, or -1 with *err filled. */
int ctf_dirs_find(struct ctf_dirs *dirs, const char *path, struct error *err);

/* Whether there is one; reads no file. */
bool ctf_dirs_any(const char *path);

void ctf_dirs_free(struct ctf_dirs *dirs);

#endif
