/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_file.c - the file around a summary: header, checksum, compression. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "replay/summary_fields.h"

#define MAGIC_BYTES 8u
#define VERSION 2u
#define HEADER_BYTES 32u
#define CHECKED_FROM 16u		   /* the checksum is of all bytes from here on */
#define CONTENTS_MOST (UINT64_C(64) << 20) /* bytes, unpacked */
#define LEVEL 19			   /* of zstd */

static const uint8_t magic[MAGIC_BYTES] = { 0x89, 'T', 'L', 'B', 'S', 'U', 'M', '\n' };

static void store_number(uint8_t *to, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)(n >> 8 * i);
}

static uint32_t checksum(const uint8_t *data, uint64_t size)
{
	return (uint32_t)crc32_z(0, data + CHECKED_FROM, size - CHECKED_FROM);
}

static uint8_t *compress_into_file(const struct code *c, size_t *size, struct error *err)
{
	size_t room = ZSTD_compressBound(c->n);
	uint8_t *file = malloc(HEADER_BYTES + room);
	size_t n;

	if (!file)
		goto no_memory;
	n = ZSTD_compress(file + HEADER_BYTES, room, c->out, c->n, LEVEL);
	if (ZSTD_isError(n))
		goto no_memory;
	*size = HEADER_BYTES + n;
	memcpy(file, magic, sizeof(magic));
	store_number(file + 8, VERSION, 4);
	store_number(file + 16, n, 8);
	store_number(file + 24, c->n, 8);
	store_number(file + 12, checksum(file, *size), 4);
	return file;
no_memory:
	free(file);
	(void)error_set(err, ERROR_ENVIRONMENT, "out of memory");
	return NULL;
}

uint8_t *summary_pack(const struct summary *s, size_t *size, struct error *err)
{
	struct code c = { .writing = true };
	uint8_t *file = NULL;

	summary_code(&c, (struct summary *)s); /* writing changes nothing */
	if (!code_ok(&c))
		(void)error_set(err, ERROR_ENVIRONMENT, "out of memory");
	else if (c.n > CONTENTS_MOST)
		(void)error_set(err, ERROR_INPUT,
				"the summary would have %zu bytes, more than %" PRIu64
				": merge fewer traces",
				c.n, CONTENTS_MOST);
	else
		file = compress_into_file(&c, size, err);
	free(c.out);
	return file;
}

/* The header, as far as it can be said to be one. */
static int check_header(const uint8_t *data, uint64_t size, const char *name, struct error *err)
{
	uint32_t version;

	if (size < MAGIC_BYTES || memcmp(data, magic, sizeof(magic)) != 0)
		return error_set(
			err, ERROR_INPUT,
			"%s: at offset 0: not a summary: tlbtrace summarize makes one of a trace",
			name);
	if (size < HEADER_BYTES)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": cut off inside its header", name, size);
	version = load_u32(data + 8, false);
	if (version != VERSION)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset 8: a summary of version %" PRIu32
				 ", and this tlbtrace reads version %u: read it with a newer one, or "
				 "summarize the trace again",
				 name, version, VERSION);
	if (load_u64(data + 16, false) != size - HEADER_BYTES)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset 16: should have %" PRIu64 " bytes behind its header, "
				 "and has %" PRIu64 ": cut off or damaged",
				 name, load_u64(data + 16, false), size - HEADER_BYTES);
	if (load_u32(data + 12, false) != checksum(data, size))
		return error_set(err, ERROR_INPUT,
				 "%s: at offset 12: the checksum is not that of its bytes: damaged",
				 name);
	return 0;
}

/* The contents, to be freed; NULL with *err. */
static uint8_t *unpack(const uint8_t *data, uint64_t size, uint64_t *n, const char *name,
		       struct error *err)
{
	const uint8_t *packed = data + HEADER_BYTES;
	uint64_t n_packed = size - HEADER_BYTES;
	uint8_t *contents;
	size_t got;

	*n = load_u64(data + 24, false);
	if (*n > CONTENTS_MOST || ZSTD_getFrameContentSize(packed, n_packed) != *n) {
		(void)error_set(err, ERROR_INPUT,
				"%s: at offset 24: an impossible size of its contents: %" PRIu64,
				name, *n);
		return NULL;
	}
	contents = malloc(*n + 1);
	if (!contents) {
		(void)error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", name);
		return NULL;
	}
	got = ZSTD_decompress(contents, *n, packed, n_packed);
	if (!ZSTD_isError(got) && got == *n)
		return contents;
	free(contents);
	(void)error_set(err, ERROR_INPUT, "%s: at offset %u: cannot be decompressed: damaged", name,
			HEADER_BYTES);
	return NULL;
}

int summary_decode(struct summary *out, const uint8_t *contents, uint64_t n, const char *name,
		   struct error *err)
{
	struct code c = { .in = bytes_of(contents, n, 0, false) };

	*out = (struct summary){ .n_groups = 0 };
	summary_code(&c, out);
	if (code_ok(&c) && bytes_left(&c.in))
		code_fail(&c, "the end of its contents");
	out->unknown = c.unknown;
	if (code_ok(&c))
		return 0;
	summary_free(out);
	if (c.no_memory)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", name);
	return error_set(err, ERROR_INPUT,
			 "%s: at offset 0x%" PRIx64 " of its unpacked contents: %s is damaged",
			 name, c.wrong_at, c.wrong);
}

int summary_unpack(struct summary *out, const uint8_t *data, uint64_t size, const char *name,
		   struct error *err)
{
	uint8_t *contents;
	uint64_t n;
	int status;

	if (check_header(data, size, name, err))
		return -1;
	contents = unpack(data, size, &n, name, err);
	if (!contents)
		return -1;
	status = summary_decode(out, contents, n, name, err);
	free(contents);
	return status;
}

/* A path without its suffix, and the number in that; 0 where there is none. */
struct place {
	char *path; /* owned */
	unsigned long group;
};

/* A file whose name has such a suffix is itself. path is NULL where memory is short. */
static struct place find_place(const char *path)
{
	struct place p = { strdup(path), 0 };
	char *hash = p.path ? strrchr(p.path, '#') : NULL;
	char *end;

	if (!hash || hash[1] < '1' || hash[1] > '9' || access(path, F_OK) == 0)
		return p;
	p.group = strtoul(hash + 1, &end, 10);
	if (*end)
		p.group = 0;
	else
		*hash = '\0';
	return p;
}

bool summary_is(const char *path)
{
	struct place p = find_place(path);
	uint8_t head[MAGIC_BYTES];
	struct stat st;
	bool is = false;
	int fd = -1;

	/* A pipe's first bytes can be read only once. */
	if (p.path && stat(p.path, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(p.path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		is = read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
		     memcmp(head, magic, sizeof(head)) == 0;
		(void)close(fd);
	}
	free(p.path);
	return is;
}

/* The file's bytes, to be freed; NULL with *err. */
static uint8_t *load_file(const char *path, uint64_t *size, struct error *err)
{
	uint64_t most = HEADER_BYTES + ZSTD_compressBound(CONTENTS_MOST);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *data = NULL;
	struct stat st;
	ssize_t n = -1;

	if (fd < 0 || fstat(fd, &st)) {
		(void)error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
		goto out;
	}
	if ((uint64_t)st.st_size > most) {
		(void)error_set(err, ERROR_INPUT,
				"%s: at offset %" PRIu64 ": larger than a summary "
				"can be",
				path, most);
		goto out;
	}
	data = malloc((size_t)st.st_size + 1);
	for (*size = 0; data && n && *size < (uint64_t)st.st_size; *size += (uint64_t)n) {
		n = read(fd, data + *size, (size_t)st.st_size - *size);
		if (n >= 0)
			continue;
		(void)error_set(err, ERROR_INPUT, "%s: at offset %" PRIu64 ": %s", path, *size,
				strerror(errno));
		free(data);
		data = NULL;
		goto out;
	}
	if (!data)
		(void)error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
out:
	if (fd >= 0)
		(void)close(fd);
	return data;
}

static int read_place(struct summary *out, const struct place *p, size_t *group, struct error *err)
{
	uint64_t size;
	uint8_t *data = load_file(p->path, &size, err);
	int status;

	if (!data)
		return -1;
	status = summary_unpack(out, data, size, p->path, err);
	free(data);
	if (status)
		return -1;
	*group = p->group ? p->group - 1 : out->n_groups;
	if (!p->group || p->group <= out->n_groups)
		return 0;
	status = error_set(err, ERROR_USAGE, "%s#%lu: has only %zu group%s", p->path, p->group,
			   out->n_groups, out->n_groups == 1 ? "" : "s");
	summary_free(out);
	return status;
}

int summary_read(struct summary *out, const char *path, size_t *group, struct error *err)
{
	struct place p = find_place(path);
	int status;

	if (!p.path)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
	status = read_place(out, &p, group, err);
	free(p.path);
	return status;
}
