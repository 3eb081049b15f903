/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.c - one observer that hands everything to several. */
#include "replay/watch.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/run.h"
#include "analyze/source.h"
#include "analyze/vcpu.h"

struct watch {
	bool wants_vcpus;
	struct follower *follower;
	struct observer follow;
	struct vcpu_watch *vcpus;
	struct e500mc *e500mc;
	uint32_t guessed;
};

struct watch *watch_new(bool vcpus)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (w)
		w->wants_vcpus = vcpus;
	return w;
}

struct watch *watch_of(struct follower *follower, struct e500mc *e500mc, uint32_t guessed)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (w)
		*w = (struct watch){ .follower = follower, .e500mc = e500mc, .guessed = guessed };
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	follower_free(w->follower);
	vcpu_watch_free(w->vcpus);
	e500mc_free(w->e500mc);
	free(w);
}

static bool take_load(void *arg, uint32_t cpu, uint32_t vm, int32_t vcpu)
{
	return e500mc_load(arg, cpu, vm, vcpu);
}

static bool begin_vcpus(struct watch *w, const struct source *src)
{
	w->e500mc = e500mc_new(source_info(src)->cpus);
	if (!w->e500mc)
		return false;
	w->vcpus = vcpu_watch_new(src, take_load, w->e500mc);
	return w->vcpus;
}

static bool begin(void *arg, const struct source *src)
{
	struct watch *w = arg;

	if (w->wants_vcpus && !begin_vcpus(w, src))
		return false;
	if (strncmp(source_info(src)->arch, "x86", 3) == 0)
		return true;
	w->follower = follower_new(TRIM_V5_12, NULL, NULL);
	if (!w->follower)
		return false;
	w->follow = follower_observer(w->follower);
	return w->follow.begin(w->follow.arg, src);
}

static bool take_item(void *arg, const struct run_item *item)
{
	struct watch *w = arg;

	if (w->vcpus && !item->is_run && !vcpu_watch_event(w->vcpus, &item->event))
		return false;
	return !w->follower || w->follow.item(w->follow.arg, item);
}

static bool take_flush(void *arg, struct flush *f)
{
	struct watch *w = arg;

	return !w->follower || w->follow.flush(w->follow.arg, f);
}

/* Short memory at the very end leaves the last loads out. */
static void end(void *arg)
{
	struct watch *w = arg;

	if (w->vcpus) {
		(void)vcpu_watch_finish(w->vcpus);
		w->guessed = vcpu_watch_guessed(w->vcpus);
		vcpu_watch_free(w->vcpus);
		w->vcpus = NULL;
	}
	if (w->follower)
		w->follow.end(w->follow.arg);
}

struct observer watch_observer(struct watch *w)
{
	return (struct observer){ w, begin, take_item, take_flush, end };
}

const struct follower *watch_follower(const struct watch *w)
{
	return w ? w->follower : NULL;
}

const struct e500mc *watch_vcpus(const struct watch *w)
{
	return w ? w->e500mc : NULL;
}

uint32_t watch_guessed(const struct watch *w)
{
	return w->guessed;
}
