/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_tracedat.c - our trace.dat reader against trace-cmd's own library.
 *
 * usage: oracle_tracedat FILE…
 * For every buffer and CPU: the same records in the same order, with the same time stamps, bytes and
 * lost marks. Exits with 1 at the first file that differs. Only for files that are not damaged:
 * libtracecmd crashes on those.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "analyze/source_file.h"
#include "analyze/tracedat_data.h"

struct comparison {
	const char *path;
	struct tracedat_file file;
	uint64_t records;
	int different;
};

static void differ(struct comparison *c, const struct tracedat_stream *stream, uint64_t n,
		   const char *what, uint64_t ours, uint64_t theirs)
{
	printf("%s: buffer \"%s\" CPU %" PRIu32 " record %" PRIu64 ": %s is %" PRIu64
	       ", libtracecmd has %" PRIu64 "\n",
	       c->path, stream->buffer->name, stream->cpu, n, what, ours, theirs);
	c->different = 1;
}

/* The next record, and whether a lost mark stood before it (0 no, -1 of unknown number). */
static bool next_record(struct tracedat_stream *stream, struct ringrec *rec, int64_t *missed)
{
	enum tracedat_item item;
	uint64_t lost;

	*missed = 0;
	while ((item = tracedat_stream_next(stream, rec, &lost)) == TRACEDAT_LOST)
		*missed = lost ? (int64_t)lost : -1;
	return item == TRACEDAT_RECORD;
}

static void compare_record(struct comparison *c, const struct tracedat_stream *stream, uint64_t n,
			   const struct ringrec *rec, int64_t missed, const struct tep_record *want)
{
	uint64_t time = tracedat_to_ns(&c->file.time, rec->time);

	if (time != want->ts)
		differ(c, stream, n, "the time", time, want->ts);
	else if (rec->len != (uint32_t)want->size)
		differ(c, stream, n, "the size", rec->len, (uint64_t)want->size);
	else if (memcmp(rec->data, want->data, rec->len))
		differ(c, stream, n, "the first word", load_u32(rec->data, false),
		       load_u32(want->data, false));
	else if (missed != want->missed_events)
		differ(c, stream, n, "missed events", (uint64_t)missed,
		       (uint64_t)want->missed_events);
}

static void compare_cpu(struct comparison *c, const struct tracedat_buffer *buffer,
			const struct tracedat_cpu *cpu, struct tracecmd_input *theirs)
{
	struct tracedat_stream stream;
	struct tep_record *want;
	struct ringrec rec;
	int64_t missed;
	uint64_t n = 0;
	bool there;

	tracedat_stream_start(&stream, &c->file, buffer, cpu);
	do {
		there = next_record(&stream, &rec, &missed);
		want = tracecmd_read_data(theirs, (int)cpu->cpu);
		if (there && want)
			compare_record(c, &stream, n, &rec, missed, want);
		else if (there || want)
			differ(c, &stream, n, "whether there is one", there, want != NULL);
		tracecmd_free_record(want);
		n++;
	} while (there && want && !c->different);
	c->records += n - 1;
	if (stream.damage.places) {
		printf("%s: %s\n", c->path, stream.damage.text);
		c->different = 1;
	}
	tracedat_stream_free(&stream);
}

static struct tracecmd_input *open_instance(struct tracecmd_input *top, const char *name)
{
	int n = tracecmd_buffer_instances(top);

	for (int i = 0; i < n; i++)
		if (!strcmp(tracecmd_buffer_instance_name(top, i), name))
			return tracecmd_buffer_instance_handle(top, i);
	return NULL;
}

static void compare_buffer(struct comparison *c, const struct tracedat_buffer *buffer,
			   struct tracecmd_input *top)
{
	struct tracecmd_input *theirs = buffer->name[0] ? open_instance(top, buffer->name) : top;

	if (!theirs) {
		printf("%s: libtracecmd has no buffer \"%s\"\n", c->path, buffer->name);
		c->different = 1;
		return;
	}
	for (uint32_t i = 0; i < buffer->n_cpus && !c->different; i++)
		compare_cpu(c, buffer, &buffer->cpus[i], theirs);
	if (theirs != top)
		tracecmd_close(theirs);
}

static int compare_file(const char *path)
{
	struct comparison c = { .path = path };
	struct tracecmd_input *top = NULL;
	struct source_file input;
	struct error err = { 0 };

	if (source_file_open(&input, path, &err) || source_file_load(&input, &err) ||
	    tracedat_parse(&c.file, path, input.data, input.size, &err)) {
		printf("%s\n", err.text);
		c.different = 1;
		goto out;
	}
	top = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!top) {
		printf("%s: libtracecmd cannot open it\n", path);
		c.different = 1;
		goto out;
	}
	for (uint32_t i = 0; i < c.file.n_buffers && !c.different; i++)
		compare_buffer(&c, &c.file.buffers[i], top);
	if (!c.different)
		printf("%s: %" PRIu64 " records are the same\n", path, c.records);
out:
	if (top)
		tracecmd_close(top);
	tracedat_file_free(&c.file);
	source_file_close(&input);
	return c.different;
}

int main(int argc, char **argv)
{
	int ret = 0;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	for (int i = 1; i < argc; i++)
		ret |= compare_file(argv[i]);
	return ret;
}
