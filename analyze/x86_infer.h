/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_infer.h - the recorded x86 kernel's parameters, from the trace's own evidence.
 */
#ifndef TLBTRACE_X86_INFER_H
#define TLBTRACE_X86_INFER_H

#include <stdbool.h>

#include "analyze/params.h"
#include "analyze/trace.h"

/* True where the machine was an x86: the file says so, or it has flushes only x86 makes. */
bool trace_is_x86(const struct trace *t);

/* Fills what param_applies() to x86; the other parameters keep what *m has. */
void x86_infer(struct model *m, const struct trace *t);

#endif
