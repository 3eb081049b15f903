/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.c - one line to the user, on stderr. */
#include "cmd/message.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/utf8.h"

/* C0, DEL, or C1 as UTF-8. */
static bool is_control(const struct utf8 *c)
{
	const unsigned char *s = (const unsigned char *)c->bytes;

	return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

void message(const char *text)
{
	char line[4096];
	size_t n = 0;

	while (*text && n + 4 < sizeof(line)) {
		struct utf8 c = utf8_at(text);

		if (is_control(&c))
			c = (struct utf8){ "?", 1, c.took };
		memcpy(line + n, c.bytes, c.len);
		n += c.len;
		text += c.took;
	}
	(void)fprintf(stderr, "tlbtrace: %.*s\n", (int)n, line);
}
