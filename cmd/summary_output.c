/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_output.c - writes a summary's file. */
#include "cmd/summary_output.h"

#include <stdlib.h>
#include <unistd.h>

int summary_output_check(const struct sink_options *where, struct error *err)
{
	if (where->path || !isatty(STDOUT_FILENO))
		return 0;
	return error_set(err, ERROR_USAGE,
			 "a summary is no text for a terminal: name a file with -o FILE");
}

int summary_output(const struct summary *s, const struct sink_options *where, struct error *err)
{
	struct sink sink;
	uint8_t *file;
	size_t size;

	file = summary_pack(s, &size, err);
	if (!file)
		return -1;
	if (sink_open(&sink, where, err)) {
		free(file);
		return -1;
	}
	(void)fwrite(file, 1, size, sink.f); /* sink_close() tells of errors */
	free(file);
	return sink_close(&sink, err);
}
