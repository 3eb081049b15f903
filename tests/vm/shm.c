/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shm.c - attaches a SysV segment, touches all of it from every thread, detaches it.
 *
 * usage: shm MB ITERATIONS THREADS
 * The threads run on CPUs of their own, so that the flushes of shmdt concern all these.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/shm.h>
#include <unistd.h>

#define MAX_THREADS 64

static pthread_barrier_t begin, done;
static char *base;
static size_t bytes, page;
static int threads;

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
}

static void touch(size_t from)
{
	for (size_t at = from * page; at < bytes; at += (size_t)threads * page)
		base[at] = 1;
}

static void *helper(void *arg)
{
	long number = (long)arg;

	run_on((int)number);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!base)
			return NULL;
		touch((size_t)number);
		pthread_barrier_wait(&done);
	}
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
		if (pthread_create(&others[i], NULL, helper, (void *)i)) {
			fputs("shm: cannot start a thread\n", stderr);
			return -1;
		}
	return 0;
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
	if (start(others))
		return 1;
	detach_often(id, iterations);
	for (int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	shmctl(id, IPC_RMID, NULL);
	return 0;
}
