/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracebuild.h - trace.dat files made in memory, for what no recorded trace at hand has: other byte
 * orders, 4-byte longs, zlib, marks of lost events.
 *
 * Everything that is put goes to the end of the block, in the block's byte order.
 */
#ifndef TLBTRACE_TESTS_TRACEBUILD_H
#define TLBTRACE_TESTS_TRACEBUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/source.h"

struct block {
	uint8_t *data; /* to free */
	size_t size;
	bool big_endian;
	unsigned long_size; /* of the traced kernel and its user space */
};

void put(struct block *block, const void *data, size_t size);
void put_text(struct block *block, const char *text); /* with its NUL */
void put_u8(struct block *block, uint8_t v);
void put_u16(struct block *block, uint16_t v);
void put_u32(struct block *block, uint32_t v);
void put_u64(struct block *block, uint64_t v);
void put_long(struct block *block, uint64_t v);
void pad_to(struct block *block, size_t size); /* with zeros */
void patch_u32(struct block *block, size_t at, uint32_t v);
void patch_u64(struct block *block, size_t at, uint64_t v);

/* A ring buffer page at the end of the block: begin, events, end. */
size_t page_begin(struct block *block, uint64_t time);
void page_data(struct block *block, uint32_t delta, const void *data, size_t size); /* <= 112 */
void page_long_data(struct block *block, uint32_t delta, const void *data, size_t size);
void page_word(struct block *block, uint32_t type, uint32_t delta, uint32_t word); /* 8 bytes */
/* page is what page_begin returned; flags go to the commit word; missed is stored after the data. */
void page_end(struct block *block, size_t page, size_t page_size, uint32_t flags, uint64_t missed);

#define COMMIT_MISSED (UINT32_C(1) << 31)
#define COMMIT_STORED (UINT32_C(1) << 30)

#define TLBIE_ID 30
#define HCALL_ID 31
#define STACK_ID 4
#define PAGE_SIZE_BUILT 4096

/* A powerpc:tlbie record of the block's long size, as the kernel writes it. */
size_t tlbie_record(const struct block *like, uint8_t *to, int32_t tid, uint64_t rb);

/* A powerpc:hcall_entry record. */
size_t hcall_record(const struct block *like, uint8_t *to, int32_t tid, uint64_t opcode);

/* A ftrace:kernel_stack record with so many addresses. */
size_t stack_record(const struct block *like, uint8_t *to, const uint64_t *ips, unsigned n);

/* A whole file whose CPU n has the pages in cpus[n]; the names of the formats as in the file. */
struct block build_v6(const struct block *cpus, uint32_t n);
/* compression: "none", "zstd" or "zlib"; each CPU's pages are cut into chunks of chunk_pages. */
struct block build_v7(const struct block *cpus, uint32_t n, const char *compression,
		      uint32_t chunk_pages);

/* Opens the file in memory; source_open's results. The block may be freed afterwards. */
struct source *open_block(const struct block *block, struct error *err);

/* A block with the content of the file tests/data/<name>; fails the test if there is none. */
struct block read_fixture(const char *name);

/* The path of tests/data/<name>; valid until the next call. */
const char *fixture(const char *name);

/* Replaces the n-th occurrence (from 0) of a text by one of the same length; false if there is none. */
bool replace_text(struct block *block, const char *from, const char *to, unsigned nth);

#endif
