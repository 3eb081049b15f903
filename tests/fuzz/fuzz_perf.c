/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_perf.c - any bytes as a perf.data that can be sought in. */
#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtraceevent 1.7 forgets the last token of some damaged formats. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}
/* NOLINTEND(bugprone-reserved-identifier) */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	with_file(data, size, drain);
	return 0;
}
