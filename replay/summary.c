/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c - what a summary owns. */
#include "replay/summary.h"

#include <stdlib.h>

static void free_group(struct summary_group *g)
{
	free(g->events);
	free(g->mms);
	free(g->classes);
	for (size_t i = 0; i < TRIMS; i++) {
		free((void *)g->masks.totals[i].trims_to);
		free((void *)g->masks.totals[i].global_to);
		free((void *)g->masks.shots_to[i]);
	}
	free((void *)g->masks.rows);
	free(g->vms);
	free(g->loads_of_cpu);
}

void summary_free(struct summary *s)
{
	for (size_t i = 0; i < s->n_groups; i++)
		free_group(&s->groups[i]);
	free(s->groups);
	free(s->ids);
	*s = (struct summary){ .n_groups = 0 };
}
