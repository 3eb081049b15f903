/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out.h - a file that is written from its beginning to its end, with places filled in later.
 *
 * A failed write ends the program: the generator has nothing else to do then.
 */
#ifndef TLBTRACE_TESTS_OUT_H
#define TLBTRACE_TESTS_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "workload.h"

struct out {
	FILE *file;
	const char *path;
	uint64_t at;
};

struct out out_open(const char *path);
void out_close(struct out *out);
void out_put(struct out *out, const void *data, size_t size);
void out_u16(struct out *out, uint16_t v);
void out_u32(struct out *out, uint32_t v);
void out_u64(struct out *out, uint64_t v);
void out_text(struct out *out, const char *text);  /* with its NUL */
void out_sized(struct out *out, const char *text); /* u64 length, text */
void out_pad(struct out *out, uint64_t align);
void out_patch_u32(struct out *out, uint64_t at, uint32_t v);
void out_patch_u64(struct out *out, uint64_t at, uint64_t v);

_Noreturn void out_fail(const char *path, const char *what);

/* The page header texts and formats as trace.dat 6, section by section, and perf.data have them. */
void out_header_texts(struct out *out);
void out_systems(struct out *out);

/* The workloads of all CPUs, started. Each writes them in its own order and closes the file. */
void write_trace_dat(struct out *out, struct workload *cpus, uint32_t n, unsigned version);
void write_perf_data(struct out *out, struct workload *cpus, uint32_t n, int packed);

#define PAGE_BYTES 65536u /* of the kernel that is said to have recorded */

#endif
