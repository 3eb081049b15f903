/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.c - texts in CSV. */
#include "cmd/output/csv.h"

#include <string.h>

#include "cmd/output/utf8.h"

static void write_text(FILE *f, const char *text)
{
	while (*text) {
		struct utf8 c = utf8_at(text);

		if (*text == '"')
			(void)fputc('"', f);
		(void)fwrite(c.bytes, 1, c.len, f);
		text += c.took;
	}
}

void csv_quoted(FILE *f, const char *text)
{
	(void)fputc('"', f);
	write_text(f, text);
	(void)fputc('"', f);
}

void csv_text(FILE *f, const char *text)
{
	if (text[strcspn(text, ",\"\r\n")])
		csv_quoted(f, text);
	else
		write_text(f, text);
}
