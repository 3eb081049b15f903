/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.h - the stateful policies' one pass over a trace: tasks, masks and lazy TLB together.
 *
 * A follower is an observer for trace_options. It answers only after the trace was read, and must
 * outlive the reading; the trace may be closed before it.
 */
#ifndef TLBTRACE_REPLAY_FOLLOW_H
#define TLBTRACE_REPLAY_FOLLOW_H

#include <stdint.h>

#include "analyze/observer.h"
#include "replay/follow_sums.h"

/* For those who judge the masks: each task's flush with the recorded kernel's mask. */
typedef void (*follow_watch)(void *arg, const struct flush *f, const struct ts_flush *what,
			     const struct mask_view *view);

struct follower;

/* recorded: how the recorded kernel trims, as far as known before reading; only `watch`, which may
 * be NULL, depends on it. NULL where memory is short. */
struct follower *follower_new(enum trim recorded, follow_watch watch, void *arg);
void follower_free(struct follower *f);

struct observer follower_observer(struct follower *f);

/* Valid once the trace was read; NULL before. */
const struct masks *follower_masks(const struct follower *f);
struct lazy *follower_lazy(const struct follower *f);
struct lazy_totals follower_lazy_totals(const struct follower *f);
uint32_t follower_cpus(const struct follower *f);

/* What it all came to; once the trace was read. Lives as long as the follower. */
const struct follow_sums *follower_sums(const struct follower *f);

/* Switches seen: without them masks know only where flushes and system calls were. */
uint64_t follower_switches(const struct follower *f);

/* One that knows only these sums, whose arrays it takes over: free() must do for each. NULL, and the
 * arrays stay the caller's, where memory is short. */
struct follower *follower_of_sums(const struct follow_sums *sums);

#endif
