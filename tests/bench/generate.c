/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate.c - makes large traces of which everything is known.
 *
 *   generate FORMAT EVENTS CPUS PROCESSES MACHINE SEED FILE [wide]
 *
 * FORMAT: v6, v7 (zstd), perf or perfz (compressed); MACHINE: p9 or p10. PROCESSES are short ones
 * among the EVENTS; 0 for none. wide: ranges of any size in 32 processes. Prints what was written, and
 * what a ceiling of 31 would have cost.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

static uint64_t number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (!*text || *end)
		out_fail(text, "is no number");
	return n;
}

static struct workload *start_cpus(char **argv, uint32_t n)
{
	struct workload *cpus = calloc(n, sizeof(*cpus));
	uint64_t events = number(argv[2]), processes = number(argv[4]);

	if (!cpus)
		out_fail(argv[7], "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		cpus[i].cpu = i;
		cpus[i].cpus = n;
		cpus[i].wide = argv[8] != NULL;
		cpus[i].p10 = !strcmp(argv[5], "p10");
		cpus[i].records_max = events / n;
		cpus[i].processes = processes / n + (i < processes % n);
		workload_start(&cpus[i], number(argv[6]));
	}
	return cpus;
}

static void print_sums(const struct workload *cpus, uint32_t n)
{
	struct workload_sums sum = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		sum.records += cpus[i].sums.records;
		sum.tlbie += cpus[i].sums.tlbie;
		sum.tlbiel += cpus[i].sums.tlbiel;
		sum.tlbie_at_31 += cpus[i].sums.tlbie_at_31;
		sum.processes += cpus[i].sums.processes;
	}
	printf("events=%" PRIu64 " tlbie=%" PRIu64 " tlbiel=%" PRIu64 " tlbie_at_31=%" PRIu64
	       " processes=%" PRIu64 "\n",
	       sum.records, sum.tlbie, sum.tlbiel, sum.tlbie_at_31, sum.processes);
}

int main(int argc, char **argv)
{
	struct workload *cpus;
	struct out out;
	uint32_t n;

	if (argc < 8 || argc > 9 || (argc == 9 && strcmp(argv[8], "wide")) ||
	    number(argv[3]) == 0 || number(argv[3]) > 4096) {
		fprintf(stderr, "usage: generate v6|v7|perf|perfz EVENTS CPUS PROCESSES p9|p10 SEED "
				"FILE [wide]\n");
		return 2;
	}
	n = (uint32_t)number(argv[3]);
	cpus = start_cpus(argv, n);
	out = out_open(argv[7]);
	if (!strcmp(argv[1], "v6") || !strcmp(argv[1], "v7"))
		write_trace_dat(&out, cpus, n, argv[1][1] == '7' ? 7 : 6);
	else
		write_perf_data(&out, cpus, n, !strcmp(argv[1], "perfz"));
	out_close(&out);
	print_sums(cpus, n);
	free(cpus);
	return 0;
}
