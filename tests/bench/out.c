/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.c - a file that is written from its beginning to its end. */
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void out_fail(const char *path, const char *what)
{
	fprintf(stderr, "generate: %s: %s\n", path, what);
	exit(1);
}

struct out out_open(const char *path)
{
	struct out out = { .file = fopen(path, "wb"), .path = path };

	if (!out.file)
		out_fail(path, strerror(errno));
	(void)setvbuf(out.file, NULL, _IOFBF, 1 << 20); /* slower without */
	return out;
}

void out_close(struct out *out)
{
	if (fclose(out->file))
		out_fail(out->path, strerror(errno));
}

void out_put(struct out *out, const void *data, size_t size)
{
	if (fwrite(data, 1, size, out->file) != size)
		out_fail(out->path, strerror(errno));
	out->at += size;
}

void out_u16(struct out *out, uint16_t v)
{
	out_put(out, &v, sizeof(v));
}

void out_u32(struct out *out, uint32_t v)
{
	out_put(out, &v, sizeof(v));
}

void out_u64(struct out *out, uint64_t v)
{
	out_put(out, &v, sizeof(v));
}

void out_text(struct out *out, const char *text)
{
	out_put(out, text, strlen(text) + 1);
}

void out_sized(struct out *out, const char *text)
{
	out_u64(out, strlen(text));
	out_put(out, text, strlen(text));
}

void out_pad(struct out *out, uint64_t align)
{
	static const char zeros[4096];

	while (out->at % align) {
		uint64_t n = align - out->at % align;

		out_put(out, zeros, n < sizeof(zeros) ? n : sizeof(zeros));
	}
}

static void patch(struct out *out, uint64_t at, const void *data, size_t size)
{
	if (fseeko(out->file, (off_t)at, SEEK_SET) || fwrite(data, 1, size, out->file) != size ||
	    fseeko(out->file, 0, SEEK_END))
		out_fail(out->path, strerror(errno));
}

void out_patch_u32(struct out *out, uint64_t at, uint32_t v)
{
	patch(out, at, &v, sizeof(v));
}

void out_patch_u64(struct out *out, uint64_t at, uint64_t v)
{
	patch(out, at, &v, sizeof(v));
}

void out_header_texts(struct out *out)
{
	out_text(out, "header_page");
	out_sized(out, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		       "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		       "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		       "\tfield: char data;\toffset:16;\tsize:65520;\tsigned:0;\n");
	out_text(out, "header_event");
	out_sized(out, "# compressed entry header\n"
		       "\ttype_len    :    5 bits\n"
		       "\ttime_delta  :   27 bits\n"
		       "\tarray       :   32 bits\n\n"
		       "\tpadding     : type == 29\n"
		       "\ttime_extend : type == 30\n"
		       "\ttime_stamp : type == 31\n"
		       "\tdata max type_len  == 28\n");
}

/* Formats of one system are consecutive. */
static unsigned same_system(const struct workload_format *f)
{
	unsigned n = 0;

	while (f[n].system && !strcmp(f[n].system, f->system))
		n++;
	return n;
}

void out_systems(struct out *out)
{
	const struct workload_format *f;
	uint32_t systems = 0;

	for (f = workload_formats(); f->system; f += same_system(f))
		systems++;
	out_u32(out, systems);
	for (f = workload_formats(); f->system;) {
		unsigned n = same_system(f);

		out_text(out, f->system);
		out_u32(out, n);
		for (; n; n--, f++)
			out_sized(out, f->text);
	}
}
