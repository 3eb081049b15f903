/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_summary.c - what a recording has, read back from its file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/source.h"
#include "cmd/output/number.h"
#include "cmd/record/record.h"

/* Reads everything, so that the counters are final. Returns 0, or -1 with *err. */
static int read_all(struct source *src, struct error *err)
{
	const struct source_info *info = source_info(src);
	struct event ev;

	for (uint32_t cpu = 0; cpu < info->cpus; cpu++) {
		int n;

		while ((n = source_next(src, cpu, &ev, err)) > 0)
			;
		if (n < 0)
			return -1;
	}
	return 0;
}

static void print_counts(const struct source_info *info, bool thousands)
{
	for (size_t i = 0; i < info->n_counts; i++)
		if (info->counts[i].count)
			(void)fprintf(stderr, "  %12s  %s\n",
				      number_of(info->counts[i].count, thousands).text,
				      info->counts[i].name);
}

static void print_losses(const struct record_session *s, const struct source_info *info,
			 bool thousands)
{
	if (!info->lost_events && !info->lost_unknown)
		return;
	(void)fprintf(stderr, "  %12s  LOST", number_of(info->lost_events, thousands).text);
	if (s->enough_kb)
		(void)fprintf(stderr, ": -b %" PRIu64 " (KB per CPU) would have sufficed",
			      s->enough_kb);
	else
		(void)fprintf(stderr, ": use larger buffers: -b %" PRIu64, 4 * s->buffer_kb);
	(void)fputc('\n', stderr);
}

static void print_probes(const struct record_session *s)
{
	uint64_t missed = 0, hits = 0;

	for (size_t i = 0; i < s->probes.n; i++) {
		hits += s->probes.list[i].hits;
		missed += s->probes.list[i].missed;
	}
	if (s->probes.n && !hits)
		record_note(s, "the probes on flush functions were never hit: nothing is known of "
			       "requests");
	if (missed)
		record_note(s, "%" PRIu64 " hits of probes were missed by the kernel", missed);
	for (size_t i = 0; i < s->probes.n_refused && s->opt->verbose; i++)
		record_note(s, "%s cannot be probed in this kernel", s->probes.refused[i]);
}

/* Numbers that a person would try, beside what the machine has. */
static void print_next(const struct record_session *s)
{
	(void)fprintf(stderr, "Next: tlbtrace whatif --ceiling=%s %s\n",
		      strcmp(s->machine.ceiling, "8") ? "8" : "33", s->output);
}

void record_summary(const struct record_session *s, double seconds)
{
	bool thousands = isatty(STDERR_FILENO);
	struct stat st;
	struct error err = { .class = ERROR_NONE };
	struct source *src;

	if (stat(s->output, &st)) {
		record_note(s, "%s: is gone", s->output);
		return;
	}
	(void)fprintf(stderr, "Recorded %.1f s with %s: %s, %.1f MB\n", seconds, s->backend->name,
		      s->output, (double)st.st_size / 1e6);
	src = source_open(s->output, &err);
	if (!src || read_all(src, &err)) {
		record_note(s, "%s", err.text);
	} else {
		print_counts(source_info(src), thousands);
		print_losses(s, source_info(src), thousands);
	}
	if (src)
		source_close(src);
	print_probes(s);
	print_next(s);
}
