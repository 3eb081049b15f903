/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_about.h - what a CTF trace's environment says of the machine, the tracer and the recording. */
#ifndef TLBTRACE_CTF_ABOUT_H
#define TLBTRACE_CTF_ABOUT_H

#include <babeltrace2/babeltrace.h>

#include "analyze/source.h"

/* X(key, member): numbers in the environment of our own exports beside kernel and arch. */
#define CTF_ABOUT_NUMBERS_X(X)                                                                     \
	X("page_size", page_size)                                                                  \
	X("cpus", cpus)                                                                            \
	X("big_endian", big_endian)                                                                \
	X("has_time", has_time)                                                                    \
	X("has_irq_flags", has_irq_flags)                                                          \
	X("events", events)                                                                        \
	X("lost_events", lost_events)                                                              \
	X("lost_unknown", lost_unknown)                                                            \
	X("unknown_records", unknown_records)                                                      \
	X("truncated", truncated)

/*
 * Takes what the environment says into *info, where nothing is said there yet. Returns the format's
 * version if the trace is an export of ours, else 0.
 */
int64_t ctf_about_take(struct source_info *info, const bt_trace *trace);

#endif
