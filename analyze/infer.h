/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer.h - what the recorded kernel's parameters were, from the trace's own evidence.
 *
 * Per parameter, the trace beats the file's metadata, which beats the kernel's release, which beats
 * the defaults; what the user says beats all.
 */
#ifndef TLBTRACE_INFER_H
#define TLBTRACE_INFER_H

#include "analyze/params.h"
#include "analyze/trace.h"

/*
 * Fills *m for this trace. overrides is a list "key=value,…" as --recorded has it, or NULL; a bad
 * one returns -1 with *err (ERROR_USAGE).
 */
int infer_model(struct model *m, const struct trace *t, const char *overrides, struct error *err);

#endif
