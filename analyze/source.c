/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - opens a trace by its content and hands every call to its format. */
#include "analyze/source.h"

#include <ctype.h>
#include <string.h>

#include "analyze/bytes.h"
#include "analyze/source_ops.h"
#include "analyze/tasknotes.h"

static const struct source_ops *const formats[] = {
	&source_tracedat_ops, &source_perf_ops, &source_ctf_ops, /* after perf's directories */
};

static bool begins_with(const struct source_file *file, const char *magic)
{
	size_t len = strlen(magic);

	return file->head_len >= len && !memcmp(file->head, magic, len);
}

static bool looks_like_text(const struct source_file *file)
{
	for (size_t i = 0; i < file->head_len; i++) {
		uint8_t c = file->head[i];

		if (!isprint(c) && !isspace(c) && c < 0x80)
			return false;
	}
	return true;
}

/* What a file that no format claims seems to be. */
static const char *describe(const struct source_file *file)
{
	if (file->is_directory)
		return "is a directory without a CTF trace (a file named metadata, in it or in a "
		       "directory not far below) and without perf's files (data)";
	if (!file->head_len)
		return "is empty: not a trace";
	if (begins_with(file, "PERFILE2") || begins_with(file, "2ELIFREP"))
		return "begins like a perf.data but ends inside its header: not a trace";
	if (begins_with(file, "\x17\x08\x44"))
		return "begins like a trace.dat but ends or goes wrong at offset 3: not a trace";
	if (begins_with(file, "\x89TLBSUM\n"))
		return "is a summary: it has no events, which are needed here: name the trace that "
		       "it was made from (from a pipe a summary cannot be read: name its file)";
	if (begins_with(file, "\x1f\x8b") || begins_with(file, "\x28\xb5\x2f\xfd") ||
	    begins_with(file, "\xfd"
			      "7zXZ"))
		return "is compressed as a whole (gzip, zstd or xz): unpack it first";
	if (begins_with(file, "\x7f"
			      "ELF"))
		return "is an ELF program or library: not a trace";
	if (looks_like_text(file))
		return "is a text file: not a trace (the text that trace-cmd report prints cannot "
		       "be read, only the trace.dat it was made from)";
	return "is neither a trace.dat nor any other trace that is known here (first bytes at "
	       "offset 0 match none)";
}

static const struct source_ops *find_format(const struct source_file *file)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i]->matches(file))
			return formats[i];
	return NULL;
}

struct source *source_open(const char *path, struct error *err)
{
	return source_open_until(path, 0, err);
}

struct source *source_open_until(const char *path, int stop_fd, struct error *err)
{
	const struct source_ops *ops;
	struct source_file file;

	if (source_file_open_until(&file, path, stop_fd, err))
		goto fail;
	ops = find_format(&file);
	if (ops)
		return ops->open(&file, err);
	error_set(err, ERROR_INPUT, "%s: %s", file.name, describe(&file));
fail:
	source_file_close(&file);
	return NULL;
}

bool source_note_task(struct source *src, int32_t tid, int32_t tgid, const char *comm)
{
	struct task_note *note = task_notes_get(&src->noted, tid);

	if (!note)
		return false;
	note->tgid = tgid;
	text_copy(note->comm, sizeof(note->comm), comm, strlen(comm));
	return true;
}

void source_close(struct source *src)
{
	if (!src)
		return;
	task_notes_free(&src->noted);
	src->ops->close(src);
}

const struct source_info *source_info(const struct source *src)
{
	src->ops->update_info(src);
	return src->info;
}

int source_next(struct source *src, uint32_t cpu, struct event *ev, struct error *err)
{
	uint64_t quiet_ns;
	int got;

	do
		got = source_next_or_quiet(src, cpu, ev, &quiet_ns, err);
	while (got == SOURCE_QUIET);
	return got;
}

int source_next_or_quiet(struct source *src, uint32_t cpu, struct event *ev, uint64_t *quiet_ns,
			 struct error *err)
{
	int got = cpu < src->info->cpus ? src->ops->next(src, cpu, ev, err) : 0;

	if (got == SOURCE_QUIET)
		*quiet_ns = ev->time_ns;
	return got;
}

struct source_skipped source_skip(struct source *src, uint32_t cpu, uint64_t step, uint64_t max)
{
	return src->ops->skip ? src->ops->skip(src, cpu, step, max) : (struct source_skipped){ 0 };
}

bool source_is_parallel(const struct source *src)
{
	return !src->ops->is_parallel || src->ops->is_parallel(src);
}

const struct stack *source_stack(const struct source *src, uint32_t number)
{
	return src->ops->stack ? src->ops->stack(src, number) : NULL;
}

const char *source_kallsyms(const struct source *src, uint64_t *len)
{
	return src->ops->kallsyms ? src->ops->kallsyms(src, len) : NULL;
}

void source_as_of(struct source *src, uint64_t time_ns)
{
	src->as_of_ns = time_ns;
}

/*
 * What was noted when the recording began comes first: the kernel's own list of names (saved_cmdlines)
 * keeps that of a task that is gone until its number runs again.
 */
const char *source_comm(const struct source *src, int32_t tid)
{
	const struct task_note *noted = task_notes_find(src->noted, tid);

	return noted && *noted->comm ? noted->comm : src->ops->comm(src, tid);
}

int32_t source_tgid(const struct source *src, int32_t tid)
{
	const struct task_note *noted = task_notes_find(src->noted, tid);

	return noted && noted->tgid >= 0 ? noted->tgid : src->ops->tgid(src, tid);
}
