/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blob.h - bytes that grow at their end, in the byte order of this machine.
 *
 * A blob without memory fails once and stays failed; a caller asks at the end.
 */
#ifndef TLBTRACE_BLOB_H
#define TLBTRACE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob {
	uint8_t *data; /* to free */
	size_t size;
	size_t room;
	bool failed;
};

void blob_put(struct blob *b, const void *data, size_t size);
void blob_text(struct blob *b, const char *text); /* with its NUL */
void blob_u16(struct blob *b, uint16_t v);
void blob_u32(struct blob *b, uint32_t v);
void blob_u64(struct blob *b, uint64_t v);
void blob_fill(struct blob *b, uint8_t byte, size_t n);
void blob_patch_u64(struct blob *b, size_t at, uint64_t v);

/* A whole file of unknown size, such as those of /proc. Returns false if it cannot be read. */
bool blob_file(struct blob *b, const char *path);

#endif
