/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - names in traces are any bytes; output is valid UTF-8 (RFC 3629).
 */
#ifndef TLBTRACE_CMD_OUTPUT_UTF8_H
#define TLBTRACE_CMD_OUTPUT_UTF8_H

#include <stddef.h>

/* Length of the valid sequence that the text, which is not empty, begins with; 0 where there is none. */
size_t utf8_length(const char *text);

/* What to write of the text, which is not empty: a character, or U+FFFD for a byte that is none. */
struct utf8 {
	const char *bytes;
	size_t len;
	size_t took; /* of the text */
};

static inline struct utf8 utf8_at(const char *text)
{
	size_t len = utf8_length(text);

	return len ? (struct utf8){ text, len, len } : (struct utf8){ "\xef\xbf\xbd", 3, 1 };
}

#endif
