/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_task.c - names, thread groups and calls of tasks; tids that come again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/cause.h"
#include "analyze/task.h"
#include "fake_source.h"

static const struct fake_task known[] = {
	{ 100, 90, "worker" },
	{ 200, -1, "cat" },
};

static int setup(void **state)
{
	static struct fake_source source;

	fake_source_init(&source, known, 2);
	*state = task_table_new(&source.src);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	task_table_free(*state, NULL);
	return 0;
}

static void apply(struct task_table *t, struct event ev)
{
	assert_true(task_apply(t, &ev));
}

static void newtask(struct task_table *t, int32_t parent, int32_t child, uint64_t flags)
{
	apply(t, (struct event){ .kind = EVENT_NEWTASK,
				 .tid = parent,
				 .tgid = -1,
				 .task = { .tid = child, .flags = flags } });
}

static void the_files_tables_are_asked(void **state)
{
	struct task *task = task_get(*state, 100, -1);

	assert_int_equal(task->tgid, 90);
	assert_true(task->tgid_certain);
	assert_string_equal(task->comm, "worker");
	task = task_get(*state, 200, -1);
	assert_int_equal(task->tgid, 200); /* nothing says otherwise */
	assert_false(task->tgid_certain);
	task = task_get(*state, 300, 290); /* as the event has it */
	assert_int_equal(task->tgid, 290);
	assert_true(task->tgid_certain);
	assert_string_equal(task->comm, "");
	assert_ptr_equal(task_find(*state, 300), task);
	assert_null(task_find(*state, 301));
}

static void threads_and_processes(void **state)
{
	newtask(*state, 100, 101, CLONE_VM | CLONE_THREAD);
	newtask(*state, 100, 102, 0);
	newtask(*state, 100, 103, CLONE_VM); /* vfork */
	assert_int_equal(task_find(*state, 101)->tgid, 90);
	assert_int_equal(task_find(*state, 102)->tgid, 102);
	assert_int_equal(task_find(*state, 103)->tgid, 103);
	assert_string_equal(task_find(*state, 101)->comm, "worker");
	/* whose group the parent's is not known, the thread's is not either */
	newtask(*state, 200, 201, CLONE_VM | CLONE_THREAD);
	assert_false(task_find(*state, 201)->tgid_certain);
}

/* A tid that comes again is another task. */
static void tid_that_comes_again(void **state)
{
	struct event ev = { .kind = EVENT_EXIT, .tid = 102, .tgid = -1, .task = { .tid = 102 } };

	newtask(*state, 100, 102, CLONE_THREAD);
	apply(*state,
	      (struct event){
		      .kind = EVENT_SYS_ENTER, .tid = 102, .tgid = -1, .sys.nr = SYSCALL_MUNMAP });
	apply(*state, ev);
	assert_true(task_find(*state, 102)->exiting);
	newtask(*state, 200, 102, 0);
	assert_false(task_find(*state, 102)->exiting);
	assert_false(task_find(*state, 102)->call.inside);
	assert_int_equal(task_find(*state, 102)->tgid, 102);
	assert_string_equal(task_find(*state, 102)->comm, "cat");
}

static void names_follow_events(void **state)
{
	struct event ev = { .kind = EVENT_EXEC, .tid = 200, .tgid = -1, .task = { .tid = 200 } };

	strcpy(ev.task.comm, "cc1");
	apply(*state, ev);
	assert_string_equal(task_find(*state, 200)->comm, "cc1");
	ev.kind = EVENT_RENAME;
	memset(ev.task.comm, 'x', COMM_LEN); /* not terminated: a damaged record */
	apply(*state, ev);
	assert_string_equal(task_find(*state, 200)->comm, "xxxxxxxxxxxxxxx");
	ev.task.comm[0] = '\0'; /* no name in the event: keeps its own */
	apply(*state, ev);
	assert_string_equal(task_find(*state, 200)->comm, "xxxxxxxxxxxxxxx");
	ev = (struct event){ .kind = EVENT_SWITCH, .sw = { 200, 400, "prev", "next", 0 } };
	apply(*state, ev);
	assert_string_equal(task_find(*state, 200)->comm, "prev");
	assert_string_equal(task_find(*state, 400)->comm, "next");
}

static void calls_are_entered_and_left(void **state)
{
	struct event ev = { .kind = EVENT_SYS_ENTER,
			    .tid = 200,
			    .tgid = -1,
			    .sys = { SYSCALL_MADVISE, 0x10000, 0x20000 } };
	const struct task *task;

	assert_false(task_get(*state, 200, -1)->call.known);
	apply(*state, ev);
	task = task_find(*state, 200);
	assert_true(task->call.known && task->call.inside);
	assert_int_equal(task->call.nr, SYSCALL_MADVISE);
	assert_int_equal(task->call.start, 0x10000);
	assert_int_equal(task->call.len, 0x20000);
	ev.kind = EVENT_SYS_EXIT;
	apply(*state, ev);
	assert_true(task->call.known);
	assert_false(task->call.inside);
	/* a call that unmaps nothing: known to be in none of those that do */
	ev.kind = EVENT_SYS_ENTER;
	ev.sys.nr = SYSCALL_OTHER;
	apply(*state, ev);
	assert_false(task->call.inside);
}

static void all_tasks_are_visited_once(void **state)
{
	struct task *task = NULL;
	unsigned n = 0;
	int32_t sum = 0;

	for (int32_t tid = 1; tid <= 1000; tid++)
		assert_non_null(task_get(*state, tid, -1));
	while ((task = task_next(*state, task))) {
		n++;
		sum += task->tid;
	}
	assert_int_equal(n, 1000);
	assert_int_equal(sum, 500500);
	task_remove(*state, task_find(*state, 7));
	assert_null(task_find(*state, 7));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A name may hold anything: what moves a cursor or begins a line is not passed on. */
static void names_cannot_move_the_cursor(void **state)
{
	struct fake_source src;
	struct task_table *t;
	struct event ev = { .kind = EVENT_RENAME, .tid = 9, .tgid = -1, .task = { .tid = 9 } };

	(void)state;
	fake_source_init(&src, NULL, 0);
	t = task_table_new(&src.src);
	memcpy(ev.task.comm, "\x1b[31m\nx\x7f", 8);
	assert_true(task_apply(t, &ev));
	assert_string_equal(task_find(t, 9)->comm, "?[31m?x?");
	task_table_free(t, NULL);
}

/* A program may begin as a kernel thread is named. */
static void kernel_threads_by_their_whole_names(void **state)
{
	static const char *const kernels[] = { "khugepaged",  "kswapd0",    "kcompactd1",  "ksmd",
					       "kworker/3:1", "oom_reaper", "migration/12" };
	static const char *const programs[] = { "migrationd", "ksmd-helper", "kworkerd",
						"kswapdump",  "migrate",     "oom" };

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		assert_true(cause_is_kthread(kernels[i]));
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		assert_false(cause_is_kthread(programs[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_threads_by_their_whole_names),
		cmocka_unit_test(names_cannot_move_the_cursor),
		TEST(the_files_tables_are_asked),
		TEST(threads_and_processes),
		TEST(tid_that_comes_again),
		TEST(names_follow_events),
		TEST(calls_are_entered_and_left),
		TEST(all_tasks_are_visited_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
