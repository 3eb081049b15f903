/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.h - what the workloads share: numbers from their command line, and threads each on its CPU.
 */
#ifndef TLBTRACE_VM_THREADS_H
#define TLBTRACE_VM_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 64

/* A number from 1 to most; 0 is none. */
static inline int number(const char *text, long most)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *text && !*end && n >= 1 && n <= most ? (int)n : 0;
}

static inline void run_on(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
}

/* Starts threads 1 to n - 1, each with its number; the caller is thread 0. */
static inline int start(pthread_t *others, long n, void *(*fn)(void *number))
{
	for (long i = 1; i < n; i++)
		if (pthread_create(&others[i], NULL, fn, (void *)i)) {
			fputs("cannot start a thread\n", stderr);
			return -1;
		}
	return 0;
}

static inline void join(const pthread_t *others, long n)
{
	for (long i = 1; i < n; i++)
		pthread_join(others[i], NULL);
}

#endif
