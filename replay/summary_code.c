/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_code.c - the elements of a summary's file. */
#include "replay/summary_code.h"

#include <stdlib.h>
#include <string.h>

#define TAG_BYTES 4u
#define SIZE_BYTES 8u
#define VARINT_MOST 10u

bool code_ok(const struct code *c)
{
	return !c->wrong && !c->no_memory;
}

void code_fail(struct code *c, const char *what)
{
	if (c->wrong)
		return;
	c->wrong = what;
	c->wrong_at = bytes_offset(&c->in);
}

static void put(struct code *c, const void *from, size_t n)
{
	if (c->room - c->n < n && !c->no_memory) {
		size_t room = 2 * c->room + n + 256;
		uint8_t *more = realloc(c->out, room);

		c->no_memory = !more;
		if (more) {
			c->out = more;
			c->room = room;
		}
	}
	if (c->no_memory || n == 0)
		return;
	memcpy(c->out + c->n, from, n);
	c->n += n;
}

static void put_varint(struct code *c, uint64_t v)
{
	uint8_t buf[VARINT_MOST];
	size_t n = 0;

	do {
		buf[n] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (buf[n++] & 0x80);
	put(c, buf, n);
}

static uint64_t get_varint(struct code *c, const char *what)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < VARINT_MOST && code_ok(c); i++) {
		const uint8_t *byte = bytes_take(&c->in, 1);

		if (!byte || (i + 1 == VARINT_MOST && *byte > 1) || (i && *byte == 0))
			break; /* cut off, too large, or longer than it need be */
		v |= (uint64_t)(*byte & 0x7f) << 7 * i;
		if (!(*byte & 0x80))
			return v;
	}
	code_fail(c, what);
	return 0;
}

static uint64_t load(const void *v, size_t width)
{
	return load_uint(v, (unsigned)width, host_is_big_endian());
}

static void store(void *v, size_t width, uint64_t value)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	memcpy(v,
	       width == 1   ? (void *)&u8
	       : width == 2 ? (void *)&u16
	       : width == 4 ? (void *)&u32
			    : (void *)&value,
	       width);
}

static uint64_t most_of(size_t width)
{
	return width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

void code_number(struct code *c, void *v, size_t width, uint64_t max, const char *what)
{
	uint64_t value;

	if (c->writing) {
		put_varint(c, load(v, width));
		return;
	}
	value = get_varint(c, what);
	if (value > max || value > most_of(width)) {
		code_fail(c, what);
		value = 0;
	}
	store(v, width, value);
}

void code_flag(struct code *c, bool *v, const char *what)
{
	uint8_t byte = *v;

	code_number(c, &byte, sizeof(byte), 1, what);
	*v = byte;
}

/* Small numbers of either sign are short: 0, -1, 1, -2, … */
void code_signed(struct code *c, int32_t *v, const char *what)
{
	uint32_t bits = (uint32_t)*v << 1 ^ (*v < 0 ? UINT32_MAX : 0);

	code_number(c, &bits, sizeof(bits), UINT32_MAX, what);
	*v = (int32_t)(bits >> 1 ^ (bits & 1 ? UINT32_MAX : 0));
}

void code_bytes(struct code *c, void *v, size_t n, const char *what)
{
	const uint8_t *from;

	if (c->writing) {
		put(c, v, n);
		return;
	}
	from = code_ok(c) ? bytes_take(&c->in, n) : NULL;
	if (from)
		memcpy(v, from, n);
	else
		code_fail(c, what);
}

void code_text(struct code *c, char *text, size_t size, const char *what)
{
	uint64_t len = c->writing ? strnlen(text, size - 1) : 0;

	code_number(c, &len, sizeof(len), size - 1, what);
	if (!c->writing)
		memset(text, 0, size);
	code_bytes(c, text, len, what);
	if (!c->writing && strlen(text) != len)
		code_fail(c, what);
}

void code_items(struct code *c, void **items, size_t *n, size_t item_size, size_t least_bytes,
		const char *what)
{
	uint64_t count = *n;

	code_number(c, &count, sizeof(count),
		    c->writing ? UINT64_MAX : bytes_left(&c->in) / least_bytes, what);
	if (c->writing)
		return;
	*n = 0;
	*items = NULL;
	if (!code_ok(c) || count == 0)
		return;
	*items = calloc(count, item_size);
	c->no_memory = !*items;
	*n = *items ? count : 0;
}

static struct code_part begin_writing(struct code *c, const char *tag)
{
	static const uint8_t no_size[SIZE_BYTES];

	put(c, tag, TAG_BYTES);
	put(c, no_size, sizeof(no_size));
	return (struct code_part){ c->n };
}

static bool is_optional(const uint8_t *tag)
{
	return tag[0] >= 'a' && tag[0] <= 'z';
}

static void pass_over_optional(struct code *c)
{
	while (code_ok(c) && bytes_left(&c->in) >= TAG_BYTES + SIZE_BYTES &&
	       is_optional(c->in.data + c->in.at)) {
		(void)bytes_take(&c->in, TAG_BYTES);
		if (!bytes_take(&c->in, bytes_u64(&c->in)))
			code_fail(c, "a part's size");
		c->unknown++;
	}
}

struct code_part code_begin(struct code *c, const char tag[4])
{
	struct code_part part = { c->in.size };
	const uint8_t *found;
	uint64_t size;

	if (c->writing)
		return begin_writing(c, tag);
	pass_over_optional(c);
	if (!code_ok(c))
		return part;
	found = bytes_take(&c->in, TAG_BYTES);
	size = bytes_u64(&c->in);
	if (c->in.failed || size > bytes_left(&c->in))
		code_fail(c, "a part's size");
	else if (memcmp(found, tag, TAG_BYTES) != 0)
		code_fail(c, "a part in the wrong place, or of a newer version,");
	else
		c->in.size = c->in.at + size;
	return part;
}

void code_end(struct code *c, struct code_part part)
{
	if (!c->writing) {
		pass_over_optional(c);
		if (code_ok(c) && bytes_left(&c->in))
			code_fail(c, "a part's end");
		c->in.size = part.outer;
		return;
	}
	for (unsigned i = 0; i < SIZE_BYTES && !c->no_memory; i++)
		c->out[part.outer - SIZE_BYTES + i] = (uint8_t)((c->n - part.outer) >> 8 * i);
}
