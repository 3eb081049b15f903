/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - names in traces are any bytes; output is valid UTF-8 (RFC 3629).
 */
#ifndef TLBTRACE_CMD_OUTPUT_UTF8_H
#define TLBTRACE_CMD_OUTPUT_UTF8_H

#include <stddef.h>

/* Length of the valid sequence that the text, which is not empty, begins with; 0 where there is none. */
size_t utf8_length(const char *text);

#endif
