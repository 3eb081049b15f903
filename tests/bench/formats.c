/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formats.c - the format texts of the events that workloads write, as tracefs of 6.1 has them. */
#include <stddef.h>

#include "workload.h"

#define FIELD(type_name, offset, size, is_signed)                                                  \
	"\tfield:" type_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

#define FORMAT(name, id, fields, print)                                                            \
	"name: " name "\nID: " #id "\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0)      \
		FIELD("unsigned char common_flags", 2, 1, 0)                                       \
			FIELD("unsigned char common_preempt_count", 3, 1, 0)                       \
				FIELD("int common_pid", 4, 4, 1) "\n" fields "\nprint fmt: " print \
								 "\n"

#define NR FIELD("int __syscall_nr", 8, 4, 1)
#define EXIT_FORMAT(name, id)                                                                      \
	FORMAT(name, id, NR FIELD("long ret", 16, 8, 1), "\"0x%lx\", REC->ret")

static const struct workload_format formats[] = {
	{ "powerpc",
	  FORMAT("tlbie", 30,
		 FIELD("unsigned long lpid", 8, 8, 0) FIELD("unsigned long local", 16, 8, 0) FIELD(
			 "unsigned long rb", 24, 8, 0) FIELD("unsigned long rs", 32, 8, 0)
			 FIELD("unsigned long ric", 40, 8, 0) FIELD("unsigned long prs", 48, 8, 0)
				 FIELD("unsigned long r", 56, 8, 0),
		 "\"lpid=%ld, local=%ld, rb=0x%lx, rs=0x%lx, ric=0x%lx, prs=0x%lx, r=0x%lx\", "
		 "REC->lpid, REC->local, REC->rb, REC->rs, REC->ric, REC->prs, REC->r") },
	{ "task", FORMAT("task_newtask", 68,
			 FIELD("pid_t pid", 8, 4, 1) FIELD("char comm[16]", 12, 16, 0)
				 FIELD("unsigned long clone_flags", 32, 8, 0)
					 FIELD("short oom_score_adj", 40, 2, 1),
			 "\"pid=%d comm=%s clone_flags=%lx oom_score_adj=%hd\", REC->pid, "
			 "REC->comm, REC->clone_flags, REC->oom_score_adj") },
	{ "sched", FORMAT("sched_process_exec", 256,
			  FIELD("__data_loc char[] filename", 8, 4, 0) FIELD("pid_t pid", 12, 4, 1)
				  FIELD("pid_t old_pid", 16, 4, 1),
			  "\"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, "
			  "REC->old_pid") },
	{ "sched", FORMAT("sched_process_exit", 260,
			  FIELD("char comm[16]", 8, 16, 0) FIELD("pid_t pid", 24, 4, 1)
				  FIELD("int prio", 28, 4, 1),
			  "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio") },
	{ "sched",
	  FORMAT("sched_switch", 263,
		 FIELD("char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4,
							     1) FIELD("int prev_prio", 28, 4, 1)
			 FIELD("long prev_state", 32, 8, 1) FIELD("char next_comm[16]", 40, 16, 0)
				 FIELD("pid_t next_pid", 56, 4, 1) FIELD("int next_prio", 60, 4, 1),
		 "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s "
		 "next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
		 "REC->prev_state, REC->next_comm, REC->next_pid, REC->next_prio") },
	{ "syscalls", EXIT_FORMAT("sys_exit_brk", 517) },
	{ "syscalls", FORMAT("sys_enter_brk", 518, NR FIELD("unsigned long brk", 16, 8, 0),
			     "\"brk: 0x%08lx\", ((unsigned long)(REC->brk))") },
	{ "syscalls", EXIT_FORMAT("sys_exit_mprotect", 531) },
	{ "syscalls", FORMAT("sys_enter_mprotect", 532,
			     NR FIELD("unsigned long start", 16, 8, 0) FIELD("size_t len", 24, 8, 0)
				     FIELD("unsigned long prot", 32, 8, 0),
			     "\"start: 0x%08lx, len: 0x%08lx, prot: 0x%08lx\", ((unsigned "
			     "long)(REC->start)), ((unsigned long)(REC->len)), ((unsigned "
			     "long)(REC->prot))") },
	{ "syscalls", EXIT_FORMAT("sys_exit_ipc", 944) },
	{ "syscalls",
	  FORMAT("sys_enter_ipc", 945,
		 NR FIELD("unsigned int call", 16, 8, 0) FIELD("int first", 24, 8, 0) FIELD(
			 "unsigned long second", 32, 8, 0) FIELD("unsigned long third", 40, 8, 0)
			 FIELD("void * ptr", 48, 8, 0) FIELD("long fifth", 56, 8, 0),
		 "\"call: 0x%08lx, ptr: 0x%08lx\", ((unsigned long)(REC->call)), ((unsigned "
		 "long)(REC->ptr))") },
	{ NULL, NULL },
};

const struct workload_format *workload_formats(void)
{
	return formats;
}
