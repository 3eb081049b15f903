/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_tracedat.c - any bytes as a trace.dat. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);
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
