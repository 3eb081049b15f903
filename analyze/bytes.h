/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - numbers and strings taken out of a block of file bytes, every access checked.
 *
 * A read past the end yields zeros and sets .failed, which stays set: a caller reads a whole
 * structure and asks once. load_*() are the unchecked loads for callers that checked before.
 */
#ifndef TLBTRACE_BYTES_H
#define TLBTRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *data;
	uint64_t size;
	uint64_t at;	 /* next byte to read, <= size */
	uint64_t origin; /* where data[0] is in its file, for messages */
	bool big_endian;
	bool failed;
};

static inline bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static inline uint16_t load_u16(const void *at, bool big_endian)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return big_endian == host_is_big_endian() ? v : __builtin_bswap16(v);
}

static inline uint32_t load_u32(const void *at, bool big_endian)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return big_endian == host_is_big_endian() ? v : __builtin_bswap32(v);
}

static inline uint64_t load_u64(const void *at, bool big_endian)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return big_endian == host_is_big_endian() ? v : __builtin_bswap64(v);
}

/* An unsigned number of 1, 2, 4 or 8 bytes; 0 for any other size. */
static inline uint64_t load_uint(const void *at, unsigned int size, bool big_endian)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return load_u16(at, big_endian);
	case 4:
		return load_u32(at, big_endian);
	case 8:
		return load_u64(at, big_endian);
	default:
		return 0;
	}
}

struct bytes bytes_of(const void *data, uint64_t size, uint64_t origin, bool big_endian);

/* The block [at, at + size) of b, independent of its position; failed if it is not inside. */
struct bytes bytes_slice(const struct bytes *b, uint64_t at, uint64_t size);

uint64_t bytes_left(const struct bytes *b);

/* The position as an offset of the file. */
uint64_t bytes_offset(const struct bytes *b);

uint16_t bytes_u16(struct bytes *b);
uint32_t bytes_u32(struct bytes *b);
uint64_t bytes_u64(struct bytes *b);

/* n bytes, owned by the block; NULL and failed if fewer are left. */
const uint8_t *bytes_take(struct bytes *b, uint64_t n);

/* A string that ends with a NUL inside the block, owned by it; NULL and failed if there is none. */
const char *bytes_string(struct bytes *b);

/* Copies at most size - 1 bytes of a text that need not be terminated, and terminates it. */
void text_copy(char *to, size_t size, const void *from, uint64_t len);

#endif
