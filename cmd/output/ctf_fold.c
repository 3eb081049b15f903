/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_fold.c - a CPU's events as export writes them. */
#include "cmd/output/ctf_fold.h"

/* Reads an event. 1, 0 at the end, -1 with *fold->err. */
static int read_event(struct ctf_fold *fold, struct event *ev)
{
	int got;

	if (fold->ended)
		return 0;
	got = source_next(fold->src, fold->cpu, ev, fold->err);
	fold->ended = got <= 0;
	return got;
}

static bool same_but_rb(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->tid == b->tid && a->tgid == b->tgid &&
	       a->flags == b->flags && a->tlbie.rs == b->tlbie.rs &&
	       a->tlbie.lpid == b->tlbie.lpid && a->tlbie.local == b->tlbie.local &&
	       a->tlbie.ric == b->tlbie.ric && a->tlbie.prs == b->tlbie.prs &&
	       a->tlbie.r == b->tlbie.r;
}

/* Whether ev is the item's next instruction. The first that follows sets the distance. */
static bool continues(const struct ctf_fold *fold, struct ctf_item *item, const struct event *ev)
{
	uint64_t distance = ev->tlbie.rb - fold->event.tlbie.rb;

	if (item->n_later == CTF_OWN_LATER_MAX || !same_but_rb(ev, &fold->event) ||
	    ev->time_ns < fold->event.time_ns || ev->time_ns - fold->event.time_ns > UINT32_MAX)
		return false;
	if (!item->n_later)
		item->step = (int64_t)distance;
	return distance == (uint64_t)item->step * (item->n_later + 1);
}

static int fold_run(struct ctf_fold *fold, struct ctf_item *item)
{
	int got;

	while ((got = read_event(fold, &fold->ahead)) > 0) {
		if (!continues(fold, item, &fold->ahead)) {
			fold->has_ahead = true;
			return 1;
		}
		item->later[item->n_later++] = (uint32_t)(fold->ahead.time_ns - fold->event.time_ns);
	}
	return got < 0 ? -1 : 1;
}

static bool set_kind(const struct ctf_lane *lane, const struct event *ev, struct ctf_item *item)
{
	for (size_t i = 0; ctf_own[i].name; i++) {
		if (ctf_own[i].kind != ev->kind)
			continue;
		item->class = lane->schema->kinds[i];
		item->members = ctf_own[i].members;
		return true;
	}
	return false;
}

int ctf_fold_next(void *arg, struct ctf_lane *lane, struct ctf_item *item)
{
	struct ctf_fold *fold = arg;
	int got = 1;

	do {
		if (fold->has_ahead)
			fold->event = fold->ahead;
		else
			got = read_event(fold, &fold->event);
		fold->has_ahead = false;
		if (got <= 0)
			return got;
	} while (!set_kind(lane, &fold->event, item));
	item->time_ns = fold->event.time_ns;
	item->from = item->of = &fold->event;
	item->is_run = fold->event.kind == EVENT_TLBIE;
	item->step = 0;
	item->n_later = 0;
	return item->is_run ? fold_run(fold, item) : 1;
}
