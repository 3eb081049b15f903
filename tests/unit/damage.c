/* SPDX-License-Identifier: GPL-2.0-or-later */
/* damage.c - pseudo-random damage to files, the same on every run. */
#include "damage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#define HANG_S 60 /* alarm's signal ends the test */
#define LIMIT_S 2
#define LIMIT_KB (256L << 10)

/* xorshift64* */
uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

unsigned mutations(void)
{
	const char *text = getenv("TLBTRACE_MUTATIONS");

	return text ? (unsigned)strtoul(text, NULL, 10) : 12;
}

size_t cut_at(size_t size, uint64_t *seed, unsigned i)
{
	size_t at = next_random(seed) % size;

	if (i % 4 == 1)
		return at % 8192;
	return i % 4 == 3 ? size - 1 - at % 4096 : at;
}

void flip_bits(struct block *file, uint64_t *seed, unsigned i)
{
	/* one to four bytes; every other time all in the first 16 KB, where the headers are */
	for (unsigned n = 0; n <= i % 4; n++) {
		size_t at = next_random(seed) % (i % 2 && file->size > 16384 ? 16384 : file->size);

		file->data[at] ^= (uint8_t)(1 + next_random(seed) % 255);
	}
}

void zero_block(struct block *file, uint64_t *seed, unsigned i)
{
	size_t len = (size_t)1 << (2 + i % 14);
	size_t at = next_random(seed) % file->size;

	if (len > file->size - at)
		len = file->size - at;
	memset(file->data + at, i % 3 ? 0 : 0xff, len);
}

static void check_text(const char *text)
{
	assert_true(text[0]);
	assert_null(strchr(text, '\n'));
}

static void check_info(const struct source_info *info, struct outcome *out)
{
	out->noticed |= info->truncated || info->lost_events || info->lost_unknown ||
			info->unknown_records;
	if (info->truncated)
		check_text(info->truncated_text);
	out->events = info->events;
}

/* Whether it came to its end; else *err is why not. */
static bool read_cpu(struct source *src, uint32_t cpu, struct error *err)
{
	uint64_t last = 0;
	struct event ev;
	int got;

	while ((got = source_next(src, cpu, &ev, err)) > 0) {
		assert_true(ev.time_ns >= last);
		assert_int_equal(ev.cpu, cpu);
		assert_true(ev.kind <= EVENT_LOST);
		last = ev.time_ns;
	}
	return got == 0;
}

static struct outcome read_whole(damage_open open, void *of)
{
	struct error err = { 0 };
	struct source *src = open(of, &err);
	struct outcome out = { .opened = src };

	if (!src) {
		assert_int_equal(err.class, ERROR_INPUT);
		check_text(err.text);
		out.noticed = true;
		return out;
	}
	for (uint32_t cpu = 0; cpu < source_info(src)->cpus && !out.noticed; cpu++) {
		if (read_cpu(src, cpu, &err))
			continue;
		assert_true(err.class);
		check_text(err.text);
		out.noticed = true;
	}
	check_info(source_info(src), &out);
	source_close(src);
	return out;
}

/* What has been used so far. Linux counts the most memory anew when a 5 is written there. */
struct used {
	double seconds;
	long kb;
};

static struct used used_now(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return (struct used){ (double)clock() / CLOCKS_PER_SEC, usage.ru_maxrss };
}

static struct used used_before(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (f) {
		fputs("5", f);
		fclose(f);
	}
	return used_now();
}

static void check_limits(struct used before)
{
	struct used now = used_now();

	if (getenv("TLBTRACE_SLOW"))
		return;
	assert_true(now.seconds - before.seconds < LIMIT_S);
	assert_true(now.kb - before.kb < LIMIT_KB);
}

struct outcome damage_read(damage_open open, void *of)
{
	struct used before = used_before();
	struct outcome out;

	alarm(HANG_S);
	out = read_whole(open, of);
	alarm(0);
	check_limits(before);
	return out;
}

static unsigned read_mutated(const struct block *file,
			     void (*mutate)(struct block *, uint64_t *, unsigned), uint64_t *seed,
			     unsigned i, damage_reader read, const void *of)
{
	struct block damaged = { .long_size = 8 };
	struct outcome out;

	put(&damaged, file->data, file->size);
	mutate(&damaged, seed, i);
	out = read(of, &damaged);
	free(damaged.data);
	return out.noticed;
}

void damage_and_read(const struct block *file, const char *name, uint64_t seed, damage_reader read,
		     const void *of)
{
	uint64_t flips = seed, zeros = seed;
	unsigned noticed = 0;

	for (unsigned i = 0; i < mutations(); i++) {
		print_message("%s flipped %u\n", name, i);
		noticed += read_mutated(file, flip_bits, &flips, i, read, of);
		print_message("%s zeroed %u\n", name, i);
		noticed += read_mutated(file, zero_block, &zeros, i, read, of);
	}
	assert_in_range(noticed, 1, 2 * mutations() - 1);
}
