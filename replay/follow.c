/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.c - the observer that feeds the stateful policies. */
#include "replay/follow.h"

#include <stdlib.h>

#include "analyze/params.h"

struct follower {
	enum trim recorded;
	follow_watch watch;
	void *watch_arg;
	uint32_t cpus;
	uint64_t switches;
	struct taskstate *ts;
	struct masks *masks;
	struct lazy *lazy;
	struct follow_sums sums; /* once the trace was read */
	bool owns_sums;		 /* they came from elsewhere */
	bool no_memory;
};

struct follower *follower_new(enum trim recorded, follow_watch watch, void *arg)
{
	struct follower *f = calloc(1, sizeof(*f));

	if (f)
		*f = (struct follower){ .recorded = recorded, .watch = watch, .watch_arg = arg };
	return f;
}

struct follower *follower_of_sums(const struct follow_sums *sums)
{
	struct follower *f = calloc(1, sizeof(*f));

	if (f)
		*f = (struct follower){
			.cpus = sums->cpus,
			.switches = sums->switches,
			.sums = *sums,
			.owns_sums = true,
		};
	return f;
}

static void free_sums(struct follow_sums *s)
{
	for (unsigned kind = 0; kind < TRIMS; kind++) {
		free((void *)s->totals[kind].trims_to);
		free((void *)s->totals[kind].global_to);
		free((void *)s->shots_to[kind]);
	}
	free((void *)s->rows);
}

void follower_free(struct follower *f)
{
	if (!f)
		return;
	ts_free(f->ts);
	masks_free(f->masks);
	lazy_free(f->lazy);
	if (f->owns_sums)
		free_sums(&f->sums);
	free(f);
}

static void on_ran(void *arg, struct space *space, uint32_t cpu)
{
	struct follower *f = arg;

	masks_ran(f->masks, space, cpu);
}

static void on_switched(void *arg, uint64_t time_ns, uint32_t cpu, struct ts_task *prev,
			struct ts_task *next)
{
	struct follower *f = arg;

	f->switches++;
	lazy_switched(f->lazy, f->ts, time_ns, cpu, prev, next);
}

static void on_exited(void *arg, uint64_t time_ns, uint32_t cpu, struct ts_task *task,
		      struct space *space)
{
	struct follower *f = arg;

	lazy_exited(f->lazy, time_ns, cpu, task, space);
}

static void on_offline(void *arg, struct space *space, uint32_t cpu)
{
	struct follower *f = arg;

	masks_offline(f->masks, space, cpu);
}

static void on_died(void *arg, struct space *space, uint32_t now_cpu)
{
	struct follower *f = arg;

	lazy_died(f->lazy, f->ts, f->masks, space, now_cpu);
}

static void on_forgotten(void *arg, struct space *space)
{
	struct follower *f = arg;

	f->no_memory |= !lazy_forgotten(f->lazy, space);
}

/* By its release; one that is not named is taken for a late one, as the defaults are. */
static struct masks *masks_of(const struct source_info *info)
{
	unsigned era = era_of_release(info->kernel);
	struct params p = params_of_era(era == ERAS ? ERA_V5_14 : era);

	return masks_new(info->cpus, (enum trim)p.v[PARAM_TRIM], era != ERAS);
}

static bool begin(void *arg, const struct source *src)
{
	struct follower *f = arg;
	struct ts_hooks hooks = {
		.arg = f,
		.ran = on_ran,
		.switched = on_switched,
		.exited = on_exited,
		.offline = on_offline,
		.died = on_died,
		.forgotten = on_forgotten,
	};
	size_t mask_bytes;

	f->cpus = source_info(src)->cpus;
	f->masks = masks_of(source_info(src));
	if (!f->masks)
		return false;
	mask_bytes = masks_ext_bytes(f->masks);
	f->lazy = lazy_new(f->cpus, mask_bytes);
	if (!f->lazy)
		return false;
	f->ts = ts_new(src, f->cpus, mask_bytes + lazy_ext_bytes(f->lazy), &hooks);
	return f->ts;
}

static bool take_item(void *arg, const struct run_item *item)
{
	struct follower *f = arg;

	if (!ts_item(f->ts, item))
		return false;
	if (item->is_run && item->run.irq && item->run.cpu < f->cpus)
		masks_handler(f->masks, f->ts, &item->run);
	return !f->no_memory;
}

static bool take_flush(void *arg, struct flush *flush)
{
	struct follower *f = arg;
	struct mask_view view = { 0 };
	struct ts_flush what;

	if (flush->irq || flush->shape == SHAPE_FOREIGN || flush->cpu >= f->cpus)
		return true;
	if (flush->shape == SHAPE_KERNEL) {
		masks_kernel(f->masks, flush);
		return true;
	}
	if (!ts_flush_begins(f->ts, flush, &what))
		return false;
	masks_flush(f->masks, f->ts, &what, flush, f->recorded, f->watch ? &view : NULL);
	if (f->watch && what.space)
		f->watch(f->watch_arg, flush, &what, &view);
	return true;
}

static void sum_up(struct follower *f)
{
	struct follow_sums *s = &f->sums;

	s->cpus = f->cpus;
	s->switches = f->switches;
	s->multicast = masks_multicast(f->masks);
	s->incomplete = masks_incomplete(f->masks);
	s->against = masks_against(f->masks);
	for (unsigned kind = 0; kind < TRIMS; kind++) {
		s->scope[kind] = *masks_scope(f->masks, (enum trim)kind);
		s->totals[kind] = masks_totals(f->masks, (enum trim)kind);
		s->shots_to[kind] = lazy_shots_to(f->lazy, (enum trim)kind);
	}
	s->rows = lazy_rows(f->lazy, &s->n_rows);
	follow_sums_fit(s);
}

/* Spaces that are still there hand in what they have when the state is freed. */
static void end(void *arg)
{
	struct follower *f = arg;
	const struct ts_task *task = NULL;

	masks_settle(f->masks);
	while ((task = ts_task_next(f->ts, task)))
		if (task->old)
			lazy_may_die(f->lazy, f->ts, f->masks, task->old);
	f->sums.lazy = lazy_totals(f->lazy, f->ts);
	ts_free(f->ts);
	f->ts = NULL;
	sum_up(f);
}

struct observer follower_observer(struct follower *f)
{
	return (struct observer){ f, begin, take_item, take_flush, end };
}

const struct masks *follower_masks(const struct follower *f)
{
	return f->masks;
}

struct lazy *follower_lazy(const struct follower *f)
{
	return f->lazy;
}

struct lazy_totals follower_lazy_totals(const struct follower *f)
{
	return f->sums.lazy;
}

uint32_t follower_cpus(const struct follower *f)
{
	return f->cpus;
}

uint64_t follower_switches(const struct follower *f)
{
	return f->switches;
}

const struct follow_sums *follower_sums(const struct follower *f)
{
	return &f->sums;
}
