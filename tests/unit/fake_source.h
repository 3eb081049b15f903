/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_source.h - a source without a file, for what needs one only to ask names and thread groups.
 */
#ifndef TLBTRACE_TESTS_FAKE_SOURCE_H
#define TLBTRACE_TESTS_FAKE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/source_ops.h"

/* What the fake file's tables say of one task. */
struct fake_task {
	int32_t tid;
	int32_t tgid; /* -1: not told */
	const char *comm;
};

struct fake_source {
	struct source src; /* first: the operations cast */
	struct source_info info;
	const struct fake_task *tasks;
	size_t n_tasks;
};

/* Its streams are empty. tasks must outlive *fake; nothing has to be closed. */
void fake_source_init(struct fake_source *fake, const struct fake_task *tasks, size_t n_tasks);

#endif
