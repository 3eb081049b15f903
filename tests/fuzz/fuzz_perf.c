/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_perf.c - any bytes as a perf.data that can be sought in. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

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
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	char path[40];

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		drain(path);
	}
	close(fd);
	return 0;
}
