/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_dat_write.c - a trace.dat's file: made without a name, filled, given its name. */
#include "cmd/record/trace_dat_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "cmd/record/trace_dat_head.h"

#define CHUNK_BYTES (256U << 10)
#define ZSTD_LEVEL 3

struct trace_dat {
	int fd;
	char *path;
	char *temporary; /* its name where a file cannot be without; NULL: it has none */
	unsigned version;
	uint32_t page_size;
	uint32_t subbuf_size;
	uint32_t cpus;
	uint32_t next_cpu;
	struct trace_dat_head head; /* where what is known late goes */
	uint64_t end;		    /* of the file */
	struct ringpage_format format;
	uint8_t *in;  /* a chunk */
	uint8_t *out; /* the same, compressed */
	size_t chunk; /* bytes, a multiple of subbuf_size */
	size_t out_size;
	ZSTD_CCtx *zstd;
};

static int file_error(const struct trace_dat *w, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: %s", w->path, strerror(errno));
}

static int write_at(const struct trace_dat *w, const void *data, size_t size, uint64_t at)
{
	const uint8_t *from = data;

	while (size) {
		ssize_t n = pwrite(w->fd, from, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		from += n;
		size -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

static int append(struct trace_dat *w, const void *data, size_t size)
{
	if (write_at(w, data, size, w->end))
		return -1;
	w->end += size;
	return 0;
}

/* Opens a nameless file in the directory of path; *temporary is its name where it must have one. */
static int open_beside(const char *path, char **temporary)
{
	char *copy = strdup(path);
	const char *dir = copy ? dirname(copy) : NULL;
	int fd = dir ? open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;

	*temporary = NULL;
	free(copy);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (asprintf(temporary, "%s.XXXXXX", path) < 0)
		*temporary = NULL;
	return *temporary ? mkostemp(*temporary, O_CLOEXEC) : -1;
}

int trace_dat_scratch(const char *path, struct error *err)
{
	char *temporary;
	int fd = open_beside(path, &temporary);

	if (fd >= 0 && temporary)
		(void)unlink(temporary);
	free(temporary);
	if (fd < 0)
		return error_set(err, ERROR_ENVIRONMENT, "%s: cannot write beside it: %s", path,
				 strerror(errno));
	return fd;
}

static int open_file(struct trace_dat *w, const char *path, struct error *err)
{
	struct stat st;

	w->fd = -1;
	w->path = strdup(path);
	if (!w->path)
		return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE, "-o %s: is not a regular file", path);
	w->fd = open_beside(path, &w->temporary);
	return w->fd < 0 ? file_error(w, err) : 0;
}

static int set_up(struct trace_dat *w, const struct trace_dat_setup *setup, struct error *err)
{
	uint32_t pages = CHUNK_BYTES / setup->subbuf_size;

	w->version = setup->version;
	w->page_size = setup->page_size;
	w->subbuf_size = setup->subbuf_size;
	w->cpus = setup->cpus;
	w->format = ringpage_default_format(sizeof(long), host_is_big_endian());
	w->chunk = (size_t)(pages ? pages : 1) * setup->subbuf_size;
	w->out_size = ZSTD_compressBound(w->chunk);
	w->in = malloc(w->chunk);
	w->out = malloc(w->out_size);
	w->zstd = ZSTD_createCCtx();
	if (!w->in || !w->out || !w->zstd)
		return error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
	return 0;
}

struct trace_dat *trace_dat_begin(const struct trace_dat_setup *setup, struct error *err)
{
	struct trace_dat *w = calloc(1, sizeof(*w));
	struct blob head = { 0 };

	if (!w) {
		(void)error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
		return NULL;
	}
	if (open_file(w, setup->path, err) || set_up(w, setup, err))
		goto fail;
	trace_dat_head(&head, setup, &w->head);
	if (head.failed) {
		(void)error_set(err, ERROR_ENVIRONMENT, "record: out of memory");
		goto fail;
	}
	if (head.size && append(w, head.data, head.size)) {
		(void)file_error(w, err);
		goto fail;
	}
	free(head.data);
	return w;
fail:
	free(head.data);
	trace_dat_free(w);
	return NULL;
}

/* Most of what is missing in one place of these pages. */
static void look_for_losses(const struct trace_dat *w, size_t n, struct trace_dat_copied *copied)
{
	struct ringpage page;

	for (size_t at = 0; at + w->subbuf_size <= n; at += w->subbuf_size)
		if (!ringpage_start(&page, &w->format, w->in + at, w->subbuf_size) &&
		    page.lost_events > copied->worst_lost)
			copied->worst_lost = page.lost_events;
}

/* Writes w->in as the file has it. Returns the bytes that it takes there, -1 with errno set. */
static int64_t write_chunk(struct trace_dat *w, size_t n)
{
	uint32_t sizes[2] = { 0, (uint32_t)n };
	uint64_t start = w->end;
	size_t packed;

	if (w->version == 6)
		return append(w, w->in, n) ? -1 : (int64_t)n;
	packed = ZSTD_compressCCtx(w->zstd, w->out, w->out_size, w->in, n, ZSTD_LEVEL);
	if (ZSTD_isError(packed)) {
		errno = ENOMEM;
		return -1;
	}
	sizes[0] = (uint32_t)packed;
	if (append(w, sizes, sizeof(sizes)) || append(w, w->out, packed)) {
		w->end = start;
		return -1;
	}
	return (int64_t)(packed + sizeof(sizes));
}

static size_t read_chunk(const struct trace_dat *w, int fd, uint64_t at)
{
	size_t n = 0;

	while (n < w->chunk) {
		ssize_t got = pread(fd, w->in + n, w->chunk - n, (off_t)(at + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return n / w->subbuf_size * w->subbuf_size;
}

/* Where one CPU's data is, into the table that has room for it. */
static int patch_cpu(const struct trace_dat *w, uint64_t offset, uint64_t size)
{
	uint64_t place[2] = { offset, size };
	uint64_t step = w->version == 6 ? 16 : 20; /* v7: the CPU's number comes first */
	uint64_t skip = w->version == 6 ? 0 : 4;

	return write_at(w, place, sizeof(place), w->head.cpus_at + w->next_cpu * step + skip);
}

/* v7: the size of the section that all CPUs' data are in. */
static int patch_section(const struct trace_dat *w)
{
	uint64_t size = w->end - w->head.section_at - 16;

	return w->version == 6 ? 0 : write_at(w, &size, sizeof(size), w->head.section_at + 8);
}

/*
 * Up to the next page boundary of the file, and room for the number of chunks. That is written when
 * it is known: on a full disk there is no room until a chunk has given some back.
 */
static uint64_t begin_cpu(struct trace_dat *w)
{
	uint64_t start = (w->end + w->page_size - 1) / w->page_size * w->page_size;

	w->end = start + (w->version == 7 ? sizeof(uint32_t) : 0);
	return start;
}

int trace_dat_add_cpu(struct trace_dat *w, int fd, struct trace_dat_copied *copied,
		      bool (*give_up)(void *arg), void *arg, struct error *err)
{
	uint64_t size = 0, end = w->end;
	uint64_t start = begin_cpu(w);
	uint32_t chunks = 0;
	size_t n;
	int64_t took = 0;

	*copied = (struct trace_dat_copied){ 0 };
	while ((n = read_chunk(w, fd, copied->bytes))) {
		if (give_up && give_up(arg))
			return 1;
		look_for_losses(w, n, copied);
		(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)copied->bytes, (off_t)n);
		took = write_chunk(w, n);
		if (took < 0)
			break;
		copied->bytes += n;
		size += (uint64_t)took;
		chunks++;
	}
	if (took < 0)
		(void)file_error(w, err);
	if (!chunks)
		w->end = end;
	else if (w->version == 7 && write_at(w, &chunks, sizeof(chunks), start))
		return file_error(w, err);
	if (patch_section(w) || (chunks && patch_cpu(w, start, size)))
		return file_error(w, err);
	w->next_cpu++;
	return took < 0 ? -1 : 0;
}

int trace_dat_set_stats(struct trace_dat *w, uint32_t cpu, const char *text, struct error *err)
{
	char stat[TRACE_DAT_STAT_BYTES] = "";

	(void)snprintf(stat, sizeof(stat), "CPU: %" PRIu32 "\n%s", cpu, text);
	if (write_at(w, stat, sizeof(stat),
		     w->head.stats_at + (uint64_t)cpu * (TRACE_DAT_STAT_BYTES + 6)))
		return file_error(w, err);
	return 0;
}

/* v6: into the room that there is, as many whole lines as fit. */
static int set_cmdlines_v6(struct trace_dat *w, const char *text)
{
	size_t len = strlen(text);

	while (len > TRACE_DAT_CMDLINES_BYTES ||
	       (len && len < strlen(text) && text[len - 1] != '\n'))
		len--;
	return write_at(w, text, len, w->head.cmdlines_at);
}

/* v7: a section and options that point to it, at the end; then the first options point to them. */
static int set_cmdlines_v7(struct trace_dat *w, const char *text)
{
	struct blob b = { 0 };
	uint64_t options;
	int status = -1;

	options = w->end + trace_dat_cmdlines(&b, text, w->end);
	if (!b.failed && !append(w, b.data, b.size) &&
	    !write_at(w, &options, sizeof(options), w->head.next_options_at))
		status = 0;
	free(b.data);
	return status;
}

int trace_dat_set_cmdlines(struct trace_dat *w, const char *text, struct error *err)
{
	int status = w->version == 6 ? set_cmdlines_v6(w, text) : set_cmdlines_v7(w, text);

	return status ? file_error(w, err) : 0;
}

uint64_t trace_dat_bytes(const struct trace_dat *w)
{
	return w->end;
}

/* A nameless file gets a name that nobody else uses, and then the right one. */
static int name_file(struct trace_dat *w)
{
	char from[64];

	if (w->temporary)
		return rename(w->temporary, w->path);
	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", w->fd);
	if (linkat(AT_FDCWD, from, AT_FDCWD, w->path, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno != EEXIST || asprintf(&w->temporary, "%s.%d", w->path, (int)getpid()) < 0)
		return -1;
	if (linkat(AT_FDCWD, from, AT_FDCWD, w->temporary, AT_SYMLINK_FOLLOW))
		return -1;
	return rename(w->temporary, w->path);
}

int trace_dat_commit(struct trace_dat *w, struct error *err)
{
	/* Bytes of a chunk that did not fit may stand behind the end. */
	if (ftruncate(w->fd, (off_t)w->end) || name_file(w))
		return file_error(w, err);
	free(w->temporary);
	w->temporary = NULL;
	return 0;
}

void trace_dat_free(struct trace_dat *w)
{
	if (!w)
		return;
	if (w->temporary)
		(void)unlink(w->temporary);
	if (w->fd >= 0)
		(void)close(w->fd);
	ZSTD_freeCCtx(w->zstd);
	free(w->temporary);
	free(w->path);
	free(w->in);
	free(w->out);
	free(w);
}
