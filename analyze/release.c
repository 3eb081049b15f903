/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release.c - the release of a kernel. */
#include "analyze/release.h"

#include <ctype.h>
#include <stdlib.h>

unsigned release_number(const char *text)
{
	unsigned long major;
	unsigned long minor;
	char *end;

	if (!isdigit((unsigned char)*text))
		return 0;
	major = strtoul(text, &end, 10);
	if (*end != '.' || !isdigit((unsigned char)end[1]))
		return 0;
	minor = strtoul(end + 1, NULL, 10);
	return major < 1000 && minor < 1000 ? (unsigned)(major * 1000 + minor) : 0;
}
