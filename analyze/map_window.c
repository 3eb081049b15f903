/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_window.c - giving back what of a mapped file was read. */
#include "analyze/map_window.h"

#include <sys/mman.h>

#define ALIGN (UINT64_C(64) << 10) /* any machine's pages divide it */

struct map_window map_window_start(const struct source_file *file, uint64_t at)
{
	uint64_t from = at / ALIGN * ALIGN;

	return (struct map_window){
		.data = file->mapped ? file->data : NULL,
		.size = file->size,
		.dropped = from,
	};
}

void map_window_slide(struct map_window *window, uint64_t at)
{
	uint64_t to = at / ALIGN * ALIGN;

	if (to > window->size)
		return;
	madvise((void *)(uintptr_t)(window->data + window->dropped), to - window->dropped,
		MADV_DONTNEED);
	window->dropped = to;
}
