/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata.h - what `tlbtrace record` noted of the machine: text in a trace's markers, or in FILE.tlbmeta.
 *
 * Each line is "tlbtrace: version=1 KEY=VALUE KEY=VALUE …". In values, bytes that are not printable
 * ASCII, and ' ', ',', ':' and '%', stand as %XX. Keys of version 1:
 *   kernel, arch, cpu, revision, mmu (radix|hash), guest (yes|no), gtse (on|off), cpus,
 *   page-size (bytes), thp (always|madvise|never|none: not configured), ceiling, local-ceiling,
 *   tlbie (on|off): as --recorded takes them, where the kernel has them;
 *   unread=PATH: what may not be read here, such as debugfs under lockdown;
 *   requests=only: instructions were not recorded;
 *   tasks=TID:TGID:MM:NAME,…: tasks when recording began. Tasks with the same MM (the tgid of one of
 *   its users) share an address space; 0 is a kernel thread.
 * A key that is not known is kept; a line of another version is passed over.
 */
#ifndef TLBTRACE_METADATA_H
#define TLBTRACE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/event.h"
#include "analyze/params.h"

#define METADATA_PREFIX "tlbtrace: version=1 "
#define METADATA_SUFFIX ".tlbmeta" /* appended to a file's name: its side file */

struct metadata_pair {
	char *key; /* owned; the value stands behind its NUL */
	const char *value;
};

struct metadata_task {
	int32_t tid;
	int32_t tgid;
	int32_t mm; /* 0: none */
	char comm[COMM_LEN];
};

/* All zero is empty. */
struct metadata {
	struct metadata_pair *pairs;
	size_t n_pairs;
	struct metadata_task *tasks;
	size_t n_tasks;
	uint64_t n_lines;  /* taken */
	uint64_t unusable; /* of another version, or malformed in parts */
};

/*
 * Takes a marker's text, if it is one of ours: then true. It need not be terminated. What is malformed
 * in it is counted and the rest used; where memory is short, the rest is left out.
 */
bool metadata_take(struct metadata *m, const char *text, size_t len);

/*
 * Takes the lines of the side file of the trace at path. Returns 1, 0 if there is none, -1 with *err
 * filled (ERROR_INPUT) if it cannot be read.
 */
int metadata_take_side_file(struct metadata *m, const char *path, struct error *err);

/* The last value given for a key; NULL if there is none. Lives as long as *m, until the next take. */
const char *metadata_value(const struct metadata *m, const char *key);

/*
 * What the metadata tells of a parameter, as infer.c wants it: true with *value set. Beside the keys
 * that are parameters, fixups and sets follow from the processor and its revision, and thp-pass from
 * thp (policies 1.6, 1.8, 2.9).
 */
bool metadata_param(const struct metadata *m, enum param id, uint64_t *value);

/* Writes a value as it stands in a line; cut where to is too small. Returns its length. */
size_t metadata_escape(char *to, size_t size, const char *value);

void metadata_free(struct metadata *m);

#endif
