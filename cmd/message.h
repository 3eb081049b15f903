/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - one line to the user, on stderr. */
#ifndef TLBTRACE_CMD_MESSAGE_H
#define TLBTRACE_CMD_MESSAGE_H

/*
 * Writes "tlbtrace: TEXT". The text can quote a file: control characters, which a terminal would obey,
 * are written as '?', and bytes that are not valid UTF-8 as U+FFFD.
 */
void message(const char *text);

#endif
