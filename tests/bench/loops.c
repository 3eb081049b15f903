/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loops.c - what a program must do at least that reads a trace with the libraries there are.
 *
 *   loops kbuffer FILE        libtraceevent's kbuffer over the mapped pages of a plain trace.dat
 *   loops tracecmd FILE       libtracecmd's iteration, one field of each event read
 *   loops inflate FILE N      the chunks of a compressed trace.dat inflated by N threads
 *   loops inflate-perf FILE   the zstd stream of a perf.data inflated
 *
 * Prints how many events or bytes there were, so that none of them is left out.
 */
#include <event-parse.h>
#include <inttypes.h>
#include <kbuffer.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>
#include <zstd.h>

#include "analyze/source_file.h"
#include "analyze/tracedat_file.h"

static struct source_file input;
static struct tracedat_file file;

static int fail(const char *what)
{
	fprintf(stderr, "loops: %s\n", what);
	return 1;
}

static int open_input(const char *path)
{
	struct error err = { 0 };

	if (source_file_open(&input, path, &err) || source_file_load(&input, &err))
		return fail(err.text);
	return 0;
}

static int open_tracedat(const char *path)
{
	struct error err = { 0 };

	if (open_input(path))
		return -1;
	return tracedat_parse(&file, path, input.data, input.size, &err) ? fail(err.text) : 0;
}

/* ---- kbuffer ---- */

static uint64_t walk_pages(struct kbuffer *kbuf, const uint8_t *data, uint64_t size, uint32_t page,
			   uint64_t *events)
{
	unsigned long long ts;
	uint64_t sum = 0;

	for (uint64_t at = 0; at + page <= size; at += page) {
		if (kbuffer_load_subbuffer(kbuf, (void *)(uintptr_t)(data + at)))
			return 0;
		for (uint8_t *rec = kbuffer_read_event(kbuf, &ts); rec;
		     rec = kbuffer_next_event(kbuf, &ts)) {
			sum += load_u16(rec, false) + load_u32(rec + 4, false) + ts;
			if (kbuffer_event_size(kbuf) >= 32)
				sum += load_u64(rec + 24, false);
			++*events;
		}
	}
	return sum;
}

static int run_kbuffer(const char *path)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	uint64_t events = 0, sum = 0;

	if (open_tracedat(path) || !kbuf)
		return 1;
	for (uint32_t i = 0; i < file.buffers[0].n_cpus; i++)
		sum += walk_pages(kbuf, file.whole.data + file.buffers[0].cpus[i].offset,
				  file.buffers[0].cpus[i].size, file.buffers[0].page_size, &events);
	printf("%" PRIu64 " events, sum %" PRIx64 "\n", events, sum);
	return 0;
}

/* ---- libtracecmd ---- */

struct counted {
	struct tep_event *event;
	struct tep_format_field *field;
	int id;
	uint64_t events;
	uint64_t sum;
};

static int count_event(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *arg)
{
	struct tep_handle *tep = tracecmd_get_tep(handle);
	struct counted *c = arg;
	unsigned long long value;

	(void)cpu;
	c->events++;
	if (tep_data_type(tep, rec) == c->id && !tep_read_number_field(c->field, rec->data, &value))
		c->sum += value;
	return 0;
}

static int run_tracecmd(const char *path)
{
	struct tracecmd_input *handle = tracecmd_open(path, 0);
	struct counted c = { 0 };

	if (!handle)
		return fail("cannot open");
	c.event = tep_find_event_by_name(tracecmd_get_tep(handle), "powerpc", "tlbie");
	if (!c.event)
		return fail("no powerpc:tlbie");
	c.id = c.event->id;
	c.field = tep_find_field(c.event, "rb");
	tracecmd_iterate_events(handle, NULL, 0, count_event, &c);
	printf("%" PRIu64 " events, sum %" PRIx64 "\n", c.events, c.sum);
	tracecmd_close(handle);
	return 0;
}

/* ---- chunks of a trace.dat ---- */

/* CPUs are taken one after the other by whoever is free. */
static struct {
	pthread_mutex_t lock;
	uint32_t next_cpu;
	uint64_t bytes;
} work = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Room that grows; what was in it is lost. */
struct room {
	uint8_t *data;
	size_t size;
};

static bool make_room(struct room *room, size_t size)
{
	if (size <= room->size)
		return true;
	free(room->data);
	room->data = malloc(size);
	room->size = room->data ? size : 0;
	return room->data;
}

static uint64_t inflate_cpu(ZSTD_DCtx *zstd, struct bytes b, struct room *out)
{
	uint32_t chunks = bytes_u32(&b);
	uint64_t sum = 0;

	while (chunks--) {
		uint32_t packed = bytes_u32(&b), size = bytes_u32(&b);
		const uint8_t *data = bytes_take(&b, packed);

		if (!data || !make_room(out, size))
			break;
		size = (uint32_t)ZSTD_decompressDCtx(zstd, out->data, size, data, packed);
		sum += ZSTD_isError(size) ? 0 : size;
	}
	return sum;
}

static void *inflate_cpus(void *arg)
{
	const struct tracedat_buffer *buffer = &file.buffers[0];
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	struct room out = { .data = NULL };
	uint64_t sum = 0;

	for (;;) {
		struct bytes b = file.whole;
		uint32_t cpu;

		pthread_mutex_lock(&work.lock);
		cpu = work.next_cpu++;
		pthread_mutex_unlock(&work.lock);
		if (cpu >= buffer->n_cpus)
			break;
		b.at = buffer->cpus[cpu].offset;
		sum += inflate_cpu(zstd, b, &out);
	}
	pthread_mutex_lock(&work.lock);
	work.bytes += sum;
	pthread_mutex_unlock(&work.lock);
	free(out.data);
	ZSTD_freeDCtx(zstd);
	return arg;
}

static int run_inflate(const char *path, unsigned threads)
{
	pthread_t list[64];

	if (threads < 1 || threads > 64 || open_tracedat(path))
		return 1;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&list[i], NULL, inflate_cpus, NULL))
			return fail("cannot start a thread");
	for (unsigned i = 0; i < threads; i++)
		pthread_join(list[i], NULL);
	printf("%" PRIu64 " bytes\n", work.bytes);
	return 0;
}

/* ---- the stream of a perf.data ---- */

#define PERF_COMPRESSED 81 /* PERF_RECORD_COMPRESSED */

/* Of one record; -1 where it cannot be inflated. */
static int inflate_record(ZSTD_DCtx *zstd, ZSTD_inBuffer in, ZSTD_outBuffer to, uint64_t *sum)
{
	to.pos = to.size;
	while (in.pos < in.size || to.pos == to.size) {
		to.pos = 0;
		if (ZSTD_isError(ZSTD_decompressStream(zstd, &to, &in)))
			return -1;
		*sum += to.pos;
	}
	return 0;
}

static int inflate_records(ZSTD_DCtx *zstd, ZSTD_outBuffer to)
{
	uint64_t at = load_u64(input.data + 40, false);
	uint64_t end = at + load_u64(input.data + 48, false);
	uint64_t sum = 0;
	uint16_t size;

	for (; at + 8 <= end; at += size) {
		const uint8_t *rec = input.data + at;

		size = load_u16(rec + 6, false);
		if (size < 8)
			return fail("damaged");
		if (load_u32(rec, false) != PERF_COMPRESSED)
			continue;
		if (inflate_record(zstd, (ZSTD_inBuffer){ rec + 8, size - 8u, 0 }, to, &sum))
			return fail("damaged");
	}
	printf("%" PRIu64 " bytes\n", sum);
	return 0;
}

static int run_inflate_perf(const char *path)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	ZSTD_outBuffer to = { .size = ZSTD_DStreamOutSize() };
	int status = 1;

	to.dst = malloc(to.size);
	if (!open_input(path) && zstd && to.dst)
		status = inflate_records(zstd, to);
	free(to.dst);
	ZSTD_freeDCtx(zstd);
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "kbuffer"))
		return run_kbuffer(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "tracecmd"))
		return run_tracecmd(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "inflate"))
		return run_inflate(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "inflate-perf"))
		return run_inflate_perf(argv[2]);
	fprintf(stderr, "usage: loops kbuffer|tracecmd|inflate-perf FILE, inflate FILE THREADS\n");
	return 2;
}
