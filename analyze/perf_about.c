/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_about.c - what is known of a perf.data beside its events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/perf_source.h"

/* Events without a format that can be sampled are counted behind those with one. */
static bool is_other(const struct perf_attr *attr)
{
	return attr->type != PERF_TYPE_TRACEPOINT &&
	       !(attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_SOFTWARE_DUMMY);
}

static void add_unknown(struct source_info *info, uint64_t n, uint64_t offset)
{
	if (n && !info->unknown_records)
		info->unknown_offset = offset;
	info->unknown_records += n;
}

static void add_cpu(struct perf *p, const struct perf_cpu *cpu, struct damage *damage)
{
	const struct perf_file *file = &p->file;
	struct source_info *info = &p->info;
	uint32_t at = file->formats.n;

	damage_add(damage, &cpu->damage);
	if (!cpu->started)
		return;
	info->events += cpu->decoder.records + cpu->other_records + cpu->without_raw;
	add_unknown(info, cpu->decoder.unknown, cpu->decoder.unknown_offset);
	add_unknown(info, cpu->without_raw, 0);
	for (uint32_t i = 0; i < file->formats.n; i++)
		p->counts[i].count += cpu->decoder.counts[i];
	for (uint32_t i = 0; i < file->attrs.n; i++)
		if (is_other(&file->attrs.list[i]))
			p->counts[at++].count += cpu->others[i];
}

/*
 * What LOST records count as it happens, perf counts again per event when it ends (v6.1 on): the
 * larger is what is missing, because records lost after the last LOST are only in the latter.
 */
static uint64_t lost_events(const struct perf_totals *totals)
{
	uint64_t lost = totals->lost > totals->lost_at_end ? totals->lost : totals->lost_at_end;

	return lost + totals->lost_samples;
}

static void name_format(struct perf *p)
{
	bool compressed = p->outlined || (p->scanned ? p->queued : p->feeds[0].stream.compressed);

	snprintf(p->info.format, sizeof(p->info.format), "perf.data%s%s%s",
		 p->file.is_pipe ? " pipe" : "", p->inputs.is_directory ? " directory" : "",
		 compressed ? " zstd" : "");
}

void perf_about_now(struct perf *p)
{
	struct source_info *info = &p->info;
	struct damage damage;

	pthread_mutex_lock(&p->lock);
	damage = p->file.damage;
	if (p->outlined && p->ended == info->cpus)
		damage_add(&damage, &p->read_ahead);
	name_format(p);
	info->lost_events = lost_events(&p->totals);
	info->events = info->unknown_records = 0;
	add_unknown(info, p->totals.bad, p->totals.bad_offset);
	for (size_t i = 0; i < info->n_counts; i++)
		p->counts[i].count = 0;
	for (uint32_t i = 0; i < info->cpus; i++)
		add_cpu(p, &p->cpus[i], &damage);
	info->truncated = damage.places;
	memcpy(info->truncated_text, damage.text, sizeof(info->truncated_text));
	pthread_mutex_unlock(&p->lock);
}

bool perf_all_have_time(const struct perf_attrs *attrs)
{
	for (uint32_t i = 0; i < attrs->n; i++)
		if (attrs->list[i].type == PERF_TYPE_TRACEPOINT &&
		    !(attrs->list[i].sample_type & PERF_SAMPLE_TIME))
			return false;
	return true;
}

static int list_counts(struct perf *p)
{
	const struct perf_file *file = &p->file;
	struct event_count *at;

	p->counts = calloc((size_t)file->formats.n + file->attrs.n + 1, sizeof(*p->counts));
	if (!p->counts)
		return -1;
	at = p->counts;
	for (uint32_t i = 0; i < file->formats.n; i++, at++)
		memcpy(at->name, file->formats.list[i].name, sizeof(at->name));
	for (uint32_t i = 0; i < file->attrs.n; i++) {
		const struct perf_attr *attr = &file->attrs.list[i];

		if (!is_other(attr))
			continue;
		if (attr->name[0])
			memcpy(at->name, attr->name, sizeof(at->name));
		else
			snprintf(at->name, sizeof(at->name), "type %" PRIu32 " config %#" PRIx64,
				 attr->type, attr->config);
		at++;
	}
	p->info.counts = p->counts;
	p->info.n_counts = (size_t)(at - p->counts);
	for (size_t i = 0; i < p->info.n_counts; i++)
		p->counts[i].enabled = true;
	return 0;
}

int perf_about(struct perf *p)
{
	const struct perf_file *file = &p->file;
	struct source_info *info = &p->info;

	info->path = p->inputs.path;
	memcpy(info->kernel, file->kernel, sizeof(info->kernel));
	memcpy(info->arch, file->arch, sizeof(info->arch));
	snprintf(info->clock, sizeof(info->clock), "%s", perf_clock_name(&file->attrs));
	if (file->version[0])
		snprintf(info->tool, sizeof(info->tool), "perf %s", file->version);
	info->page_size = file->page_size;
	info->big_endian = file->big_endian;
	info->has_time = perf_all_have_time(&file->attrs);
	info->has_irq_flags = file->formats.n && file->formats.flags.size;
	return list_counts(p);
}
