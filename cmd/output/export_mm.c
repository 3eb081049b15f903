/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_mm.c - what an mm is called in exports. */
#include <inttypes.h>

#include "cmd/export.h"

void export_mm_text(const struct mm *mm, char to[EXPORT_MM_LEN])
{
	if (!mm)
		*to = '\0';
	else if (mm->tgid >= 0)
		(void)snprintf(to, EXPORT_MM_LEN, "%s/%" PRId32, mm->name, mm->tgid);
	else
		(void)snprintf(to, EXPORT_MM_LEN, "%s", mm->name);
}
