/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - truth [--slack=PERCENT] [--recorded=KEY=VALUE,...] FILE...: judges the folding by the probes in traces.
 *
 * Prints a table, one row per trace, evidence left out and kind of request; fails where a request
 * is wrong and said to be seen, lost or invented, where too few of all are recovered, or where a
 * prediction leaves no room for the truth.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

#define NO_REQUESTS IGNORE_REQUESTS
#define NO_SYSCALLS (IGNORE_REQUESTS | IGNORE_SYSCALLS)

/* What must be recovered, in hundredths of a percent of the requests executed by address. */
enum {
	NEED_POWER9 = 9950,
	NEED_POWER10 = 9900,
	NEED_POWER9_NO_SYSCALLS = 9900, /* global ones: fixups mark their ends */
};

struct sums {
	struct score power9;
	struct score power10;
	struct score power9_no_syscalls;
	uint64_t failures;
};

static void print_row(const char *path, const char *without, const char *kind, const struct score *s)
{
	const char *name = strrchr(path, '/');

	if (s->told == 0)
		return;
	printf("%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%.2f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
	       "\t%" PRIu64 "\n",
	       name ? name + 1 : path, without, kind, s->told, s->exact,
	       100.0 * (double)s->exact / (double)s->told, s->seen, s->ambiguous, s->wrong, s->lost);
}

static void add_score(struct score *sum, const struct score *add)
{
	sum->told += add->told;
	sum->exact += add->exact;
}

static void fail_if(struct sums *sums, uint64_t n, const char *path, const char *what)
{
	if (n == 0)
		return;
	(void)fprintf(stderr, "%s: %" PRIu64 " %s\n", path, n, what);
	sums->failures++;
}

static void judge_truth(struct sums *sums, const struct truth *t, const char *path,
			const char *without)
{
	print_row(path, without, "global", &t->global);
	print_row(path, without, "local", &t->local);
	print_row(path, without, "whole", &t->whole);
	fail_if(sums, t->global.wrong + t->local.wrong + t->whole.wrong, path,
		"requests are wrong, and were said to be seen");
	fail_if(sums, t->global.lost + t->local.lost + t->whole.lost, path, "requests are lost");
	fail_if(sums, t->invented, path, "requests are invented");
}

static int compare_without(struct truth *t, const struct requests *told, const char *path,
			   uint32_t ignore, const char *recorded, unsigned slack)
{
	struct requests found;
	struct model m;
	int outside;

	if (requests_read(&found, &m, path, ignore, recorded))
		return -1;
	truth_compare(t, told, &found);
	requests_free(&found);
	outside = intervals_check(path, ignore, recorded, slack);
	return outside == 0 ? 0 : -1;
}

static int judge_file(struct sums *sums, const char *path, const char *recorded, unsigned slack)
{
	struct requests told;
	struct model m;
	struct truth t;
	bool power9;
	int status = -1;

	if (requests_read(&told, &m, path, 0, recorded))
		return -1;
	power9 = m.used.v[PARAM_FIXUPS] != FIXUPS_NONE;
	if (compare_without(&t, &told, path, NO_REQUESTS, recorded, slack))
		goto out;
	judge_truth(sums, &t, path, "requests");
	add_score(power9 ? &sums->power9 : &sums->power10, &t.global);
	add_score(power9 ? &sums->power9 : &sums->power10, &t.local);
	if (compare_without(&t, &told, path, NO_SYSCALLS, recorded, slack))
		goto out;
	judge_truth(sums, &t, path, "requests,syscalls");
	if (power9)
		add_score(&sums->power9_no_syscalls, &t.global);
	status = 0;
out:
	requests_free(&told);
	return status;
}

static void need(struct sums *sums, const struct score *s, const char *what, uint64_t share)
{
	if (s->told == 0)
		return;
	printf("# %s: %" PRIu64 " of %" PRIu64 "\n", what, s->exact, s->told);
	if (s->exact * 10000 >= s->told * share)
		return;
	(void)fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " recovered\n", what, s->exact, s->told);
	sums->failures++;
}

int main(int argc, char **argv)
{
	static const char option[] = "--recorded=";
	static const char percent[] = "--slack=";
	unsigned slack = 0;
	const char *recorded = NULL;
	struct sums sums = { .failures = 0 };

	printf("trace\twithout\tkind\trequests\texact\tpercent\tseen\tambiguous\twrong\tlost\n");
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], option, strlen(option)) == 0)
			recorded = argv[i] + strlen(option);
		else if (strncmp(argv[i], percent, strlen(percent)) == 0)
			slack = (unsigned)strtoul(argv[i] + strlen(percent), NULL, 10);
		else if (judge_file(&sums, argv[i], recorded, slack))
			sums.failures++;
	}
	need(&sums, &sums.power9, "POWER9, by address, without requests", NEED_POWER9);
	need(&sums, &sums.power10, "POWER10, by address, without requests", NEED_POWER10);
	need(&sums, &sums.power9_no_syscalls,
	     "POWER9, global by address, without requests and system calls",
	     NEED_POWER9_NO_SYSCALLS);
	return sums.failures ? 1 : 0;
}
