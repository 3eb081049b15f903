/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranges.c - asks for flushes of known sizes, around the ceilings, in the same order each time.
 *
 * usage: ranges THREADS LOOPS [together]
 * Each thread has its CPU and its share of the sizes: mmap, touch, mprotect, touch, madvise, munmap.
 * They take turns, so that who runs while another flushes does not depend on how fast they are;
 * "together" they all work at once.
 */
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "threads.h"

static const size_t sizes[] = { 1,   2,	  3,   5,   7,	 8,   9,   13,	16,  17,  21,
				30,  31,  32,  33,  34,	 36,  48,  64,	65,  100, 128,
				160, 256, 300, 400, 448, 480, 511, 512, 513, 640 };
#define SIZES ((int)(sizeof(sizes) / sizeof(*sizes)))

static pthread_barrier_t begin;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next[MAX_THREADS];
static long turn; /* whose it is */
static size_t page;
static int threads, loops;
static bool together;

static void touch(char *at, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		at[i * page] = 1;
}

static void flush(size_t pages)
{
	char *at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	if (at == MAP_FAILED)
		exit(1);
	madvise(at, pages * page, MADV_NOHUGEPAGE);
	touch(at, pages);
	mprotect(at, pages * page, PROT_READ);
	mprotect(at, pages * page, PROT_READ | PROT_WRITE);
	touch(at, pages);
	madvise(at, pages * page, MADV_DONTNEED);
	touch(at, pages);
	munmap(at, pages * page);
}

static void share(long number)
{
	for (int j = (int)number; j < SIZES; j += threads)
		flush(sizes[j]);
}

static void await_turn(long number)
{
	pthread_mutex_lock(&lock);
	while (turn != number)
		pthread_cond_wait(&next[number], &lock);
	pthread_mutex_unlock(&lock);
}

static void pass_turn(void)
{
	pthread_mutex_lock(&lock);
	turn = (turn + 1) % threads;
	pthread_cond_signal(&next[turn]);
	pthread_mutex_unlock(&lock);
}

static void *thread(void *arg)
{
	long number = (long)arg;

	run_on(number);
	pthread_barrier_wait(&begin);
	for (int i = 0; i < loops; i++) {
		if (!together)
			await_turn(number);
		share(number);
		if (!together)
			pass_turn();
	}
	pthread_barrier_wait(&begin);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t others[MAX_THREADS] = { 0 };

	threads = argc > 2 ? number(argv[1], MAX_THREADS) : 1;
	loops = argc > 2 ? number(argv[2], INT_MAX) : 1;
	together = argc > 3 && strcmp(argv[3], "together") == 0;
	page = (size_t)sysconf(_SC_PAGESIZE);
	if (threads < 1 || loops < 1) {
		fputs("usage: ranges THREADS LOOPS [together]\n", stderr);
		return 1;
	}
	pthread_barrier_init(&begin, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++)
		pthread_cond_init(&next[i], NULL);
	if (start(others, threads, thread))
		return 1;
	thread(NULL);
	join(others, threads);
	return 0;
}
