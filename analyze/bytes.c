/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes.c - numbers and strings taken out of a block of file bytes, every access checked. */
#include "analyze/bytes.h"

struct bytes bytes_of(const void *data, uint64_t size, uint64_t origin, bool big_endian)
{
	struct bytes b = {
		.data = data,
		.size = size,
		.origin = origin,
		.big_endian = big_endian,
	};

	return b;
}

struct bytes bytes_slice(const struct bytes *b, uint64_t at, uint64_t size)
{
	struct bytes part = bytes_of(NULL, 0, b->origin, b->big_endian);

	if (at > b->size || size > b->size - at) {
		part.failed = true;
		return part;
	}
	part.data = b->data + at;
	part.size = size;
	part.origin = b->origin + at;
	return part;
}

uint64_t bytes_left(const struct bytes *b)
{
	return b->size - b->at;
}

uint64_t bytes_offset(const struct bytes *b)
{
	return b->origin + b->at;
}

const uint8_t *bytes_take(struct bytes *b, uint64_t n)
{
	const uint8_t *at;

	if (b->failed || n > bytes_left(b)) {
		b->failed = true;
		return NULL;
	}
	at = b->data + b->at;
	b->at += n;
	return at;
}

uint16_t bytes_u16(struct bytes *b)
{
	const uint8_t *at = bytes_take(b, 2);

	return at ? load_u16(at, b->big_endian) : 0;
}

uint32_t bytes_u32(struct bytes *b)
{
	const uint8_t *at = bytes_take(b, 4);

	return at ? load_u32(at, b->big_endian) : 0;
}

uint64_t bytes_u64(struct bytes *b)
{
	const uint8_t *at = bytes_take(b, 8);

	return at ? load_u64(at, b->big_endian) : 0;
}

const char *bytes_string(struct bytes *b)
{
	const uint8_t *end;

	if (b->failed || !bytes_left(b)) {
		b->failed = true;
		return NULL;
	}
	end = memchr(b->data + b->at, 0, bytes_left(b));
	if (!end) {
		b->failed = true;
		return NULL;
	}
	return (const char *)bytes_take(b, (uint64_t)(end - (b->data + b->at)) + 1);
}

void text_copy(char *to, size_t size, const void *from, uint64_t len)
{
	size_t n = len < size - 1 ? (size_t)len : size - 1;

	if (n)
		memcpy(to, from, n);
	to[n] = '\0';
}
