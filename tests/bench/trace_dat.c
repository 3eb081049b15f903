/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_dat.c - workloads as a trace.dat of version 6, or of version 7 with zstd. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "out.h"

#define CHUNK_PAGES 10 /* of trace-cmd */
#define CHUNK_BYTES ((size_t)CHUNK_PAGES * PAGE_BYTES)
#define PAGE_HEAD 16 /* bytes before a page's first event */
#define TYPE_TIME_EXTEND 30
#define DELTA_MAX ((UINT64_C(1) << 27) - 1)

enum {
	OPTION_BUFFER = 3,
	OPTION_CLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_CPUS = 8,
	SECTION_HEADERS = 16,
	SECTION_FTRACE = 17,
	SECTION_FORMATS = 18,
	SECTION_SYMBOLS = 19,
	SECTION_PRINTK = 20,
	SECTION_COMMANDS = 21,
	COMPRESSED = 1,
};

/* One CPU's pages on their way into the file. */
struct pages {
	struct out *out;
	ZSTD_CCtx *zstd; /* NULL: not compressed */
	uint8_t *chunk;	 /* CHUNK_BYTES */
	uint32_t full;	 /* pages of the chunk that are complete */
	uint32_t at;	 /* in the page at work; 0: not begun */
	uint64_t time_ns;
	uint32_t chunks;
};

static void write_packed(struct out *out, ZSTD_CCtx *zstd, const void *data, size_t size)
{
	size_t room = ZSTD_compressBound(size);
	void *packed = malloc(room);
	size_t n = packed ? ZSTD_compressCCtx(zstd, packed, room, data, size, 3) : 0;

	if (!packed || ZSTD_isError(n))
		out_fail(out->path, "cannot compress");
	out_u32(out, (uint32_t)n);
	out_u32(out, (uint32_t)size);
	out_put(out, packed, n);
	free(packed);
}

static void flush_chunk(struct pages *p)
{
	size_t size = (size_t)p->full * PAGE_BYTES;

	if (size && p->zstd)
		write_packed(p->out, p->zstd, p->chunk, size);
	else if (size)
		out_put(p->out, p->chunk, size);
	p->chunks += size != 0;
	p->full = 0;
}

static void end_page(struct pages *p)
{
	uint8_t *page = p->chunk + (size_t)p->full * PAGE_BYTES;
	uint64_t commit = p->at - PAGE_HEAD;

	if (!p->at)
		return;
	memcpy(page + 8, &commit, sizeof(commit));
	memset(page + p->at, 0, PAGE_BYTES - p->at);
	p->at = 0;
	if (++p->full == CHUNK_PAGES)
		flush_chunk(p);
}

static void begin_page(struct pages *p, uint64_t time_ns)
{
	memcpy(p->chunk + (size_t)p->full * PAGE_BYTES, &time_ns, sizeof(time_ns));
	p->at = PAGE_HEAD;
	p->time_ns = time_ns;
}

static void put_header(uint8_t *page, uint32_t *at, uint32_t type, uint64_t delta)
{
	uint32_t word = type | (uint32_t)delta << 5;

	memcpy(page + *at, &word, sizeof(word));
	*at += 4;
}

static void add_record(void *arg, uint64_t time_ns, const void *data, unsigned size)
{
	struct pages *p = arg;
	uint32_t high;
	uint8_t *page;

	if (p->at + size + 12 > PAGE_BYTES)
		end_page(p);
	if (!p->at)
		begin_page(p, time_ns);
	page = p->chunk + (size_t)p->full * PAGE_BYTES;
	if (time_ns - p->time_ns > DELTA_MAX) {
		high = (uint32_t)((time_ns - p->time_ns) >> 27);
		put_header(page, &p->at, TYPE_TIME_EXTEND, (time_ns - p->time_ns) & DELTA_MAX);
		memcpy(page + p->at, &high, sizeof(high));
		p->at += 4;
		p->time_ns = time_ns;
	}
	put_header(page, &p->at, size / 4, time_ns - p->time_ns);
	memcpy(page + p->at, data, size);
	p->at += size;
	p->time_ns = time_ns;
}

static void write_cpu(struct pages *p, struct workload *w)
{
	w->emit = add_record;
	w->arg = p;
	while (workload_step(w))
		;
	end_page(p);
	flush_chunk(p);
}

static void put_option(struct out *out, uint16_t id, const char *text)
{
	out_u16(out, id);
	out_u32(out, (uint32_t)strlen(text) + 1);
	out_text(out, text);
}

static void put_options(struct out *out)
{
	put_option(out, OPTION_CLOCK, "[local] global counter mono\n");
	put_option(out, OPTION_UNAME, "Linux bench 6.1.0-50-powerpc64le ppc64le");
}

static void begin_file(struct out *out, const char *version)
{
	out_put(out, "\x17\x08\x44tracing", 10);
	out_text(out, version);
	out_put(out, "\0\x08", 2); /* little-endian, 8 bytes in a long */
	out_u32(out, PAGE_BYTES);
}

static void write_v6(struct out *out, struct workload *cpus, uint32_t n, struct pages *pages)
{
	uint64_t table, start;

	begin_file(out, "6");
	out_header_texts(out);
	out_u32(out, 0); /* ftrace's formats */
	out_systems(out);
	out_u32(out, 0); /* symbols */
	out_u32(out, 0); /* printk formats */
	out_sized(out, "");
	out_u32(out, n);
	out_put(out, "options  ", 10);
	put_options(out);
	out_u16(out, 0);
	out_put(out, "flyrecord", 10);
	table = out->at;
	for (uint32_t i = 0; i < 2 * n; i++)
		out_u64(out, 0);
	out_sized(out, "[local] global counter\n");
	for (uint32_t i = 0; i < n; i++) {
		out_pad(out, PAGE_BYTES);
		start = out->at;
		write_cpu(pages, &cpus[i]);
		out_patch_u64(out, table + 16 * (uint64_t)i, start);
		out_patch_u64(out, table + 16 * (uint64_t)i + 8, out->at - start);
	}
}

static uint64_t begin_section(struct out *out, uint16_t id, uint16_t flags)
{
	uint64_t at = out->at;

	out_u16(out, id);
	out_u16(out, flags);
	out_u32(out, 0);
	out_u64(out, 0);
	return at;
}

static void end_section(struct out *out, uint64_t at)
{
	out_patch_u64(out, at + 8, out->at - at - 16);
}

static void put_pointer(struct out *out, uint16_t id, uint64_t at)
{
	out_u16(out, id);
	out_u32(out, 8);
	out_u64(out, at);
}

/* The tables before the data: not compressed, which the format allows for each section. */
static void write_tables(struct out *out, uint64_t at[6])
{
	for (uint16_t i = 0; i < 6; i++) {
		at[i] = begin_section(out, (uint16_t)(SECTION_HEADERS + i), 0);
		if (SECTION_HEADERS + i == SECTION_HEADERS)
			out_header_texts(out);
		else if (SECTION_HEADERS + i == SECTION_FORMATS)
			out_systems(out);
		else if (SECTION_HEADERS + i == SECTION_COMMANDS)
			out_sized(out, "");
		else
			out_u32(out, 0);
		end_section(out, at[i]);
	}
}

struct place {
	uint64_t at, size;
};

static void write_places(struct out *out, uint64_t data, const struct place *places, uint32_t n)
{
	out_u16(out, OPTION_BUFFER);
	out_u32(out, 8 + 1 + 6 + 8 + 20 * n);
	out_u64(out, data);
	out_text(out, "");
	out_text(out, "local");
	out_u32(out, PAGE_BYTES);
	out_u32(out, n);
	for (uint32_t i = 0; i < n; i++) {
		out_u32(out, i);
		out_u64(out, places[i].at);
		out_u64(out, places[i].size);
	}
}

static void write_v7(struct out *out, struct workload *cpus, uint32_t n, struct pages *pages)
{
	struct place *places = calloc(n, sizeof(*places));
	uint64_t tables[6], first, options, next, data;

	if (!places)
		out_fail(out->path, "out of memory");
	begin_file(out, "7");
	out_text(out, "zstd");
	out_text(out, "1.5.4");
	first = out->at;
	out_u64(out, 0);
	write_tables(out, tables);
	options = begin_section(out, 0, 0);
	out_patch_u64(out, first, options);
	for (uint16_t i = 0; i < 6; i++)
		put_pointer(out, (uint16_t)(SECTION_HEADERS + i), tables[i]);
	put_options(out);
	out_u16(out, OPTION_CPUS);
	out_u32(out, 4);
	out_u32(out, n);
	put_pointer(out, 0, 0);
	next = out->at - 8;
	end_section(out, options);
	data = begin_section(out, OPTION_BUFFER, COMPRESSED);
	for (uint32_t i = 0; i < n; i++) {
		out_pad(out, PAGE_BYTES);
		places[i].at = out->at;
		out_u32(out, 0);
		pages->chunks = 0;
		write_cpu(pages, &cpus[i]);
		out_patch_u32(out, places[i].at, pages->chunks);
		places[i].size = out->at - places[i].at - 4;
	}
	end_section(out, data);
	out_patch_u64(out, next, out->at);
	options = begin_section(out, 0, 0);
	write_places(out, data, places, n);
	put_pointer(out, 0, 0);
	end_section(out, options);
	free(places);
}

void write_trace_dat(struct out *out, struct workload *cpus, uint32_t n, unsigned version)
{
	struct pages pages = { .out = out, .chunk = malloc(CHUNK_BYTES) };

	if (version == 7)
		pages.zstd = ZSTD_createCCtx();
	if (!pages.chunk || (version == 7 && !pages.zstd))
		out_fail(out->path, "out of memory");
	if (version == 7)
		write_v7(out, cpus, n, &pages);
	else
		write_v6(out, cpus, n, &pages);
	ZSTD_freeCCtx(pages.zstd);
	free(pages.chunk);
}
