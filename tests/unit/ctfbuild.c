/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctfbuild.c - directories with CTF traces for tests. */
#include "ctfbuild.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0xc1fc1fc1
#define AT_CONTENT_SIZE 24 /* in a packet: behind magic, stream_id, begin and end */

void ctf_dir_make(struct ctf_dir *dir)
{
	snprintf(dir->path, sizeof(dir->path), "/tmp/tlbtrace-ctf.XXXXXX");
	if (!mkdtemp(dir->path))
		abort();
}

static void run(const char *format, const char *path, const char *other)
{
	char command[1024];

	snprintf(command, sizeof(command), format, path, other);
	if (system(command))
		abort();
}

void ctf_dir_write(const struct ctf_dir *dir, const char *name, const void *data, size_t size)
{
	char path[256];
	char *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	mkdir(path, 0777);
	*slash = '/';
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

void ctf_dir_unpack(const struct ctf_dir *dir, const char *fixture)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", getenv("DATA"), fixture);
	run("tar -C '%s' --strip-components=1 -xzf '%s'", dir->path, path);
}

void ctf_dir_remove(const struct ctf_dir *dir)
{
	run("rm -rf '%s'%s", dir->path, "");
}

static void put_at(struct ctf_stream *s, size_t at, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		s->data[at + i] = (uint8_t)(value >> 8 * (s->big_endian ? bytes - 1 - i : i));
}

void ctf_put(struct ctf_stream *s, uint64_t value, unsigned int bytes)
{
	put_at(s, s->size, value, bytes);
	s->size += bytes;
}

void ctf_packet(struct ctf_stream *s, uint32_t cpu, uint64_t begin, uint64_t end, uint64_t discarded)
{
	s->packet = s->size;
	ctf_put(s, MAGIC, 4);
	ctf_put(s, 0, 4);
	ctf_put(s, begin, 8);
	ctf_put(s, end, 8);
	ctf_put(s, 0, 8);
	ctf_put(s, 0, 8);
	ctf_put(s, discarded, 8);
	ctf_put(s, cpu, 4);
}

void ctf_event(struct ctf_stream *s, uint32_t id, uint64_t time)
{
	ctf_put(s, id, 4);
	ctf_put(s, time, 8);
}

void ctf_text(struct ctf_stream *s, const char *text, size_t size)
{
	memset(s->data + s->size, 0, size);
	memcpy(s->data + s->size, text, strlen(text));
	s->size += size;
}

void ctf_packet_end(struct ctf_stream *s)
{
	uint64_t bits = 8 * (s->size - s->packet);

	put_at(s, s->packet + AT_CONTENT_SIZE, bits, 8);
	put_at(s, s->packet + AT_CONTENT_SIZE + 8, bits, 8);
}

void ctf_metadata(FILE *f, bool big_endian, const char *environment)
{
	fprintf(f,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
		"typealias integer { size = 32; align = 8; signed = true; } := s32;\n"
		"typealias integer { size = 64; align = 8; signed = true; } := s64;\n"
		"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := ch;\n"
		"trace { major = 1; minor = 8; byte_order = %s;\n"
		"  packet.header := struct { u32 magic; u32 stream_id; }; };\n"
		"env { %s };\n"
		"clock { name = monotonic; freq = 1000000000; offset = 0; };\n"
		"typealias integer { size = 64; align = 8; signed = false;\n"
		"  map = clock.monotonic.value; } := stamp;\n"
		"stream { id = 0;\n"
		"  event.header := struct { u32 id; stamp timestamp; };\n"
		"  packet.context := struct { stamp timestamp_begin; stamp timestamp_end;\n"
		"    u64 content_size; u64 packet_size; u64 events_discarded; u32 cpu_id; }; };\n",
		big_endian ? "be" : "le", environment);
}
