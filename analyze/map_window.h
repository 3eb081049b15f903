/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_window.h - giving back what of a mapped file was read, so that one of any size takes little
 * memory.
 */
#ifndef TLBTRACE_MAP_WINDOW_H
#define TLBTRACE_MAP_WINDOW_H

#include <stdint.h>

#include "analyze/source_file.h"

#define MAP_WINDOW_BYTES (UINT64_C(4) << 20) /* given back at a time */

struct map_window {
	const uint8_t *data; /* NULL: nothing is mapped, and nothing is done */
	uint64_t size;
	uint64_t dropped; /* pages before this were given back */
};

/* The reader of the file begins at `at`. */
struct map_window map_window_start(const struct source_file *file, uint64_t at);

/* Gives back the pages before `at`: they are read again where need be. */
void map_window_slide(struct map_window *window, uint64_t at);

/* The reader is at `at` now: cheap as long as that is no news. */
static inline void map_window_move(struct map_window *window, uint64_t at)
{
	if (window->data && at >= window->dropped + MAP_WINDOW_BYTES)
		map_window_slide(window, at);
}

#endif
