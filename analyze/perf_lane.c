/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_lane.c - which records of a perf.data are events of a CPU, and what those of perf itself say. */
#include "analyze/perf_lane.h"

#include "analyze/task.h"

static bool records(const struct event_formats *formats, enum event_kind kind)
{
	for (uint32_t i = 0; i < formats->n; i++)
		if (formats->list[i].how != HOW_COUNT && formats->list[i].kind == kind)
			return true;
	return false;
}

struct perf_rules perf_rules_of(const struct perf_attrs *attrs, const struct event_formats *formats)
{
	struct perf_rules rules = {
		.attrs = attrs,
		.renames = !records(formats, EVENT_RENAME),
		.execs = !records(formats, EVENT_EXEC),
		.forks = !records(formats, EVENT_NEWTASK) && !records(formats, EVENT_FORK),
		.exits = !records(formats, EVENT_EXIT),
		.switches = !records(formats, EVENT_SWITCH),
	};

	return rules;
}

static bool is_exec(const struct perf_record *rec)
{
	return rec->misc & PERF_MISC_COMM_EXEC;
}

/* Whether a record that is no sample is an event, if it says when and where it happened. */
static bool is_wanted(const struct perf_rules *rules, const struct perf_record *rec)
{
	switch (rec->type) {
	case PERF_LOST:
		return rec->size >= 24;
	case PERF_LOST_SAMPLES:
		return rec->size >= 16 && !(rec->misc & PERF_MISC_LOST_BY_FILTER);
	case PERF_COMM:
		return rec->size > 16 && (rules->renames || (rules->execs && is_exec(rec)));
	case PERF_FORK:
		return rec->size >= 32 && rules->forks;
	case PERF_EXIT:
		return rec->size >= 32 && rules->exits;
	case PERF_SWITCH_CPU_WIDE:
		/* Each switch is told twice, out and in. */
		return rec->size >= 16 && rules->switches && rec->misc & PERF_MISC_SWITCH_OUT;
	default:
		return false;
	}
}

/* A later version's, or no record at all. */
static bool is_unknown(uint32_t type)
{
	return type < PERF_FIRST_OF_KERNEL || type > PERF_LAST_OF_USER ||
	       (type > PERF_LAST_OF_KERNEL && type < PERF_FIRST_OF_USER);
}

enum perf_lane perf_lane_of(const struct perf_rules *rules, const struct perf_record *rec,
			    struct perf_sample *sample)
{
	if (rec->type == PERF_SAMPLE) {
		if (!perf_parse_sample(rules->attrs, rec, sample))
			return PERF_LANE_BAD;
		return sample->cpu < PERF_MAX_CPUS ? PERF_LANE_CPU : PERF_LANE_BAD;
	}
	*sample = (struct perf_sample){ .pid = -1, .tid = -1 };
	if (is_unknown(rec->type))
		return PERF_LANE_BAD;
	if (rec->type >= PERF_FIRST_OF_USER)
		return PERF_LANE_NONE;
	if (!perf_parse_trailer(rules->attrs, rec, sample))
		return PERF_LANE_BAD;
	if (!is_wanted(rules, rec) || !sample->time || !sample->has_cpu)
		return PERF_LANE_NONE;
	return sample->cpu < PERF_MAX_CPUS ? PERF_LANE_CPU : PERF_LANE_BAD;
}

uint64_t perf_lost(const struct perf_record *rec, bool big_endian)
{
	if (rec->type == PERF_LOST) /* u64 id, u64 lost */
		return perf_record_u64(rec, 16, big_endian);
	if (rec->type == PERF_LOST_SAMPLES && !(rec->misc & PERF_MISC_LOST_BY_FILTER))
		return perf_record_u64(rec, 8, big_endian);
	return 0;
}

/* u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff; MMAP2: 32 bytes more; char name[] */
uint64_t perf_kernel_text(const struct perf_record *rec, bool big_endian)
{
	uint32_t name = rec->type == PERF_MMAP2 ? 72 : 40;
	static const char wanted[] = "[kernel.kallsyms]_";

	if (rec->size < name + sizeof(wanted) ||
	    memcmp(rec->data + name, wanted, sizeof(wanted) - 1) != 0)
		return 0;
	return perf_record_u64(rec, 32, big_endian);
}

/* u32 pid, u32 tid, char comm[] */
static void comm_event(const struct perf_rules *rules, const struct perf_record *rec,
		       struct event *ev)
{
	const char *comm = (const char *)rec->data + 16;

	ev->kind = rules->execs && is_exec(rec) ? EVENT_EXEC : EVENT_RENAME;
	ev->task.tid = (int32_t)perf_record_u32(rec, 12, rules->attrs->big_endian);
	ev->task.old_tid = ev->task.tid;
	text_copy(ev->task.comm, COMM_LEN, comm, strnlen(comm, rec->size - 16));
}

/*
 * u32 pid, u32 ppid, u32 tid, u32 ptid. A task in the group of the task that made it is a thread;
 * whether a new process shares its parent's mm (vfork) is not told.
 */
static void fork_event(const struct perf_record *rec, bool big_endian, struct event *ev)
{
	bool thread = perf_record_u32(rec, 8, big_endian) == perf_record_u32(rec, 12, big_endian);

	ev->kind = thread ? EVENT_NEWTASK : EVENT_FORK;
	ev->task.tid = (int32_t)perf_record_u32(rec, 16, big_endian);
	ev->task.flags = thread ? CLONE_VM | CLONE_THREAD : 0;
	ev->tid = (int32_t)perf_record_u32(rec, 20, big_endian);
	ev->tgid = (int32_t)perf_record_u32(rec, 12, big_endian);
}

static void exit_event(const struct perf_record *rec, bool big_endian, struct event *ev)
{
	ev->kind = EVENT_EXIT;
	ev->task.tid = (int32_t)perf_record_u32(rec, 16, big_endian);
	ev->tid = ev->task.tid;
	ev->tgid = (int32_t)perf_record_u32(rec, 8, big_endian);
}

/* u32 next_pid, u32 next_tid */
static void switch_event(const struct perf_record *rec, bool big_endian, struct event *ev)
{
	ev->kind = EVENT_SWITCH;
	ev->sw = (struct switch_record){
		.prev_tid = ev->tid,
		.next_tid = (int32_t)perf_record_u32(rec, 12, big_endian),
		.prev_state = rec->misc & PERF_MISC_SWITCH_OUT_PREEMPT ? 0 : 1,
	};
}

void perf_lane_event(const struct perf_rules *rules, const struct perf_record *rec,
		     const struct perf_sample *sample, struct event *ev)
{
	bool big_endian = rules->attrs->big_endian;

	*ev = (struct event){ .offset = rec->offset, .tid = sample->tid, .tgid = sample->pid };
	switch (rec->type) {
	case PERF_COMM:
		comm_event(rules, rec, ev);
		break;
	case PERF_FORK:
		fork_event(rec, big_endian, ev);
		break;
	case PERF_EXIT:
		exit_event(rec, big_endian, ev);
		break;
	case PERF_SWITCH_CPU_WIDE:
		switch_event(rec, big_endian, ev);
		break;
	default:
		ev->kind = EVENT_LOST;
		ev->tid = -1;
		ev->lost = perf_lost(rec, big_endian);
		break;
	}
}
