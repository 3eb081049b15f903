/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_event_decode.c - records as kernels wrote them, against what trace-cmd report prints of them.
 *
 * The records are from the truth trace of the workload misc on Debian 6.1 (POWER9) but for the IPI
 * mask, which is from 6.12.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above it */
#include <cmocka.h>

#include "analyze/event_decode.h"

#define COMMON                                                                                     \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define PROBE_IP "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"

static const struct {
	const char *system;
	const char *text;
} formats[] = {
	{ "sched", "name: sched_switch\nID: 263\n" COMMON
		   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		   "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
		   "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		   "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
		   "\nprint fmt: \"((((((((\", REC->prev_comm\n" },
	{ "task", "name: task_newtask\nID: 68\n" COMMON
		  "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		  "\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
		  "\tfield:unsigned long clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n"
		  "\tfield:short oom_score_adj;\toffset:40;\tsize:2;\tsigned:1;\n" },
	{ "kp", "name: tlb_flush\nID: 1288\n" COMMON PROBE_IP
		"\tfield:u64 mm;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 start;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 end;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:u16 bits;\toffset:40;\tsize:2;\tsigned:0;\n"
		"\tfield:u32 page_size;\toffset:42;\tsize:4;\tsigned:0;\n"
		"\tfield:u64 pid;\toffset:46;\tsize:8;\tsigned:0;\n"
		"\tfield:s32 act;\toffset:54;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 cpus;\toffset:58;\tsize:8;\tsigned:0;\n"
		"\tfield:s32 users;\toffset:66;\tsize:4;\tsigned:1;\n" },
	{ "kp", "name: page_psize\nID: 1293\n" COMMON PROBE_IP
		"\tfield:u64 mm;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 addr;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:s32 psize;\toffset:32;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 pid;\toffset:36;\tsize:8;\tsigned:0;\n" },
	{ "kp", "name: flush_type\nID: 1306\n" COMMON
		"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:u32 type;\toffset:24;\tsize:4;\tsigned:0;\n" },
	{ "kp", "name: flush_tlb_range\nID: 1289\n" COMMON PROBE_IP
		"\tfield:u64 mm;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 flags;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 start;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 end;\toffset:40;\tsize:8;\tsigned:0;\n" },
	{ "cpuhp", "name: cpuhp_enter\nID: 210\n" COMMON
		   "\tfield:unsigned int cpu;\toffset:8;\tsize:4;\tsigned:0;\n"
		   "\tfield:int target;\toffset:12;\tsize:4;\tsigned:1;\n"
		   "\tfield:int idx;\toffset:16;\tsize:4;\tsigned:1;\n"
		   "\tfield:void * fun;\toffset:24;\tsize:8;\tsigned:0;\n" },
	{ "powerpc", "name: hcall_entry\nID: 211\n" COMMON
		     "\tfield:unsigned long opcode;\toffset:8;\tsize:8;\tsigned:0;\n" },
	{ "probe", "name: anything\nID: 77\n" COMMON PROBE_IP },
	{ "ipi", "name: ipi_send_cpumask\nID: 228\n" COMMON
		 "\tfield:__data_loc cpumask_t cpumask;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:void * callsite;\toffset:16;\tsize:8;\tsigned:0;\n"
		 "\tfield:void * callback;\toffset:24;\tsize:8;\tsigned:0;\n" },
	{ "syscalls", "name: sys_enter_ipc\nID: 945\n" COMMON
		      "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:unsigned int call;\toffset:16;\tsize:8;\tsigned:0;\n"
		      "\tfield:int first;\toffset:24;\tsize:8;\tsigned:0;\n"
		      "\tfield:unsigned long second;\toffset:32;\tsize:8;\tsigned:0;\n"
		      "\tfield:unsigned long third;\toffset:40;\tsize:8;\tsigned:0;\n"
		      "\tfield:void * ptr;\toffset:48;\tsize:8;\tsigned:0;\n"
		      "\tfield:long fifth;\toffset:56;\tsize:8;\tsigned:0;\n" },
	{ "syscalls", "name: sys_enter_munmap\nID: 516\n" COMMON
		      "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:unsigned long addr;\toffset:16;\tsize:8;\tsigned:0;\n"
		      "\tfield:size_t len;\toffset:24;\tsize:8;\tsigned:0;\n" },
	{ "raw_syscalls",
	  "name: sys_enter\nID: 22\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n" },
	{ "task", "name: task_rename\nID: 69\n" COMMON
		  "\tfield:__data_loc char[] newcomm;\toffset:8;\tsize:4;\tsigned:0;\n" },
	{ "irq", "name: only_counted\nID: 9\n" COMMON
		 "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n" },
};

struct fixture {
	struct event_formats formats;
	struct event_decoder decoder;
	unsigned asked; /* for symbols */
};

static bool find_symbol(void *context, uint64_t address, char *name, uint64_t size)
{
	struct fixture *f = context;

	f->asked++;
	snprintf(name, size, "%s", "radix__flush_tlb_page");
	return address == UINT64_C(0xc000000000094dcc);
}

static void prepare(struct fixture *f, const char *machine)
{
	struct symbol_finder finder = { find_symbol, f };
	struct event_format_parser *parser;

	f->asked = 0;
	assert_int_equal(event_formats_init(&f->formats, false, 8, machine), 0);
	parser = event_formats_begin(&f->formats);
	assert_non_null(parser);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		event_formats_add(parser, formats[i].system, formats[i].text,
				  strlen(formats[i].text));
	event_formats_end(parser);
	assert_int_equal(f->formats.unparsed, 0);
	assert_int_equal(event_decoder_init(&f->decoder, &f->formats, finder), 0);
}

static void done(struct fixture *f)
{
	event_decoder_free(&f->decoder);
	event_formats_free(&f->formats);
}

/* Decodes the record in hexadecimal; its bytes lie at the end of an allocation, for the sanitizer. */
static bool decode(struct fixture *f, const char *hex, struct event *ev)
{
	size_t len = strlen(hex) / 2;
	uint8_t *data = malloc(len);
	bool got;

	assert_non_null(data);
	for (size_t i = 0; i < len; i++) {
		char digits[3] = { hex[2 * i], hex[2 * i + 1], 0 };

		data[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	got = event_decode(&f->decoder, data, (uint32_t)len, 1000, ev);
	free(data);
	return got;
}

static const char
	gather[] = "08050000eb0b00006c530900000000c000e6ff02000000c0000033acff7f0000000034"
		   "acff7f00000800000001000a00000000000000030000000b00000000000000020000000000";

static void probes_tell_the_request(void **state)
{
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_true(decode(&f, gather, &ev));
	assert_int_equal(ev.kind, EVENT_REQUEST);
	assert_int_equal(ev.tid, 3051);
	assert_int_equal(ev.offset, 1000);
	assert_int_equal(ev.request.fn, REQUEST_GATHER);
	assert_int_equal(ev.request.has, REQUEST_HAS_MM | REQUEST_HAS_RANGE | REQUEST_HAS_BITS |
						 REQUEST_HAS_PAGE_SIZE | REQUEST_HAS_HW_PID |
						 REQUEST_HAS_ACTIVE | REQUEST_HAS_CPUS |
						 REQUEST_HAS_USERS);
	assert_int_equal(ev.request.mm, UINT64_C(0xc000000002ffe600));
	assert_int_equal(ev.request.start, UINT64_C(0x7fffac330000));
	assert_int_equal(ev.request.end, UINT64_C(0x7fffac340000));
	assert_int_equal(ev.request.bits, 8);
	assert_int_equal(ev.request.page_size, 65536);
	assert_int_equal(ev.request.hw_pid, 10);
	assert_int_equal(ev.request.active_cpus, 3);
	assert_int_equal(ev.request.cpus, 0xb);
	assert_int_equal(ev.request.users, 2);

	assert_true(decode(&f,
			   "0d050000eb0b0000cc4d0900000000c000e6ff02000000c0000072acff7f0000"
			   "020000000a00000000000000",
			   &ev));
	assert_int_equal(ev.request.fn, REQUEST_PAGE_PSIZE);
	assert_int_equal(ev.request.start, UINT64_C(0x7fffac720000));
	assert_int_equal(ev.request.end, ev.request.start);
	assert_int_equal(ev.request.psize, 2);

	assert_true(decode(&f, "1a050000eb0b00000c3a0900000000c0b0490900000000c002000000", &ev));
	assert_int_equal(ev.request.fn, REQUEST_SCOPE);
	assert_int_equal(ev.request.type, 2);

	/* flags are the VMA's here: not the gather's bits */
	assert_true(decode(&f,
			   "09050000eb0b00007c410900000000c000e6ff02000000c07300104800000000"
			   "000010acff7f0000000020acff7f0000",
			   &ev));
	assert_int_equal(ev.request.fn, REQUEST_RANGE);
	assert_false(ev.request.has & REQUEST_HAS_BITS);
	assert_int_equal(ev.request.end, UINT64_C(0x7fffac200000));
	assert_int_equal(f.asked, 0);
	done(&f);
}

/* A probe whose name says nothing is told by its address; once. */
static void probes_are_found_by_address(void **state)
{
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_true(decode(&f, "4d000000eb0b0000cc4d0900000000c0", &ev));
	assert_int_equal(ev.request.fn, REQUEST_PAGE);
	assert_true(decode(&f, "4d000000eb0b0000cc4d0900000000c0", &ev));
	assert_int_equal(ev.request.fn, REQUEST_PAGE);
	assert_int_equal(f.asked, 1);
	done(&f);
}

static void tasks_are_told(void **state)
{
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_true(decode(&f,
			   "44000000eb0b0000ef0b00006d697363000000000000000000000000000000"
			   "000000200100000000"
			   "00005b95ff7f0000",
			   &ev));
	assert_int_equal(ev.kind, EVENT_NEWTASK);
	assert_int_equal(ev.task.tid, 3055);
	assert_int_equal(ev.task.flags, 0x1200000);
	assert_string_equal(ev.task.comm, "misc");
	assert_int_equal(ev.flags, 0);
	assert_true(decode(&f,
			   "07010801eb0b00006d697363000000000000000000000000eb0b000078000000"
			   "01000000000000006d697363000000000000000000000000ec0b000078000000",
			   &ev));
	assert_int_equal(ev.kind, EVENT_SWITCH);
	assert_int_equal(ev.flags, EVENT_HARDIRQ);
	assert_int_equal(ev.sw.prev_tid, 3051);
	assert_int_equal(ev.sw.next_tid, 3052);
	assert_int_equal(ev.sw.prev_state, 1);
	assert_string_equal(ev.sw.next_comm, "misc");
	/* a newer kernel's task_rename: no pid, a name of any length */
	assert_true(decode(&f, "45001000eb0b00000c0003006162006a", &ev));
	assert_int_equal(ev.kind, EVENT_RENAME);
	assert_int_equal(ev.flags, EVENT_SOFTIRQ);
	assert_int_equal(ev.task.tid, 3051);
	assert_string_equal(ev.task.comm, "ab");
	/* and one that says that it lies behind the record */
	assert_true(decode(&f, "45000000eb0b00000c00ff006162006a", &ev));
	assert_string_equal(ev.task.comm, "");
	done(&f);
}

static void ipi_masks_are_counted(void **state)
{
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_true(decode(&f,
			   "e4000000580300002000080000000000d4b60900000000c000d72800000000c0"
			   "0600000000000000",
			   &ev));
	assert_int_equal(ev.kind, EVENT_IPI_SEND);
	assert_int_equal(ev.ipi.cpus, 6);
	assert_int_equal(ev.ipi.targets, 2);
	assert_int_equal(ev.ipi.callsite, UINT64_C(0xc00000000009b6d4));
	done(&f);
}

/* A CPU is offline from the steps on whose target is CPUHP_OFFLINE; on the way up it is not. */
static void cpus_go_offline(void **state)
{
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_true(decode(&f, "d2000000eb0b000003000000000000005500000000000000000000000000c000",
			   &ev));
	assert_int_equal(ev.kind, EVENT_OFFLINE);
	assert_int_equal(ev.offline_cpu, 3);
	/* 0x55, CPUHP_TEARDOWN_CPU: tasks may still run there */
	assert_false(decode(&f, "d2000000eb0b00000300000055000000e900000000000000000000000000c000",
			    &ev));
	assert_false(decode(&f, "d2000000eb0b000003000000e90000000100000000000000000000000000c000",
			    &ev));
	assert_int_equal(f.decoder.unknown, 0);
	done(&f);
}

static void only_calls_that_flush_are_events(void **state)
{
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_true(decode(&f, "d3000000eb0b00004804000000000000", &ev));
	assert_int_equal(ev.kind, EVENT_HCALL);
	assert_int_equal(ev.tid, 3051);
	assert_false(decode(&f, "d3000000eb0b0000e000000000000000", &ev)); /* H_CEDE */
	assert_int_equal(f.decoder.records, 2);
	assert_int_equal(f.decoder.unknown, 0);
	done(&f);
}

static void syscalls_are_told(void **state)
{
	static const char raw[] = "16000000eb0b0000"
				  "%s"
				  "0000330000000000000001000000000000000000000000000000000000000000"
				  "0000440000000000000000000000000000";
	char hex[256];
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_true(decode(&f, "04020000eb0b00005b0000000000000000001000ff7f00000000020000000000",
			   &ev));
	assert_int_equal(ev.kind, EVENT_SYS_ENTER);
	assert_int_equal(ev.sys.nr, SYSCALL_MUNMAP);
	assert_int_equal(ev.sys.start, UINT64_C(0x7fff00100000));
	assert_int_equal(ev.sys.len, 0x20000);
	/* ipc(SHMDT, 0, 0, 0, ptr, 0) */
	assert_true(decode(&f,
			   "b1030000eb0b000075000000000000001600000000000000"
			   "000000000000000000000000000000000000000000000000"
			   "000040acff7f00000000000000000000",
			   &ev));
	assert_int_equal(ev.sys.nr, SYSCALL_SHMDT);
	assert_int_equal(ev.sys.start, UINT64_C(0x7fffac400000));
	snprintf(hex, sizeof(hex), raw, "5b00000000000000"); /* 91 */
	assert_true(decode(&f, hex, &ev));
	assert_int_equal(ev.sys.nr, SYSCALL_MUNMAP);
	assert_int_equal(ev.sys.start, 0x330000);
	assert_int_equal(ev.sys.len, 0x10000);
	done(&f);
	/* 91 is fchmod on x86, where munmap is 11 */
	prepare(&f, "x86_64");
	assert_true(decode(&f, hex, &ev));
	assert_int_equal(ev.sys.nr, SYSCALL_OTHER);
	assert_int_equal(ev.sys.len, 0);
	snprintf(hex, sizeof(hex), raw, "0b00000000000000");
	assert_true(decode(&f, hex, &ev));
	assert_int_equal(ev.sys.nr, SYSCALL_MUNMAP);
	done(&f);
}

static void bad_records_are_counted(void **state)
{
	struct fixture f;
	struct event ev;

	prepare(&f, "ppc64le");
	assert_false(decode(&f, "09000000eb0b000001000000", &ev));
	assert_int_equal(f.decoder.unknown, 0);
	assert_false(decode(&f, "09", &ev));
	assert_false(decode(&f, "ffff0000eb0b000001000000", &ev)); /* no such event */
	assert_false(decode(&f, "08050000eb0b00006c530900", &ev)); /* too short for its fields */
	assert_int_equal(f.decoder.unknown, 3);
	assert_int_equal(f.decoder.unknown_offset, 1000);
	assert_int_equal(f.decoder.records, 4);
	done(&f);
}

static void add_format(struct event_formats *f, const char *system, const char *text)
{
	struct event_format_parser *parser = event_formats_begin(f);

	assert_non_null(parser);
	event_formats_add(parser, system, text, strlen(text));
	event_formats_end(parser);
}

/* Formats that a hostile file may have: refused or taken without their fields, never believed. */
static void bad_formats_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"name: x\n",
		"name: tlbie\nID: 70000\n" COMMON,
		"name: tlbie\nID: -3\n" COMMON,
		"name: tlbie\nID: 1\n" COMMON "\tfield:unsigned long rb;\toffset:8;\tsi",
		"name: tlbie\nID: 2\n" COMMON
		"\tfjeld:unsigned long rb;\toffset:8;\tsize:8;\tsigned:0;\n",
	};
	static const char far[] = "name: task_newtask\nID: 5\n" COMMON
				  "\tfield:pid_t pid;\toffset:70000;\tsize:4;\tsigned:1;\n"
				  "\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
				  "\tfield:unsigned long clone_flags;\toffset:-8;\tsize:8;\tsigned:0;\n";
	static const char other[] = "name: other\nID: 6\n" COMMON "what is this?\n";
	struct event_formats f;

	assert_int_equal(event_formats_init(&f, false, 8, ""), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		add_format(&f, "powerpc", texts[i]);
		assert_int_equal(f.unparsed, i + 1);
	}
	add_format(&f, "task", far);
	assert_int_not_equal(f.by_id[5], 0);
	assert_int_equal(f.list[f.by_id[5] - 1].how, HOW_COUNT);
	/* an event that does not matter is counted by its name */
	f.unparsed = 0;
	add_format(&f, "misc", other);
	assert_int_equal(f.unparsed, 0);
	assert_string_equal(f.list[f.by_id[6] - 1].name, "misc:other");
	event_formats_free(&f);
}

static void names_are_known(void **state)
{
	assert_int_equal(request_by_name("radix__tlb_flush", false), REQUEST_GATHER);
	assert_int_equal(request_by_name("tlbt_gather", false), REQUEST_GATHER);
	assert_int_equal(request_by_name("p_radix__flush_tlb_range_0", false), REQUEST_RANGE);
	assert_int_equal(request_by_name("do_tlbiel_va_range", false), REQUEST_MULTICAST);
	assert_int_equal(request_by_name("exit_lazy", false), REQUEST_EXIT_LAZY);
	assert_int_equal(request_by_name("flush_type_in", false), REQUEST_SCOPE_IN);
	assert_int_equal(request_by_name("flush_type_needed__return", true), REQUEST_SCOPE);
	assert_int_equal(request_by_name("mmrange", false), REQUEST_X86_RANGE);
	assert_int_equal(request_by_name("mmrange_ret", true), REQUEST_OTHER);
	assert_int_equal(request_by_name("radix__tlb_flush", true), REQUEST_OTHER);
	assert_int_equal(request_by_name("vfs_read", false), REQUEST_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_tell_the_request),
		cmocka_unit_test(probes_are_found_by_address),
		cmocka_unit_test(tasks_are_told),
		cmocka_unit_test(ipi_masks_are_counted),
		cmocka_unit_test(cpus_go_offline),
		cmocka_unit_test(only_calls_that_flush_are_events),
		cmocka_unit_test(syscalls_are_told),
		cmocka_unit_test(bad_records_are_counted),
		cmocka_unit_test(bad_formats_are_refused),
		cmocka_unit_test(names_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
