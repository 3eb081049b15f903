/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drain.h - what fuzz targets of a source do with it, and hold it to. */
#ifndef TLBTRACE_FUZZ_DRAIN_H
#define TLBTRACE_FUZZ_DRAIN_H

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/source.h"

static inline void must(int holds)
{
	if (!holds)
		__builtin_trap();
}

/* Reads the source at path to its end: what source.h promises must hold. */
static inline void drain(const char *path)
{
	struct error err = { .class = ERROR_NONE };
	struct source *src = source_open(path, &err);
	const struct source_info *info;
	struct event ev;

	if (!src) {
		must(err.class != ERROR_NONE && err.text[0]);
		return;
	}
	info = source_info(src);
	for (uint32_t cpu = 0; cpu < info->cpus; cpu++) {
		uint64_t last_ns = 0;

		while (source_next(src, cpu, &ev, &err) > 0) {
			must(ev.kind <= EVENT_LOST && ev.cpu == cpu && ev.time_ns >= last_ns);
			last_ns = ev.time_ns;
		}
	}
	info = source_info(src);
	must(!info->truncated || info->truncated_text[0]);
	for (size_t i = 0; i < info->n_counts; i++)
		must(info->counts[i].name[sizeof(info->counts[i].name) - 1] == '\0');
	(void)source_comm(src, 1);
	(void)source_tgid(src, 1);
	source_close(src);
}

/* Calls fn with the path of a file that holds the bytes. */
static inline void with_file(const uint8_t *data, size_t size, void (*fn)(const char *path))
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[40];

	if (fd < 0)
		return;
	if (write(fd, data, size) == (ssize_t)size) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		fn(path);
	}
	close(fd);
}

#endif
