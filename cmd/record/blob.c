/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob.c - a growing block of bytes. */
#include "cmd/record/blob.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool reserve(struct blob *b, size_t more)
{
	size_t room = b->room ? b->room : 4096;
	uint8_t *bigger;

	if (b->failed || more > SIZE_MAX / 4 - b->size)
		b->failed = true;
	if (b->failed || b->size + more <= b->room)
		return !b->failed;
	while (room < b->size + more)
		room *= 2;
	bigger = realloc(b->data, room);
	if (!bigger) {
		b->failed = true;
		return false;
	}
	b->data = bigger;
	b->room = room;
	return true;
}

void blob_put(struct blob *b, const void *data, size_t size)
{
	if (!size || !reserve(b, size))
		return;
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

void blob_text(struct blob *b, const char *text)
{
	blob_put(b, text, strlen(text) + 1);
}

void blob_u16(struct blob *b, uint16_t v)
{
	blob_put(b, &v, sizeof(v));
}

void blob_u32(struct blob *b, uint32_t v)
{
	blob_put(b, &v, sizeof(v));
}

void blob_u64(struct blob *b, uint64_t v)
{
	blob_put(b, &v, sizeof(v));
}

void blob_fill(struct blob *b, uint8_t byte, size_t n)
{
	if (!n || !reserve(b, n))
		return;
	memset(b->data + b->size, byte, n);
	b->size += n;
}

void blob_patch_u64(struct blob *b, size_t at, uint64_t v)
{
	if (!b->failed && at + sizeof(v) <= b->size)
		memcpy(b->data + at, &v, sizeof(v));
}

bool blob_file(struct blob *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	while (fd >= 0 && reserve(b, 65536)) {
		n = read(fd, b->data + b->size, 65536);
		if (n <= 0)
			break;
		b->size += (size_t)n;
	}
	if (fd >= 0)
		(void)close(fd);
	return n == 0;
}
