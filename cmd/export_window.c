/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_window.c - rows in order of time, with bounded memory. */
#include <stdlib.h>

#include "cmd/export.h"

static bool earlier(const struct export_row *a, const struct export_row *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->cpu < b->cpu;
}

static void swap(struct export_row *a, struct export_row *b)
{
	struct export_row old = *a;

	*a = *b;
	*b = old;
}

static void sift_up(struct export_window *w, size_t at)
{
	while (at > 0 && earlier(&w->heap[at], &w->heap[(at - 1) / 2])) {
		swap(&w->heap[at], &w->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct export_window *w)
{
	size_t at = 0;

	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < w->n && earlier(&w->heap[child], &w->heap[least]))
				least = child;
		if (least == at)
			return;
		swap(&w->heap[at], &w->heap[least]);
		at = least;
	}
}

static void write_first(struct export_window *w)
{
	const struct export_row *row = &w->heap[0];

	if (row->time_ns < w->last_ns)
		w->late++;
	else
		w->last_ns = row->time_ns;
	w->row(w->to, row);
	w->heap[0] = w->heap[--w->n];
	sift_down(w);
}

bool export_window_add(struct export_window *w, const struct export_row *row)
{
	if (w->n == EXPORT_WINDOW)
		write_first(w);
	if (w->n == w->room) {
		size_t room = w->room ? w->room * 2 : 256;
		struct export_row *grown = reallocarray(w->heap, room, sizeof(*grown));

		if (!grown)
			return false;
		w->heap = grown;
		w->room = room;
	}
	w->heap[w->n] = *row;
	sift_up(w, w->n++);
	return true;
}

void export_window_finish(struct export_window *w)
{
	while (w->n)
		write_first(w);
	free(w->heap);
	w->heap = NULL;
	w->room = 0;
}
