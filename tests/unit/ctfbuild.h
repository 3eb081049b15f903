/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctfbuild.h - directories with CTF traces for tests: LTTng's layout, in either byte order. */
#ifndef TLBTRACE_TESTS_CTFBUILD_H
#define TLBTRACE_TESTS_CTFBUILD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A temporary directory. */
struct ctf_dir {
	char path[64];
};

void ctf_dir_make(struct ctf_dir *dir);
/* Makes a file in it; name may have one directory before it. */
void ctf_dir_write(const struct ctf_dir *dir, const char *name, const void *data, size_t size);
/* Unpacks a fixture's .tar.gz into it. */
void ctf_dir_unpack(const struct ctf_dir *dir, const char *fixture);
void ctf_dir_remove(const struct ctf_dir *dir);

/* A data stream of packets, as it grows. */
struct ctf_stream {
	bool big_endian;
	uint8_t data[65536];
	size_t size;
	size_t packet; /* where the last one begins */
};

void ctf_put(struct ctf_stream *s, uint64_t value, unsigned int bytes);
/* Of CPU cpu; discarded is the tracer's running count of events that it dropped. */
void ctf_packet(struct ctf_stream *s, uint32_t cpu, uint64_t begin, uint64_t end,
		uint64_t discarded);
void ctf_event(struct ctf_stream *s, uint32_t id, uint64_t time);
void ctf_text(struct ctf_stream *s, const char *text, size_t size); /* padded with NULs */
/* Writes the packet's size into its head. */
void ctf_packet_end(struct ctf_stream *s);

/* The metadata up to the events, for streams as above; the clock counts ns. */
void ctf_metadata(FILE *f, bool big_endian, const char *environment);

#endif
