/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpu.h - loads of vCPUs, from the context switches of their threads on the host.
 *
 * QEMU names its vCPU threads "CPU n/KVM" or "CPU n/TCG". Each time one is switched in counts as a
 * vcpu_load (policies 5: close, not exact); its VM is its thread group.
 */
#ifndef TLBTRACE_VCPU_H
#define TLBTRACE_VCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/event.h"
#include "analyze/source.h"

/* Takes one load; vm and vcpu are thread group and thread id. False where memory is short. */
typedef bool (*vcpu_sink)(void *arg, uint32_t cpu, uint32_t vm, int32_t vcpu);

struct vcpu_watch;

/* src must outlive the watch. NULL where memory is short. */
struct vcpu_watch *vcpu_watch_new(const struct source *src, vcpu_sink sink, void *arg);
void vcpu_watch_free(struct vcpu_watch *w);

/* Takes every event of the trace by time. False where memory is short. */
bool vcpu_watch_event(struct vcpu_watch *w, const struct event *ev);

/* The trace has ended: hands out what still waits. */
bool vcpu_watch_finish(struct vcpu_watch *w);

/* vCPU threads whose thread group no record tells: their VM is taken from the order of the thread
 * ids, in which QEMU starts its vCPUs. */
uint32_t vcpu_watch_guessed(const struct vcpu_watch *w);

/* True for names such as "CPU 0/KVM"; *index is the number in it. */
bool vcpu_is_name(const char *comm, uint32_t *index);

#endif
