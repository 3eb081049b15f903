/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - finds the command, runs it, prints its error, exits. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/suggest.h"
#include "cmd/command.h"
#include "cmd/message.h"
#include "config.h"

static void write_usage(FILE *out)
{
	(void)fputs("usage: tlbtrace COMMAND [OPTION...] [FILE...]\n"
		    "       tlbtrace help COMMAND\n"
		    "       tlbtrace --version\n"
		    "\n"
		    "Reads traces of TLB flushes and predicts what other flush policies would have "
		    "cost.\n"
		    "\n"
		    "Commands\n",
		    out);
	for (const struct command *const *c = commands; *c; c++)
		(void)fprintf(out, "  %-12s%s\n", (*c)->name, (*c)->summary);
}

/* NULL with *err filled where there is none of this name. */
static const struct command *find_command(const char *name, struct error *err)
{
	struct suggestion s = suggest_for(name);

	for (const struct command *const *c = commands; *c; c++) {
		if (strcmp((*c)->name, name) == 0)
			return *c;
		suggest_offer(&s, (*c)->name);
	}
	if (s.best)
		(void)error_set(err, ERROR_USAGE, "unknown command '%s': did you mean '%s'?", name,
				s.best);
	else
		(void)error_set(err, ERROR_USAGE,
				"unknown command '%s': 'tlbtrace --help' lists them", name);
	return NULL;
}

static int help(const char *name, struct error *err)
{
	const struct command *command;

	if (!name) {
		write_usage(stdout);
		return EXIT_DONE;
	}
	command = find_command(name, err);
	if (!command)
		return ERROR_USAGE;
	command_help(command);
	return EXIT_DONE;
}

static int run(int argc, char **argv, struct error *err)
{
	const struct command *command;

	if (argc < 2) {
		write_usage(stderr);
		return ERROR_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help(NULL, err);
	if (strcmp(argv[1], "help") == 0)
		return help(argv[2], err);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("tlbtrace " TLBTRACE_VERSION);
		return EXIT_DONE;
	}
	command = find_command(argv[1], err);
	return command ? command->run(command, argc - 1, argv + 1, err) : ERROR_USAGE;
}

/* What could not be written must not look like success. */
static int close_stdout(int code, struct error *err)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	(void)error_set(err, ERROR_ENVIRONMENT, "standard output: %s",
			errno ? strerror(errno) : "could not be written");
	return ERROR_ENVIRONMENT;
}

/* Of the three that we may be started without, no other file takes the place: what is written to it
 * fails, as it does where it is closed. */
static void hold_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	struct error err = { .class = ERROR_NONE };
	int code;

	hold_standard_files();
	/* A reader that has enough ends us quietly, even if our parent ignores SIGPIPE. A file that grows
	 * beyond a limit is an error of writing, told like a full disk. */
	if (signal(SIGPIPE, SIG_DFL) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		perror("tlbtrace: signals");
	(void)setlocale(LC_CTYPE, "");
	code = close_stdout(run(argc, argv, &err), &err);
	if (*err.text)
		message(err.text);
	return code;
}
