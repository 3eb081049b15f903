/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_names.c - which kernel function a probe is on, and which system call a number or name is. */
#include "analyze/event_names.h"

#include <ctype.h>
#include <string.h>

#include "analyze/bytes.h"

struct request_name {
	const char *name;
	enum request_fn fn;
};

static const struct request_name entries[] = {
	{ "radix__tlb_flush", REQUEST_GATHER },
	{ "tlb_flush", REQUEST_GATHER },
	{ "gather", REQUEST_GATHER },
	{ "radix__flush_tlb_range", REQUEST_RANGE },
	{ "flush_tlb_range", REQUEST_RANGE },
	{ "range", REQUEST_RANGE },
	{ "radix__flush_tlb_page", REQUEST_PAGE },
	{ "flush_tlb_page", REQUEST_PAGE },
	{ "page", REQUEST_PAGE },
	{ "radix__flush_tlb_page_psize", REQUEST_PAGE_PSIZE },
	{ "page_psize", REQUEST_PAGE_PSIZE },
	{ "ppsz", REQUEST_PAGE_PSIZE },
	{ "__radix__flush_tlb_range_psize", REQUEST_RANGE_PSIZE },
	{ "radix__flush_tlb_range_psize", REQUEST_RANGE_PSIZE },
	{ "range_psize", REQUEST_RANGE_PSIZE },
	{ "radix__flush_tlb_pwc_range_psize", REQUEST_PWC_RANGE },
	{ "pwc_range_psize", REQUEST_PWC_RANGE },
	{ "radix__flush_pmd_tlb_range", REQUEST_PMD_RANGE },
	{ "flush_pmd_tlb_range", REQUEST_PMD_RANGE },
	{ "pmd", REQUEST_PMD_RANGE },
	{ "radix__flush_hugetlb_tlb_range", REQUEST_HUGETLB },
	{ "flush_hugetlb_range", REQUEST_HUGETLB },
	{ "huge", REQUEST_HUGETLB },
	{ "radix__flush_tlb_collapsed_pmd", REQUEST_COLLAPSED },
	{ "collapsed_pmd", REQUEST_COLLAPSED },
	{ "coll", REQUEST_COLLAPSED },
	{ "radix__flush_tlb_mm", REQUEST_MM },
	{ "flush_tlb_mm", REQUEST_MM },
	{ "mm", REQUEST_MM },
	{ "radix__flush_all_mm", REQUEST_ALL_MM },
	{ "__flush_all_mm", REQUEST_ALL_MM },
	{ "flush_all_mm", REQUEST_ALL_MM },
	{ "rflush_all_mm", REQUEST_ALL_MM },
	{ "radix__flush_tlb_kernel_range", REQUEST_KERNEL },
	{ "kernel_range", REQUEST_KERNEL },
	{ "kern", REQUEST_KERNEL },
	{ "flush_type_needed", REQUEST_SCOPE_IN },
	{ "flush_type_in", REQUEST_SCOPE_IN },
	{ "do_exit_flush_lazy_tlb", REQUEST_EXIT_LAZY },
	{ "exit_lazy_flush_tlb", REQUEST_EXIT_LAZY },
	{ "do_exit_lazy", REQUEST_EXIT_LAZY },
	{ "exit_lazy", REQUEST_EXIT_LAZY },
	{ "exitlazy", REQUEST_EXIT_LAZY },
	{ "do_shoot_lazy_tlb", REQUEST_SHOOT_LAZY },
	{ "shoot_lazy", REQUEST_SHOOT_LAZY },
	{ "do_tlbiel_pid", REQUEST_MULTICAST },
	{ "do_tlbiel_va", REQUEST_MULTICAST },
	{ "do_tlbiel_va_range", REQUEST_MULTICAST },
	{ "do_tlbiel_kernel", REQUEST_MULTICAST },
	{ "serialize_against_pte_lookup", REQUEST_SERIALIZE },
	{ "do_serialize", REQUEST_SERIALIZE },
	{ "serialize", REQUEST_SERIALIZE },
	{ "ser", REQUEST_SERIALIZE },
	{ "smp_call_function_many_cond", REQUEST_CALL_MANY },
	{ "smp_call_many", REQUEST_CALL_MANY },
	{ "native_flush_tlb_multi", REQUEST_CALL_MANY },
	{ "multi", REQUEST_CALL_MANY },
	{ "__mmdrop", REQUEST_MMDROP },
	{ "mmdrop_last", REQUEST_MMDROP },
	{ "mmdrop", REQUEST_MMDROP },
	{ "drop", REQUEST_MMDROP },
	{ "flush_tlb_mm_range", REQUEST_X86_RANGE },
	{ "mmrange", REQUEST_X86_RANGE },
	{ "arch_tlbbatch_flush", REQUEST_X86_BATCH },
	{ "batch", REQUEST_X86_BATCH },
	{ "flush_tlb_kernel_range", REQUEST_X86_KERNEL },
	{ "kernrange", REQUEST_X86_KERNEL },
};

static const struct request_name returns[] = {
	{ "flush_type_needed", REQUEST_SCOPE },
	{ "flush_type", REQUEST_SCOPE },
};

static enum request_fn look_up(const char *name, bool is_return)
{
	const struct request_name *list = is_return ? returns : entries;
	size_t n = is_return ? sizeof(returns) / sizeof(returns[0])
			     : sizeof(entries) / sizeof(entries[0]);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return list[i].fn;
	return REQUEST_OTHER;
}

static const char *without_prefix(const char *name)
{
	static const char *const prefixes[] = { "tlbt_", "p_", "r_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return name;
}

static void cut_suffix(char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	if (len > n && !strcmp(name + len - n, suffix))
		name[len - n] = '\0';
}

/* "_0", "_12": an offset, or perf probe's counter. */
static void cut_number(char *name)
{
	size_t len = strlen(name);

	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	if (len > 1 && name[len] && name[len - 1] == '_')
		name[len - 1] = '\0';
}

enum request_fn request_by_name(const char *name, bool is_return)
{
	enum request_fn fn = look_up(name, is_return);
	char plain[80];

	if (fn != REQUEST_OTHER)
		return fn;
	name = without_prefix(name);
	text_copy(plain, sizeof(plain), name, strlen(name));
	cut_number(plain);
	cut_suffix(plain, "__return");
	cut_suffix(plain, "__entry");
	cut_suffix(plain, "__exit");
	return look_up(plain, is_return);
}

struct syscall_name {
	const char *name;
	int ppc64;  /* arch/powerpc/kernel/syscalls/syscall.tbl */
	int x86_64; /* arch/x86/entry/syscalls/syscall_64.tbl */
	struct syscall_args args;
};

static const struct syscall_name syscalls[] = {
	{ "munmap", 91, 11, { SYSCALL_MUNMAP, 0, 1 } },
	{ "mprotect", 125, 10, { SYSCALL_MPROTECT, 0, 1 } },
	{ "madvise", 205, 28, { SYSCALL_MADVISE, 0, 1 } },
	{ "mremap", 163, 25, { SYSCALL_MREMAP, 0, 1 } },
	{ "brk", 45, 12, { SYSCALL_BRK, 0, -1 } },
	{ "shmat", 397, 30, { SYSCALL_SHMAT, 1, -1 } },
	{ "shmdt", 398, 67, { SYSCALL_SHMDT, 0, -1 } },
	{ "ipc", 117, -1, { SYSCALL_IPC, -1, -1 } },
	{ "exit", 1, 60, { SYSCALL_EXIT, -1, -1 } },
	{ "exit_group", 234, 231, { SYSCALL_EXIT, -1, -1 } },
};

static const struct syscall_args other_syscall = { SYSCALL_OTHER, -1, -1 };

struct syscall_args syscall_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(syscalls) / sizeof(syscalls[0]); i++)
		if (!strcmp(syscalls[i].name, name))
			return syscalls[i].args;
	return other_syscall;
}

struct syscall_args syscall_by_number(const char *machine, int64_t number)
{
	bool ppc64 = !strncmp(machine, "ppc64", 5);

	if (number < 0 || (!ppc64 && strcmp(machine, "x86_64")))
		return other_syscall;
	for (size_t i = 0; i < sizeof(syscalls) / sizeof(syscalls[0]); i++)
		if (number == (ppc64 ? syscalls[i].ppc64 : syscalls[i].x86_64))
			return syscalls[i].args;
	return other_syscall;
}

struct syscall_args syscall_of_ipc(uint64_t call)
{
	struct syscall_args args = { SYSCALL_IPC, -1, -1 };

	/* The call's version is above bit 16 (include/uapi/linux/ipc.h). */
	if ((call & 0xffff) == 0x15)
		args = (struct syscall_args){ SYSCALL_SHMAT, IPC_ARG_PTR, -1 };
	else if ((call & 0xffff) == 0x16)
		args = (struct syscall_args){ SYSCALL_SHMDT, IPC_ARG_PTR, -1 };
	return args;
}
