/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policies.h - the writers of `tlbtrace policies`.
 */
#ifndef TLBTRACE_CMD_POLICIES_H
#define TLBTRACE_CMD_POLICIES_H

#include "cmd/output/sink.h"
#include "replay/policy.h"

/* One policy at length, or all of the catalogue where it is NULL. Errors stay in the FILE. */
void policies_text(struct sink *s, const struct policy_kind *one);
void policies_json(struct sink *s, const struct policy_kind *one);

#endif
