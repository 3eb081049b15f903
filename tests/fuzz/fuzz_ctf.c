/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_ctf.c - any bytes as a CTF directory: a text of metadata, a NUL, a data stream. The directory
 * is in the folder TMPDIR, which is best in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libbabeltrace2 2.0 forgets a few hundred bytes of some damaged metadata. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libglib-2.0\n";
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int write_file(const char *dir, const char *name, const uint8_t *data, size_t size)
{
	char path[4096];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		return -1;
	(void)fwrite(data, 1, size, f);
	return fclose(f);
}

static void remove_file(const char *dir, const char *name)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	(void)unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *parent = getenv("TMPDIR");
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	size_t text = end ? (size_t)(end - data) : size;
	char dir[3072];

	(void)snprintf(dir, sizeof(dir), "%s/tlbtrace-fuzz.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(dir))
		return 0;
	if (!write_file(dir, "metadata", data, text) &&
	    (!end || !write_file(dir, "stream", end + 1, size - text - 1)))
		drain(dir);
	remove_file(dir, "metadata");
	remove_file(dir, "stream");
	(void)rmdir(dir);
	return 0;
}
