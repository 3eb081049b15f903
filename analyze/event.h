/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - one kernel event that matters here, decoded; nothing behind a source sees anything else.
 *
 * A source turns the records of its file into these; events of other kinds are counted by name in
 * struct source_info and dropped.
 */
#ifndef TLBTRACE_EVENT_H
#define TLBTRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define COMM_LEN 16 /* TASK_COMM_LEN of the kernel, the terminating NUL included */

enum event_kind {
	EVENT_TLBIE,	 /* powerpc:tlbie: one tlbie or tlbiel instruction */
	EVENT_X86_FLUSH, /* tlb:tlb_flush */
	EVENT_SWITCH,	 /* sched:sched_switch */
	EVENT_NEWTASK,	 /* task:task_newtask */
	EVENT_FORK,	 /* sched:sched_process_fork: cannot tell a thread from a process */
	EVENT_EXEC,	 /* sched:sched_process_exec */
	EVENT_EXIT,	 /* sched:sched_process_exit */
	EVENT_RENAME,	 /* task:task_rename, or a PERF_RECORD_COMM */
	EVENT_MIGRATE,	 /* sched:sched_migrate_task */
	EVENT_OFFLINE,	 /* cpuhp:cpuhp_enter: a CPU has been taken down */
	EVENT_SYS_ENTER, /* syscalls:sys_enter_* of the calls in enum syscall_nr */
	EVENT_SYS_EXIT,	 /* syscalls:sys_exit_* of the same */
	EVENT_REQUEST,	 /* a probe on one of the kernel's flush functions (policies 9.5) */
	EVENT_IPI_SEND,	 /* ipi:ipi_send_cpu, ipi:ipi_send_cpumask */
	EVENT_IPI_RECV,	 /* irq_vectors:call_function_entry: an IPI that went to several CPUs */
	EVENT_CSD_QUEUE, /* csd:csd_queue_cpu: a function call was put into a CPU's queue */
	EVENT_CSD_RUN,	 /* csd:csd_function_entry: the CPU runs one from its queue */
	EVENT_HCALL,  /* powerpc:hcall_entry with H_RPT_INVALIDATE; other calls are only counted */
	EVENT_MARKER, /* ftrace:print: text written to trace_marker */
	EVENT_LOST,   /* events are missing before this point of this CPU's stream */
};

/* Bits of event.flags. */
enum {
	EVENT_HARDIRQ = 1, /* TRACE_FLAG_HARDIRQ (0x08 of common_flags): an interrupt handler's record */
	EVENT_SOFTIRQ = 2, /* TRACE_FLAG_SOFTIRQ (0x10) */
};

/* powerpc:tlbie: the operands of one instruction, as arch/powerpc/include/asm/trace.h records them. */
struct tlbie_record {
	uint64_t rb;
	uint64_t rs;
	uint32_t lpid;
	uint8_t local; /* 1: tlbiel, 0: tlbie */
	uint8_t ric;
	uint8_t prs;
	uint8_t r;
};

/* tlb:tlb_flush. */
struct x86_flush_record {
	int32_t reason; /* enum tlb_flush_reason of the traced kernel */
	int64_t pages;	/* -1: everything (TLB_FLUSH_ALL) */
};

enum syscall_nr {
	SYSCALL_MUNMAP,
	SYSCALL_MPROTECT,
	SYSCALL_MADVISE,
	SYSCALL_MREMAP,
	SYSCALL_BRK,
	SYSCALL_SHMAT, /* also sys_enter_ipc with call 0x15 */
	SYSCALL_SHMDT, /* also sys_enter_ipc with call 0x16, as powerpc's C library makes it */
	SYSCALL_IPC,   /* sys_exit_ipc, and any other call of sys_enter_ipc */
	SYSCALL_EXIT,  /* exit, exit_group */
	SYSCALL_OTHER, /* any other syscalls:sys_* event that was recorded: only a mark in time */
	SYSCALL_COUNT
};

struct syscall_record {
	enum syscall_nr nr;
	uint64_t start; /* enter: address argument, 0 where there is none */
	uint64_t len;	/* enter: length argument in bytes, 0 where there is none */
};

/* The kernel's flush functions that can be probed (policies 9.5); found by the probe event's name. */
enum request_fn {
	REQUEST_GATHER,	     /* radix__tlb_flush(tlb) */
	REQUEST_RANGE,	     /* radix__flush_tlb_range(vma, start, end) */
	REQUEST_PAGE,	     /* radix__flush_tlb_page(vma, addr) */
	REQUEST_PAGE_PSIZE,  /* radix__flush_tlb_page_psize(mm, addr, psize) */
	REQUEST_RANGE_PSIZE, /* __radix__flush_tlb_range_psize(mm, start, end, psize[, pwc]) */
	REQUEST_PWC_RANGE,   /* radix__flush_tlb_pwc_range_psize(mm, start, end, psize) */
	REQUEST_PMD_RANGE,   /* radix__flush_pmd_tlb_range(vma, start, end) */
	REQUEST_HUGETLB,     /* radix__flush_hugetlb_tlb_range(vma, start, end) */
	REQUEST_COLLAPSED,   /* radix__flush_tlb_collapsed_pmd(mm, addr) */
	REQUEST_MM,	     /* radix__flush_tlb_mm(mm) */
	REQUEST_ALL_MM,	     /* radix__flush_all_mm(mm), __flush_all_mm(mm, fullmm) */
	REQUEST_KERNEL,	     /* radix__flush_tlb_kernel_range(start, end) */
	REQUEST_SCOPE_IN,    /* flush_type_needed(mm, fullmm): entry */
	REQUEST_SCOPE,	     /* flush_type_needed: return value (0 none, 1 local, 2 global) */
	REQUEST_EXIT_LAZY,   /* exit_lazy_flush_tlb, do_exit_flush_lazy_tlb: a trim's handler */
	REQUEST_SHOOT_LAZY,  /* do_shoot_lazy_tlb */
	REQUEST_MULTICAST,   /* do_tlbiel_pid, do_tlbiel_va, do_tlbiel_va_range, do_tlbiel_kernel */
	REQUEST_SERIALIZE,   /* serialize_against_pte_lookup(mm), do_serialize */
	REQUEST_CALL_MANY,  /* smp_call_function_many_cond(mask, …); x86 native_flush_tlb_multi */
	REQUEST_MMDROP,	    /* __mmdrop(mm) */
	REQUEST_X86_RANGE,  /* x86 flush_tlb_mm_range(mm, start, end, stride_shift, freed_tables) */
	REQUEST_X86_BATCH,  /* x86 arch_tlbbatch_flush */
	REQUEST_X86_KERNEL, /* x86 flush_tlb_kernel_range */
	REQUEST_OTHER,	    /* another event of the same probe group: only counted */
};

/* Which members of a request_record the probe fetched. */
enum {
	REQUEST_HAS_RANGE = 1, /* start, end (for one address: [addr, addr) and page from psize) */
	REQUEST_HAS_PSIZE = 2,
	REQUEST_HAS_BITS = 4,
	REQUEST_HAS_PAGE_SIZE = 8,
	REQUEST_HAS_HW_PID = 16,
	REQUEST_HAS_ACTIVE = 32,
	REQUEST_HAS_USERS = 64,
	REQUEST_HAS_CPUS = 128,
	REQUEST_HAS_FULLMM = 256,
	REQUEST_HAS_PWC = 512,
	REQUEST_HAS_MM = 1024,
};

struct request_record {
	enum request_fn fn;
	uint32_t has;	    /* REQUEST_HAS_* */
	uint64_t mm;	    /* kernel address of the mm */
	uint64_t start;	    /* bytes */
	uint64_t end;	    /* bytes, exclusive; all ones: whole mm */
	uint64_t cpus;	    /* first word of mm_cpumask */
	uint32_t hw_pid;    /* mm->context.id */
	uint32_t page_size; /* of an mmu_gather, bytes */
	int32_t psize;	    /* MMU_PAGE_* index of the traced kernel */
	int32_t active_cpus;
	int32_t users; /* mm_users */
	uint32_t type; /* REQUEST_SCOPE: the value that was returned */
	uint16_t bits; /* flags word of an mmu_gather */
	bool fullmm;
	bool pwc;
};

struct switch_record {
	int32_t prev_tid;
	int32_t next_tid;
	char prev_comm[COMM_LEN];
	char next_comm[COMM_LEN];
	int64_t prev_state; /* raw; 0 means that the task was preempted while runnable */
};

struct task_record {
	int32_t tid; /* the task concerned: the new one, the one that execs or exits, the migrated */
	int32_t old_tid;     /* exec: the tid before a thread took over the leader's */
	uint64_t flags;	     /* newtask: clone flags */
	uint32_t dest_cpu;   /* migrate */
	char comm[COMM_LEN]; /* of that task afterwards; "" where the event has none */
};

struct ipi_record {
	uint64_t cpus;	  /* targets among the first 64 CPUs */
	uint32_t targets; /* how many CPUs */
	uint64_t callsite;
};

/* A queued call (call_single_data): its address tells it from all others that wait. */
struct csd_record {
	uint64_t csd; /* 0: run at once by the CPU that asked */
	uint64_t func;
	uint32_t cpu; /* EVENT_CSD_QUEUE: whose queue */
};

/* powerpc:hcall_entry has the number of the call and nothing of its arguments. */
#define H_RPT_INVALIDATE 0x448u

struct event {
	uint64_t time_ns;
	uint64_t offset; /* of the record in its file or inflated chunk, for messages */
	uint32_t cpu;
	int32_t tid;	/* the task that was running: common_pid */
	int32_t tgid;	/* its thread group where the source has it, else -1 */
	uint32_t stack; /* number of the kernel's stack (source_stack()); 0: none was recorded */
	uint8_t kind;	/* enum event_kind */
	uint8_t flags;	/* EVENT_* bits */
	uint16_t marker_len; /* EVENT_MARKER: bytes at .marker */
	union {
		struct tlbie_record tlbie;
		struct x86_flush_record x86;
		struct switch_record sw;
		struct task_record task;
		struct syscall_record sys;
		struct request_record request;
		struct ipi_record ipi;
		struct csd_record csd;
		uint32_t offline_cpu;
		const char *marker; /* not terminated; valid until the next event of this CPU is read */
		uint64_t lost;	    /* how many events; 0: unknown number */
	};
};

#endif
