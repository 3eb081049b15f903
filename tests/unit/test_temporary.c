/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_temporary.c - whatever ends the program, an output is whole or it is not there. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The writers are not in the library. cmocka.h has a macro of the name of one of their functions. */
#include "cmd/output/sink.c"	  /* NOLINT(bugprone-suspicious-include) */
#include "cmd/output/temporary.c" /* NOLINT(bugprone-suspicious-include) */

#include <cmocka.h>

/* A folder of the test's own, in which it works. */
static int enter_folder(void **state)
{
	char *folder = strdup("/tmp/temporary.XXXXXX");

	*state = folder;
	return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	char *folder = *state;

	(void)chdir("/");
	remove_output(folder);
	free(folder);
	return 0;
}

static int named(const struct dirent *entry)
{
	return !is_dots(entry->d_name);
}

/* What is in the folder, which is left empty: "a b". */
static void check_folder(const char *wanted)
{
	struct dirent **list;
	char found[1024] = "";
	int n = scandir(".", &list, named, alphasort);

	for (int i = 0; i < n; i++) {
		size_t len = strlen(found);

		(void)snprintf(found + len, sizeof(found) - len, "%s%s", len ? " " : "",
			       list[i]->d_name);
		remove_output(list[i]->d_name);
		free(list[i]);
	}
	free(list);
	assert_string_equal(found, wanted);
}

static void check_content(const char *path, const char *wanted)
{
	char found[64] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	assert_int_equal(fread(found, 1, sizeof(found) - 1, f), strlen(wanted));
	(void)fclose(f);
	assert_string_equal(found, wanted);
}

/* Runs it in a child. Returns what waitpid() says. */
static int in_child(void (*what)(int sig), int sig)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		what(sig);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static const struct sink_options out = { .path = "out" };

static void begin_output(struct sink *s)
{
	struct error err;

	if (sink_open(s, &out, &err))
		_exit(99);
	(void)fputs("half", s->f);
	(void)fflush(s->f);
}

static void finish_output(struct sink *s)
{
	struct error err;

	if (sink_close(s, &err))
		_exit(98);
}

static void die_in_the_middle(int sig)
{
	struct sink s;

	begin_output(&s);
	(void)raise(sig);
}

static void every_signal(void **state)
{
	(void)state;
	for (size_t i = 0; i < ENDINGS; i++) {
		int status = in_child(die_in_the_middle, ending[i]);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), ending[i]);
		check_folder("");
	}
}

static void what_was_there_stays(void **state)
{
	FILE *f = fopen("out", "we");

	(void)state;
	assert_non_null(f);
	(void)fputs("before", f);
	assert_int_equal(fclose(f), 0);
	assert_true(WIFSIGNALED(in_child(die_in_the_middle, SIGTERM)));
	check_content("out", "before");
	check_folder("out");
}

/* nohup, and what a shell does for jobs in the background. */
static void ignore(int sig)
{
	struct sink s;

	(void)!signal(sig, SIG_IGN);
	begin_output(&s);
	(void)raise(sig);
	finish_output(&s);
}

static void ignored_signals(void **state)
{
	(void)state;
	for (size_t i = 0; i < ENDINGS; i++) {
		assert_int_equal(in_child(ignore, ending[i]), 0);
		check_content("out", "half");
		check_folder("out");
	}
}

static void die_afterwards(int sig)
{
	struct sink s;

	begin_output(&s);
	finish_output(&s);
	begin_output(&s);
	sink_abandon(&s);
	(void)raise(sig);
}

static void finished_output(void **state)
{
	int status = in_child(die_afterwards, SIGHUP);

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
	check_content("out", "half");
	check_folder("out");
}

static void *raise_here(void *arg)
{
	(void)pthread_kill(pthread_self(), *(int *)arg);
	return NULL;
}

static void die_in_a_thread(int sig)
{
	pthread_t thread;
	struct sink s;

	begin_output(&s);
	if (pthread_create(&thread, NULL, raise_here, &sig))
		_exit(97);
	(void)pthread_join(thread, NULL);
}

static void signal_to_a_thread(void **state)
{
	int status = in_child(die_in_a_thread, SIGINT);

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	check_folder("");
}

static void raise_only(int sig)
{
	(void)raise(sig);
}

static void lose_a_child(int sig)
{
	struct sink s;

	begin_output(&s);
	if (!WIFSIGNALED(in_child(raise_only, sig)))
		_exit(96);
	finish_output(&s);
}

static void signal_to_a_child(void **state)
{
	(void)state;
	assert_int_equal(in_child(lose_a_child, SIGTERM), 0);
	check_folder("out");
}

static void make_tree(struct temporary *t)
{
	if (temporary_directory(t, "out") || chdir(t->path) || mkdir("trace", 0700))
		_exit(95);
	for (int i = 0; i < 200; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "trace/a_stream_of_a_trace_%d", i);
		(void)close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	if (chdir(".."))
		_exit(94);
}

static void die_with_a_tree(int sig)
{
	struct temporary t;

	make_tree(&t);
	(void)raise(sig);
}

static void a_directory(void **state)
{
	struct temporary t;

	(void)state;
	assert_true(WIFSIGNALED(in_child(die_with_a_tree, SIGTERM)));
	check_folder("");
	make_tree(&t);
	temporary_drop(&t);
	assert_null(t.path);
	check_folder("");
}

/* It makes its directory again and again, as libbabeltrace2 does where it is gone. */
static void die_with_a_writer(int sig)
{
	struct temporary t;

	make_tree(&t);
	if (temporary_fork() == 0)
		for (;;)
			(void)mkdir(t.path, 0700);
	(void)raise(sig);
}

static void a_writer(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		assert_true(WIFSIGNALED(in_child(die_with_a_writer, SIGHUP)));
		check_folder("");
	}
}

static void too_many(void **state)
{
	struct temporary t[SLOTS + 1];

	(void)state;
	for (size_t i = 0; i < SLOTS; i++)
		assert_int_equal(temporary_directory(&t[i], "out"), 0);
	assert_int_equal(temporary_file(&t[SLOTS], "out", 0600), -1);
	assert_int_equal(errno, EMFILE);
	for (size_t i = 0; i <= SLOTS; i++)
		temporary_drop(&t[i]);
	check_folder("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_signal),	      cmocka_unit_test(what_was_there_stays),
		cmocka_unit_test(ignored_signals),    cmocka_unit_test(finished_output),
		cmocka_unit_test(signal_to_a_thread), cmocka_unit_test(signal_to_a_child),
		cmocka_unit_test(a_directory),	      cmocka_unit_test(too_many),
		cmocka_unit_test(a_writer),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
