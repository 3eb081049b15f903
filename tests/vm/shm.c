/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shm.c - attaches a SysV segment, touches all of it from every thread, detaches it.
 *
 * usage: shm MB ITERATIONS THREADS
 * The threads run on CPUs of their own, so that the flushes of shmdt concern all these.
 */
#include <limits.h>
#include <sys/shm.h>
#include <unistd.h>

#include "threads.h"

static pthread_barrier_t begin, done;
static char *base;
static size_t bytes, page;
static int threads;

static void touch(size_t from)
{
	for (size_t at = from * page; at < bytes; at += (size_t)threads * page)
		base[at] = 1;
}

static void *helper(void *arg)
{
	long number = (long)arg;

	run_on(number);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!base)
			return NULL;
		touch((size_t)number);
		pthread_barrier_wait(&done);
	}
}

static void detach_often(int id, int iterations)
{
	for (int i = 0; i < iterations; i++) {
		base = shmat(id, NULL, 0);
		pthread_barrier_wait(&begin);
		touch(0);
		pthread_barrier_wait(&done);
		shmdt(base);
	}
	base = NULL;
	pthread_barrier_wait(&begin);
}

int main(int argc, char **argv)
{
	int iterations = argc > 3 ? number(argv[2], INT_MAX) : 1;
	pthread_t others[MAX_THREADS] = { 0 };
	int id;

	bytes = (size_t)(argc > 3 ? number(argv[1], INT_MAX) : 64) << 20;
	threads = argc > 3 ? number(argv[3], MAX_THREADS) : 1;
	page = (size_t)sysconf(_SC_PAGESIZE);
	if (bytes < 1 || iterations < 1 || threads < 1) {
		fputs("usage: shm MB ITERATIONS THREADS\n", stderr);
		return 1;
	}
	id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
	if (id < 0) {
		perror("shm");
		return 1;
	}
	pthread_barrier_init(&begin, NULL, (unsigned)threads);
	pthread_barrier_init(&done, NULL, (unsigned)threads);
	run_on(0);
	if (start(others, threads, helper))
		return 1;
	detach_often(id, iterations);
	join(others, threads);
	shmctl(id, IPC_RMID, NULL);
	return 0;
}
