/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranges.c - asks for flushes of known sizes, around the ceilings, in the same order each time.
 *
 * usage: ranges THREADS LOOPS
 * Each thread has its CPU and its share of the sizes: mmap, touch, mprotect, touch, madvise, munmap.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_THREADS 64

static const size_t sizes[] = { 1,  2,	3,  5,	7,  8,	9,  13,	 16,  17,  21,	30,  31,
				32, 33, 34, 36, 48, 64, 65, 100, 128, 160, 256, 300, 512 };
#define SIZES ((int)(sizeof(sizes) / sizeof(*sizes)))

static pthread_barrier_t begin;
static size_t page;
static int threads, loops;

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

static void *thread(void *arg)
{
	long number = (long)arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)number, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
	pthread_barrier_wait(&begin);
	for (int i = 0; i < loops; i++)
		for (int j = (int)number; j < SIZES; j += threads)
			flush(sizes[j]);
	pthread_barrier_wait(&begin);
	return NULL;
}

/* A number from 1 to most; 0 is none. */
static int number(const char *text, long most)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *text && !*end && n >= 1 && n <= most ? (int)n : 0;
}

static int start(pthread_t *others)
{
	for (long i = 1; i < threads; i++)
		if (pthread_create(&others[i], NULL, thread, (void *)i)) {
			fputs("ranges: cannot start a thread\n", stderr);
			return -1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t others[MAX_THREADS] = { 0 };

	threads = argc > 2 ? number(argv[1], MAX_THREADS) : 1;
	loops = argc > 2 ? number(argv[2], INT_MAX) : 1;
	page = (size_t)sysconf(_SC_PAGESIZE);
	if (threads < 1 || loops < 1) {
		fputs("usage: ranges THREADS LOOPS\n", stderr);
		return 1;
	}
	pthread_barrier_init(&begin, NULL, (unsigned)threads);
	if (start(others))
		return 1;
	thread(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	return 0;
}
