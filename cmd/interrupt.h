/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - Ctrl-C while a trace is read: what was read so far is kept.
 */
#ifndef TLBTRACE_CMD_INTERRUPT_H
#define TLBTRACE_CMD_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

struct interrupt {
	int fd; /* for trace_options.stop_fd: readable once SIGINT has come; 0: it ends us as ever */
	sigset_t before;
};

/* From now on SIGINT only makes fd readable. Where it is ignored, as by jobs in a shell's background, it
 * stays so. */
void interrupt_catch(struct interrupt *i);
/* As before; SIGINTs that came are taken: true where there was one. */
bool interrupt_release(struct interrupt *i);

#endif
