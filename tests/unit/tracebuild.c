/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracebuild.c - trace.dat files made in memory. */
#include "tracebuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
/* cmocka.h needs the four headers above it */
#include <cmocka.h>

/* What the data of a block of that size has room for: a power of two. */
static size_t room_for(size_t size)
{
	size_t room = 64;

	while (room <= size)
		room *= 2;
	return room;
}

/* So many bytes more at the end of the block, to be filled. */
static uint8_t *extend(struct block *block, size_t size)
{
	size_t room = room_for(block->size + size);

	if (!block->data || room != room_for(block->size))
		block->data = realloc(block->data, room);
	assert_non_null(block->data);
	block->size += size;
	return block->data + block->size - size;
}

void put(struct block *block, const void *data, size_t size)
{
	uint8_t *at = extend(block, size);

	if (size)
		memcpy(at, data, size);
}

static void store(const struct block *block, uint8_t *to, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[block->big_endian ? size - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

static void put_number(struct block *block, uint64_t v, unsigned size)
{
	uint8_t bytes[8];

	store(block, bytes, v, size);
	put(block, bytes, size);
}

static void patch_number(struct block *block, size_t at, uint64_t v, unsigned size)
{
	store(block, block->data + at, v, size);
}

void put_text(struct block *block, const char *text)
{
	put(block, text, strlen(text) + 1);
}

void put_u8(struct block *block, uint8_t v)
{
	put_number(block, v, 1);
}

void put_u16(struct block *block, uint16_t v)
{
	put_number(block, v, 2);
}

void put_u32(struct block *block, uint32_t v)
{
	put_number(block, v, 4);
}

void put_u64(struct block *block, uint64_t v)
{
	put_number(block, v, 8);
}

void put_long(struct block *block, uint64_t v)
{
	put_number(block, v, block->long_size);
}

void pad_to(struct block *block, size_t size)
{
	if (size > block->size) {
		size -= block->size;
		memset(extend(block, size), 0, size);
	}
}

void patch_u32(struct block *block, size_t at, uint32_t v)
{
	patch_number(block, at, v, 4);
}

void patch_u64(struct block *block, size_t at, uint64_t v)
{
	patch_number(block, at, v, 8);
}

size_t page_begin(struct block *block, uint64_t time)
{
	size_t page = block->size;

	put_u64(block, time);
	put_long(block, 0);
	return page;
}

static void put_header(struct block *block, uint32_t type, uint32_t delta)
{
	put_u32(block, block->big_endian ? type << 27 | delta : delta << 5 | type);
}

void page_data(struct block *block, uint32_t delta, const void *data, size_t size)
{
	put_header(block, (uint32_t)(size + 3) / 4, delta);
	put(block, data, size);
	while (size++ % 4)
		put_u8(block, 0);
}

void page_long_data(struct block *block, uint32_t delta, const void *data, size_t size)
{
	put_header(block, 0, delta);
	put_u32(block, (uint32_t)size + 4);
	put(block, data, size);
	while (size++ % 4)
		put_u8(block, 0);
}

void page_word(struct block *block, uint32_t type, uint32_t delta, uint32_t word)
{
	put_header(block, type, delta);
	put_u32(block, word);
}

void page_end(struct block *block, size_t page, size_t page_size, uint32_t flags, uint64_t missed)
{
	uint64_t len = block->size - page - 8 - block->long_size;

	patch_number(block, page + 8, len | flags, block->long_size);
	if (flags & COMMIT_STORED)
		put_long(block, missed);
	assert_true(block->size - page <= page_size);
	pad_to(block, page + page_size);
}

size_t stack_record(const struct block *like, uint8_t *to, const uint64_t *ips, unsigned n)
{
	struct block rec = { .big_endian = like->big_endian, .long_size = like->long_size };
	size_t size;

	put_u16(&rec, STACK_ID);
	pad_to(&rec, 8);
	put_u32(&rec, n);
	pad_to(&rec, 16);
	for (unsigned i = 0; i < n; i++)
		put_long(&rec, ips[i]);
	size = rec.size;
	memcpy(to, rec.data, size);
	free(rec.data);
	return size;
}

size_t tlbie_record(const struct block *like, uint8_t *to, int32_t tid, uint64_t rb)
{
	struct block rec = { .big_endian = like->big_endian, .long_size = like->long_size };
	size_t size;

	put_u16(&rec, TLBIE_ID);
	put_u8(&rec, 0x08); /* TRACE_FLAG_HARDIRQ */
	put_u8(&rec, 0);
	put_u32(&rec, (uint32_t)tid);
	put_long(&rec, 0); /* lpid */
	put_long(&rec, 1); /* local */
	put_long(&rec, rb);
	put_long(&rec, UINT64_C(0x10) << (rec.long_size * 4)); /* rs */
	put_long(&rec, 2);				       /* ric */
	put_long(&rec, 1);				       /* prs */
	put_long(&rec, 1);				       /* r */
	memcpy(to, rec.data, rec.size);
	size = rec.size;
	free(rec.data);
	return size;
}

size_t hcall_record(const struct block *like, uint8_t *to, int32_t tid, uint64_t opcode)
{
	struct block rec = { .big_endian = like->big_endian, .long_size = like->long_size };
	size_t size;

	put_u16(&rec, HCALL_ID);
	put_u16(&rec, 0);
	put_u32(&rec, (uint32_t)tid);
	put_long(&rec, opcode);
	memcpy(to, rec.data, rec.size);
	size = rec.size;
	free(rec.data);
	return size;
}

/* ---- headers ---- */

static void put_sized(struct block *block, const char *text)
{
	put_u64(block, strlen(text));
	put(block, text, strlen(text));
}

static void put_header_info(struct block *file)
{
	unsigned l = file->long_size;
	char text[512];

	snprintf(text, sizeof(text),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		 l, 8 + l, PAGE_SIZE_BUILT - 8 - l);
	put_text(file, "header_page");
	put_sized(file, text);
	put_text(file, "header_event");
	put_sized(file, "# compressed entry header\n");
}

static int common_fields(char *text, size_t size, const char *name, int id)
{
	return snprintf(text, size,
			"name: %s\nID: %d\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
			"\tsigned:0;\n"
			"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
			name, id);
}

static void put_stack_format(struct block *file)
{
	char text[1024];
	int n = common_fields(text, sizeof(text), "kernel_stack", STACK_ID);

	snprintf(text + n, sizeof(text) - (size_t)n,
		 "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:unsigned long caller[8];\toffset:16;\tsize:%u;\tsigned:0;\n"
		 "\nprint fmt: \"\"\n",
		 8 * file->long_size);
	put_text(file, "ftrace");
	put_u32(file, 1);
	put_sized(file, text);
}

static void put_systems(struct block *file)
{
	static const char *const fields[] = { "lpid", "local", "rb", "rs", "ric", "prs", "r" };
	unsigned l = file->long_size;
	char text[2048];
	int n = common_fields(text, sizeof(text), "tlbie", TLBIE_ID);

	for (unsigned i = 0; i < 7; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "\tfield:unsigned long %s;\toffset:%u;\tsize:%u;\tsigned:0;\n",
			      fields[i], 8 + i * l, l);
	snprintf(text + n, sizeof(text) - (size_t)n, "\nprint fmt: \"lpid=%%ld\", REC->lpid\n");
	put_u32(file, 2);
	put_text(file, "powerpc");
	put_u32(file, 2);
	put_sized(file, text);
	n = common_fields(text, sizeof(text), "hcall_entry", HCALL_ID);
	snprintf(text + n, sizeof(text) - (size_t)n,
		 "\tfield:unsigned long opcode;\toffset:8;\tsize:%u;\tsigned:0;\n"
		 "\nprint fmt: \"opcode=%%lu\", REC->opcode\n",
		 l);
	put_sized(file, text);
	put_stack_format(file);
}

static struct block begin_file(const struct block *cpus, const char *version)
{
	static const uint8_t magic[] = "\x17\x08\x44tracing";
	struct block file = { .big_endian = cpus->big_endian, .long_size = cpus->long_size };

	put(&file, magic, 10);
	put_text(&file, version);
	put_u8(&file, file.big_endian);
	put_u8(&file, (uint8_t)file.long_size);
	put_u32(&file, PAGE_SIZE_BUILT);
	return file;
}

static void put_option(struct block *file, uint16_t id, const char *text)
{
	put_u16(file, id);
	put_u32(file, (uint32_t)strlen(text) + 1);
	put_text(file, text);
}

static void put_common_options(struct block *file)
{
	put_option(file, 4, "[local] global counter\n");
	put_option(file, 5, "Linux (none) 6.1.0-test ppc64");
	put_option(file, 9, "3.1.6 test");
}

struct block build_v6(const struct block *cpus, uint32_t n)
{
	struct block file = begin_file(cpus, "6");
	size_t table;

	put_header_info(&file);
	put_u32(&file, 0); /* ftrace formats */
	put_systems(&file);
	put_u32(&file, 0); /* kallsyms */
	put_u32(&file, 0); /* printk */
	put_sized(&file, "7 seven\n12 twelve\n");
	put_u32(&file, n);
	put(&file, "options  ", 10);
	put_common_options(&file);
	put_u16(&file, 0);
	put(&file, "flyrecord", 10);
	table = file.size;
	pad_to(&file, table + 16 * (size_t)n);
	put_sized(&file, "[local] global counter\n");
	for (uint32_t i = 0; i < n; i++) {
		pad_to(&file, (file.size + PAGE_SIZE_BUILT - 1) / PAGE_SIZE_BUILT * PAGE_SIZE_BUILT);
		patch_u64(&file, table + 16 * (size_t)i, file.size);
		patch_u64(&file, table + 16 * (size_t)i + 8, cpus[i].size);
		put(&file, cpus[i].data, cpus[i].size);
	}
	return file;
}

/* ---- version 7 ---- */

static size_t put_section(struct block *file, uint16_t id, uint16_t flags)
{
	size_t at = file->size;

	put_u16(file, id);
	put_u16(file, flags);
	put_u32(file, 0);
	put_u64(file, 0);
	return at;
}

static void end_section(struct block *file, size_t at)
{
	patch_u64(file, at + 8, file->size - at - 16);
}

static void put_compressed(struct block *file, const char *compression, const uint8_t *data,
			   size_t size)
{
	size_t room = size + 4096, n = 0;
	uint8_t *out = malloc(room);
	uLongf zn = room;

	assert_non_null(out);
	if (!strcmp(compression, "zlib")) {
		assert_int_equal(compress2(out, &zn, data, size, 6), Z_OK);
		n = zn;
	} else {
		n = ZSTD_compress(out, room, data, size, 3);
		assert_false(ZSTD_isError(n));
	}
	put_u32(file, (uint32_t)n);
	put_u32(file, (uint32_t)size);
	put(file, out, n);
	free(out);
}

static size_t put_packed_section(struct block *file, uint16_t id, const char *compression,
				 struct block *content)
{
	bool packed = strcmp(compression, "none");
	size_t at = put_section(file, id, packed);

	if (packed)
		put_compressed(file, compression, content->data, content->size);
	else
		put(file, content->data, content->size);
	end_section(file, at);
	free(content->data);
	return at;
}

/* Returns the bytes as the table has them: without the number of chunks. */
static size_t put_cpu(struct block *file, const char *compression, const struct block *cpu,
		      uint32_t chunk_pages)
{
	size_t chunk = (size_t)chunk_pages * PAGE_SIZE_BUILT, start = file->size;

	if (!strcmp(compression, "none")) {
		put(file, cpu->data, cpu->size);
		return cpu->size;
	}
	put_u32(file, (uint32_t)((cpu->size + chunk - 1) / chunk));
	for (size_t at = 0; at < cpu->size; at += chunk)
		put_compressed(file, compression, cpu->data + at,
			       cpu->size - at < chunk ? cpu->size - at : chunk);
	return file->size - start - 4;
}

static void put_pointer(struct block *file, uint16_t id, size_t at)
{
	put_u16(file, id);
	put_u32(file, 8);
	put_u64(file, at);
}

static size_t put_head_sections(struct block *file, const char *compression, size_t at[3])
{
	struct block content = { .big_endian = file->big_endian, .long_size = file->long_size };
	struct block empty = content;
	size_t options;

	put_header_info(&content);
	at[0] = put_packed_section(file, 16, compression, &content);
	content = empty;
	put_systems(&content);
	at[1] = put_packed_section(file, 18, compression, &content);
	content = empty;
	put_sized(&content, "7 seven\n12 twelve\n");
	at[2] = put_packed_section(file, 21, compression, &content);
	options = put_section(file, 0, 0);
	put_pointer(file, 16, at[0]);
	put_pointer(file, 18, at[1]);
	put_pointer(file, 21, at[2]);
	put_common_options(file);
	return options;
}

struct block build_v7(const struct block *cpus, uint32_t n, const char *compression,
		      uint32_t chunk_pages)
{
	struct block file = begin_file(cpus, "7");
	size_t pointer, options, next, data, at[3], start, where[16], bytes[16];

	put_text(&file, compression);
	put_text(&file, "1.0");
	pointer = file.size;
	put_u64(&file, 0);
	options = put_head_sections(&file, compression, at);
	patch_u64(&file, pointer, options);
	put_u16(&file, 8); /* CPUCOUNT */
	put_u32(&file, 4);
	put_u32(&file, n);
	put_pointer(&file, 0, 0);
	next = file.size - 8;
	end_section(&file, options);
	data = put_section(&file, 3, strcmp(compression, "none") ? 1 : 0);
	for (uint32_t i = 0; i < n; i++) {
		pad_to(&file, (file.size + PAGE_SIZE_BUILT - 1) / PAGE_SIZE_BUILT * PAGE_SIZE_BUILT);
		where[i] = file.size;
		bytes[i] = put_cpu(&file, compression, &cpus[i], chunk_pages);
	}
	end_section(&file, data);
	patch_u64(&file, next, file.size);
	options = put_section(&file, 0, 0);
	put_u16(&file, 3);
	put_u32(&file, (uint32_t)(8 + 1 + 6 + 8 + 20 * n));
	start = file.size;
	put_u64(&file, data);
	put_text(&file, "");
	put_text(&file, "local");
	put_u32(&file, PAGE_SIZE_BUILT);
	put_u32(&file, n);
	for (uint32_t i = 0; i < n; i++) {
		put_u32(&file, i);
		put_u64(&file, where[i]);
		put_u64(&file, bytes[i]);
	}
	assert_int_equal(file.size - start, 8 + 1 + 6 + 8 + 20 * n);
	put_pointer(&file, 0, 0);
	end_section(&file, options);
	return file;
}

/* ---- files ---- */

struct source *open_block(const struct block *block, struct error *err)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);
	struct source *src;
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, block->data, block->size), (ssize_t)block->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*err = (struct error){ 0 };
	src = source_open(path, err);
	close(fd);
	return src;
}

const char *fixture(const char *name)
{
	static char path[4096];
	const char *dir = getenv("DATA");

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "tests/data", name);
	return path;
}

struct block read_fixture(const char *name)
{
	struct block block = { .long_size = 8 };
	FILE *file = fopen(fixture(name), "rb");
	uint8_t part[65536];
	size_t n;

	assert_non_null(file);
	while ((n = fread(part, 1, sizeof(part), file)) > 0)
		put(&block, part, n);
	fclose(file);
	return block;
}

bool replace_text(struct block *block, const char *from, const char *to, unsigned nth)
{
	size_t len = strlen(from);
	uint8_t *at = block->data;

	assert_int_equal(len, strlen(to));
	for (;;) {
		at = memmem(at, (size_t)(block->data + block->size - at), from, len);
		if (!at)
			return false;
		if (!nth--)
			break;
		at += len;
	}
	memcpy(at, to, len);
	return true;
}
