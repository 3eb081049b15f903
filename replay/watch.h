/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - all that follows a trace beside the join, as one observer: masks and lazy TLB of a POWER
 * kernel, and where asked for the vCPUs of a host of any kind.
 *
 * It answers only after the trace was read, and must outlive the reading; the trace may be closed
 * before it.
 */
#ifndef TLBTRACE_REPLAY_WATCH_H
#define TLBTRACE_REPLAY_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/observer.h"
#include "replay/e500mc.h"
#include "replay/follow.h"

struct watch;

/* vcpus: follow vCPU threads too. NULL where memory is short. */
struct watch *watch_new(bool vcpus);
void watch_free(struct watch *w);

struct observer watch_observer(struct watch *w);

/* One that has followed elsewhere, and owns what it is given; either may be NULL. NULL, and they stay the
 * caller's, where memory is short. */
struct watch *watch_of(struct follower *follower, struct e500mc *e500mc, uint32_t guessed);

/* NULL on an x86, where masks are not followed. w may be NULL. */
const struct follower *watch_follower(const struct watch *w);

/* NULL unless vCPUs were asked for. w may be NULL. */
const struct e500mc *watch_vcpus(const struct watch *w);

/* vCPU threads whose VM no record tells: taken from the order of their thread ids. */
uint32_t watch_guessed(const struct watch *w);

#endif
