/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload.c - what the tasks of one CPU do, as trace records. */
#include "workload.h"

#include <stdio.h>
#include <string.h>

#define PAGE UINT64_C(0x10000)
#define AP_64K UINT64_C(0xa0) /* actual page size of a tlbie operand: 5 << 5 */
#define RB_PID UINT64_C(0x400)
#define RB_SENTINEL UINT64_C(0xffffffffff0a0)
#define SEGMENT UINT64_C(0x7fff80790000) /* 256 MB, 7 pages before a PMD edge */
#define SEGMENT_PAGES 4096
#define PMD_PAGES 32
#define SHM_PID 10 /* hardware PID of the process that all CPUs share */
#define SHM_TID 100
#define WIDE_PIDS 32	/* with `wide`: processes instead of that one */
#define WIDE_PID 512	/* the first one's hardware PID */
#define WIDE_TID 5000	/* its threads, one per CPU */
#define SHELL_TID 2000	/* one per CPU */
#define CHILD_TID 10000 /* the first short process */
#define SYS_IPC 117
#define SYS_BRK 45
#define SYS_MPROTECT 125
#define IPC_SHMDT 0x16

struct common {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
};

struct tlbie {
	struct common common;
	uint64_t lpid, local, rb, rs, ric, prs, r;
};

struct switched {
	struct common common;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};

struct newtask {
	struct common common;
	int32_t pid;
	char comm[16];
	uint64_t clone_flags;
	int16_t oom_score_adj;
};

struct exec {
	struct common common;
	uint32_t filename; /* length << 16 | offset */
	int32_t pid, old_pid;
	char name[20];
};

struct exited {
	struct common common;
	char comm[16];
	int32_t pid, prio;
};

struct enter {
	struct common common;
	int64_t nr;
	uint64_t args[6];
};

static uint64_t draw(struct workload *w, uint64_t below)
{
	/* xorshift64* */
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (w->random * UINT64_C(0x2545f4914f6cdd1d) >> 33) % below;
}

static void put(struct workload *w, uint64_t after_ns, const void *data, unsigned size)
{
	w->time_ns += after_ns;
	w->sums.records++;
	w->emit(w->arg, w->time_ns, data, size);
}

static void set_comm(char to[16], const char *name)
{
	snprintf(to, 16, "%s", name);
}

static void put_tlbie(struct workload *w, int32_t tid, bool local, uint64_t rb, uint64_t pid,
		      unsigned ric)
{
	struct tlbie rec = {
		{ ID_TLBIE, 0, 1, tid }, 0, local, rb, pid << 32, ric, 1, 1,
	};

	if (local)
		w->sums.tlbiel++;
	else
		w->sums.tlbie++;
	put(w, 30 + draw(w, 40), &rec, sizeof(rec));
}

/* All sets of a PID; POWER10 needs one instruction. */
static void flush_pid_local(struct workload *w, int32_t tid, uint64_t pid, unsigned ric)
{
	unsigned sets = w->p10 ? 1 : 128;

	for (unsigned set = 0; set < sets; set++)
		put_tlbie(w, tid, true, (uint64_t)set << 12 | RB_PID, pid, set ? 0 : ric);
}

static void flush_pid_global(struct workload *w, int32_t tid, uint64_t pid, unsigned ric)
{
	put_tlbie(w, tid, false, RB_PID, pid, ric);
	w->sums.tlbie_at_31 += w->p10 ? 1 : 3;
	if (w->p10)
		return;
	put_tlbie(w, tid, false, RB_PID, 0, 0);
	put_tlbie(w, tid, false, RB_SENTINEL, pid, 0);
}

static void flush_pages(struct workload *w, int32_t tid, uint64_t pid, uint64_t addr, uint64_t n)
{
	uint64_t last = (addr + (n - 1) * PAGE) | AP_64K;

	for (uint64_t i = 0; i < n; i++)
		put_tlbie(w, tid, false, (addr + i * PAGE) | AP_64K, pid, 0);
	if (!w->p10) {
		put_tlbie(w, tid, false, RB_PID, 0, 0);
		put_tlbie(w, tid, false, last, pid, 0);
	}
	if (n > 31)
		w->sums.tlbie_at_31 += w->p10 ? 1 : 3;
	else
		w->sums.tlbie_at_31 += w->p10 ? n : n + 2;
}

static void put_enter(struct workload *w, int32_t tid, uint16_t id, int32_t nr, uint64_t first,
		      uint64_t second)
{
	struct enter rec = { { id, 0, 0, tid }, nr, { first, second } };

	put(w, 500 + draw(w, 2000), &rec, id == ID_ENTER_BRK ? 24 : id == ID_ENTER_IPC ? 64 : 40);
}

static void put_exit(struct workload *w, int32_t tid, uint16_t id, int32_t nr)
{
	struct enter rec = { { id, 0, 0, tid }, nr, { 0 } };

	put(w, 100 + draw(w, 300), &rec, 24);
}

static void switch_to(struct workload *w, int32_t from, const char *from_comm, int64_t state,
		      int32_t to, const char *to_comm)
{
	struct switched rec = { .common = { ID_SWITCH, 0, 0, from } };

	set_comm(rec.prev_comm, from_comm);
	set_comm(rec.next_comm, to_comm);
	rec.prev_pid = from;
	rec.next_pid = to;
	rec.prev_prio = rec.next_prio = 120;
	rec.prev_state = state;
	put(w, 1000 + draw(w, 5000), &rec, sizeof(rec));
}

/* shmdt of 256 MB: a flush per PMD, then one of the page tables. */
static void detach_segment(struct workload *w)
{
	int32_t tid = SHM_TID + (int32_t)w->cpu;
	struct enter rec = { { ID_ENTER_IPC, 0, 0, tid }, SYS_IPC, { IPC_SHMDT } };
	uint64_t done = 0;

	rec.args[4] = SEGMENT;
	switch_to(w, SHELL_TID + (int32_t)w->cpu, "build.sh", 1, tid, "shm");
	put(w, 2000, &rec, sizeof(rec));
	while (done < SEGMENT_PAGES) {
		uint64_t addr = SEGMENT + done * PAGE;
		uint64_t n = PMD_PAGES - addr / PAGE % PMD_PAGES;

		if (n > SEGMENT_PAGES - done)
			n = SEGMENT_PAGES - done;
		flush_pages(w, tid, SHM_PID, addr, n);
		done += n;
	}
	flush_pid_global(w, tid, SHM_PID, 2);
	put_exit(w, tid, ID_EXIT_IPC, SYS_IPC);
	switch_to(w, tid, "shm", 1, SHELL_TID + (int32_t)w->cpu, "build.sh");
}

/* Pages of one range, as often as ranges of 64K pages with THP flushed them. */
static uint64_t draw_pages(struct workload *w)
{
	static const struct {
		uint16_t flushes, from, to;
	} sizes[] = { { 1500, 1, 1 }, { 49, 2, 2 },    { 76, 3, 4 },	{ 118, 5, 8 },
		      { 111, 9, 16 }, { 183, 17, 32 }, { 123, 34, 257 } };
	uint64_t at = draw(w, 2160);

	for (unsigned i = 0; i < 7; i++) {
		if (at < sizes[i].flushes)
			return sizes[i].from + draw(w, sizes[i].to - sizes[i].from + 1u);
		at -= sizes[i].flushes;
	}
	return 1;
}

static void protect_ranges(struct workload *w)
{
	uint64_t which = w->wide ? draw(w, WIDE_PIDS) : 0;
	uint64_t pid = w->wide ? WIDE_PID + which : SHM_PID;
	int32_t tid = (int32_t)((w->wide ? WIDE_TID + which * w->cpus : SHM_TID) + w->cpu);

	switch_to(w, SHELL_TID + (int32_t)w->cpu, "build.sh", 1, tid, "shm");
	for (unsigned i = 0; i < 32; i++) {
		uint64_t n = w->wide ? 1 + draw(w, UINT64_C(2) * RECORDED_CEILING) : draw_pages(w);
		uint64_t addr = SEGMENT + draw(w, 3000) * PAGE;

		put_enter(w, tid, ID_ENTER_MPROTECT, SYS_MPROTECT, addr, n * PAGE);
		if (n > RECORDED_CEILING)
			flush_pid_global(w, tid, pid, 0);
		else
			flush_pages(w, tid, pid, addr, n);
		put_exit(w, tid, ID_EXIT_MPROTECT, SYS_MPROTECT);
	}
	switch_to(w, tid, "shm", 1, SHELL_TID + (int32_t)w->cpu, "build.sh");
}

static void put_exec(struct workload *w, int32_t tid, const char *name)
{
	struct exec rec = { .common = { ID_EXEC, 0, 0, tid }, .pid = tid, .old_pid = tid };
	unsigned len = (unsigned)snprintf(rec.name, sizeof(rec.name), "/bin/%s", name) + 1;

	rec.filename = len << 16 | 20;
	put(w, 3000, &rec, 40);
}

static void put_newtask(struct workload *w, int32_t parent, int32_t child)
{
	struct newtask rec = { .common = { ID_NEWTASK, 0, 0, parent }, .pid = child };

	set_comm(rec.comm, "build.sh");
	rec.clone_flags = 0x1200000;
	put(w, 3000, &rec, sizeof(rec));
}

static void put_exited(struct workload *w, int32_t tid, const char *name)
{
	struct exited rec = { .common = { ID_EXIT, 0, 0, tid }, .pid = tid, .prio = 120 };

	set_comm(rec.comm, name);
	put(w, 1000, &rec, sizeof(rec));
}

static void move_break(struct workload *w, int32_t tid)
{
	put_enter(w, tid, ID_ENTER_BRK, SYS_BRK, UINT64_C(0x22ba0000), 0);
	put_exit(w, tid, ID_EXIT_BRK, SYS_BRK);
}

/* As a shell of masks_build_smp8.dat runs a program: fork, exec, a little work, exit. */
static void run_process(struct workload *w)
{
	static const char *const names[] = { "cc1", "as", "sh", "gcc", "sed", "grep", "sort", "cat" };
	const char *name = names[draw(w, 8)];
	int32_t shell = SHELL_TID + (int32_t)w->cpu;
	int32_t tid = CHILD_TID + (int32_t)(w->sums.processes++ * w->cpus + w->cpu);
	uint64_t pids = 16 +
			3 * (uint64_t)w->cpu; /* free ones are used again: the shell's, then two */
	uint64_t brk_page = UINT64_C(0x10260000);

	flush_pid_local(w, shell, pids, 0);
	put_newtask(w, shell, tid);
	switch_to(w, shell, "build.sh", 1, tid, "build.sh");
	flush_pid_local(w, tid, pids + 1, 2);
	flush_pid_local(w, tid, pids + 2, 2);
	put_exec(w, tid, name);
	for (unsigned i = 0; i < 5; i++)
		move_break(w, tid);
	put_enter(w, tid, ID_ENTER_MPROTECT, SYS_MPROTECT, brk_page, PAGE);
	put_tlbie(w, tid, true, brk_page | AP_64K, pids + 2, 0);
	put_exit(w, tid, ID_EXIT_MPROTECT, SYS_MPROTECT);
	flush_pid_local(w, tid, pids + 2, 2);
	put_exited(w, tid, name);
	switch_to(w, tid, name, 0x20, shell, "build.sh");
}

void workload_start(struct workload *w, uint64_t seed)
{
	w->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) +
		    w->cpu * UINT64_C(0xbf58476d1ce4e5b9);
	w->time_ns = UINT64_C(16000000000) + w->cpu * UINT64_C(1000);
	w->sums = (struct workload_sums){ 0 };
	w->process_every = w->processes ? w->records_max / w->processes : UINT64_MAX;
}

bool workload_step(struct workload *w)
{
	const struct workload_sums *sums = &w->sums;

	if (sums->records >= w->records_max)
		return false;
	w->steps++;
	if (sums->processes < w->processes && sums->records >= sums->processes * w->process_every)
		run_process(w);
	else if (w->steps % 8)
		protect_ranges(w);
	else
		detach_segment(w);
	return true;
}
