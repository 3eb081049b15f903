/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_perf_pipe.c - any bytes as what comes out of a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "drain.h"

/* What a pipe may hold: so much needs no other thread to write it. */
#define MAX_BYTES (1 << 20)

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
	char path[40];
	int fds[2];

	if (size > MAX_BYTES || pipe2(fds, O_CLOEXEC))
		return 0;
	if (fcntl(fds[1], F_SETPIPE_SZ, size > 65536 ? MAX_BYTES : 65536) >= (int)size &&
	    write(fds[1], data, size) == (ssize_t)size) {
		close(fds[1]);
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
		drain(path);
	} else {
		close(fds[1]);
	}
	close(fds[0]);
	return 0;
}
