/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_command.c - starting, holding, reaping and ending child processes. */
#include "cmd/record/record_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* The signals that the recording itself handles or ignores. */
static void default_signals(void)
{
	static const int changed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGXFSZ, SIGPIPE };
	sigset_t none;

	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++)
		(void)!signal(changed[i], SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void exec_or_tell(char **argv, int exec_fd)
{
	int reason;

	(void)execvp(argv[0], argv);
	reason = errno;
	(void)!write(exec_fd, &reason, sizeof(reason));
	_exit(127);
}

static _Noreturn void run_held(char **argv, int gate_fd, int exec_fd)
{
	char go;

	default_signals();
	/* Nothing comes out if we died or gave up before. */
	if (read(gate_fd, &go, 1) != 1)
		_exit(127);
	exec_or_tell(argv, exec_fd);
}

static int fork_failed(const char *name, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: cannot be started: %s", name, strerror(errno));
}

int record_command_hold(struct record_command *c, char **argv, struct error *err)
{
	int gate[2], exec[2];

	*c = RECORD_NO_COMMAND;
	c->name = argv[0];
	if (pipe2(gate, O_CLOEXEC))
		return fork_failed(argv[0], err);
	if (pipe2(exec, O_CLOEXEC)) {
		(void)close(gate[0]);
		(void)close(gate[1]);
		return fork_failed(argv[0], err);
	}
	c->gate_fd = gate[1];
	c->exec_fd = exec[0];
	c->pid = fork();
	if (c->pid == 0) {
		(void)close(gate[1]);
		run_held(argv, gate[0], exec[1]);
	}
	(void)close(gate[0]);
	(void)close(exec[1]);
	if (c->pid > 0)
		return 0;
	c->pid = 0;
	close_fd(&c->gate_fd);
	close_fd(&c->exec_fd);
	return fork_failed(argv[0], err);
}

/* Whether the program runs now; the descriptor closes when exec succeeds. */
static int check_exec(struct record_command *c, struct error *err)
{
	int reason;
	ssize_t n = read(c->exec_fd, &reason, sizeof(reason));

	close_fd(&c->exec_fd);
	if (n != sizeof(reason))
		return 0;
	record_command_end(c);
	return error_set(err, ERROR_ENVIRONMENT, "%s: cannot be run: %s", c->name, strerror(reason));
}

int record_command_release(struct record_command *c, struct error *err)
{
	if (write(c->gate_fd, "g", 1) != 1)
		return fork_failed(c->name, err);
	close_fd(&c->gate_fd);
	return check_exec(c, err);
}

static _Noreturn void run_program(char **argv, const int *keep, int out_fd, int exec_fd,
				  pid_t parent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	default_signals();
	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGINT);
	if (getppid() != parent)
		_exit(127);
	(void)dup2(null, STDIN_FILENO);
	(void)dup2(out_fd, STDOUT_FILENO);
	(void)dup2(out_fd, STDERR_FILENO);
	for (; keep && *keep >= 0; keep++)
		(void)fcntl(*keep, F_SETFD, 0);
	exec_or_tell(argv, exec_fd);
}

int record_command_spawn(struct record_command *c, char **argv, const int *keep, struct error *err)
{
	pid_t parent = getpid();
	int exec[2], out;

	*c = RECORD_NO_COMMAND;
	c->name = argv[0];
	out = open("/tmp", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
	if (out < 0)
		out = open("/dev/null", O_RDWR | O_CLOEXEC);
	c->out_fd = out;
	if (out < 0 || pipe2(exec, O_CLOEXEC))
		return fork_failed(argv[0], err);
	c->exec_fd = exec[0];
	c->pid = fork();
	if (c->pid == 0)
		run_program(argv, keep, out, exec[1], parent);
	(void)close(exec[1]);
	if (c->pid > 0) {
		(void)setpgid(c->pid, c->pid);
		c->group = c->pid;
		return check_exec(c, err);
	}
	c->pid = 0;
	close_fd(&c->exec_fd);
	return fork_failed(argv[0], err);
}

bool record_command_ended(struct record_command *c)
{
	if (c->pid && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->pid = 0;
	return !c->pid;
}

bool record_command_wait(struct record_command *c, unsigned timeout_ms)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	for (unsigned waited = 0; !record_command_ended(c) && waited < timeout_ms; waited += 5)
		(void)nanosleep(&pause, NULL);
	return !c->pid;
}

/* How it ended, or that it runs. */
static void say_state(struct record_command *c, char *to, size_t size)
{
	bool ended = record_command_ended(c);

	if (ended && WIFSIGNALED(c->status))
		(void)snprintf(to, size, "it was ended by signal %d", WTERMSIG(c->status));
	else
		(void)snprintf(to, size, ended ? "it ended and said nothing" : "it says nothing");
}

void record_command_said(struct record_command *c, char *to, size_t size)
{
	char text[4096];
	off_t end = c->out_fd < 0 ? 0 : lseek(c->out_fd, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(text) - 1 ? end - (off_t)sizeof(text) + 1 : 0;
	ssize_t n = end > 0 ? pread(c->out_fd, text, sizeof(text) - 1, from) : 0;
	const char *line;

	say_state(c, to, size);
	while (n > 0 && strchr("\n \t", text[n - 1]))
		n--;
	if (n <= 0 || (!c->pid && WIFSIGNALED(c->status)))
		return;
	text[n] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	line += strspn(line, " \t");
	(void)snprintf(to, size, "%s", line);
}

void record_command_signal(const struct record_command *c, int signal)
{
	if (c->group)
		(void)kill(-c->group, signal);
	else if (c->pid)
		(void)kill(c->pid, signal);
}

void record_command_end(struct record_command *c)
{
	close_fd(&c->gate_fd);
	close_fd(&c->exec_fd);
	if (c->pid && !record_command_wait(c, 100))
		record_command_signal(c, SIGTERM);
	if (c->pid && !record_command_wait(c, 1000))
		record_command_signal(c, SIGKILL);
	/* Children that a killed program left. */
	if (c->group)
		record_command_signal(c, SIGKILL);
	c->group = 0;
	if (c->pid && waitpid(c->pid, &c->status, 0) == c->pid)
		c->pid = 0;
	close_fd(&c->out_fd);
}
