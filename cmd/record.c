/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c - `tlbtrace record`: what the predictions need, recorded by one command. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/record/record.h"
#include "cmd/values.h"

enum {
	OPTION_OUTPUT = OPTION_IDS,
	OPTION_WITH,
	OPTION_AGENT,
	OPTION_FILE_VERSION,
	OPTION_ALL,
	OPTION_PID,
	OPTION_EVENT,
	OPTION_REQUESTS,
	OPTION_BUFFER,
	OPTION_DURATION,
	OPTION_LIST,
	OPTION_DRY_RUN,
	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_HELP,
};

static const struct option_group what_group = {
	"What is recorded",
	(const struct option_spec[]){
		{ OPTION_ALL, 'a', "all", NULL,
		  "the whole system: the default, since flushes concern\n"
		  "all CPUs that have run an address space" },
		{ OPTION_PID, 'p', "pid", "PID,...",
		  "only these processes and their children, until the\n"
		  "last of these ends; what other tasks do to the masks\n"
		  "of CPUs is not seen then" },
		{ OPTION_DURATION, 0, "duration", "S", "stop after so many seconds" },
		{ OPTION_EVENT, 'e', "event", "SYSTEM:EVENT",
		  "record this too; patterns with * are allowed;\nrepeatable" },
		{ OPTION_REQUESTS, 0, "requests", "WHEN",
		  "auto: dynamic probes on the kernel's flush functions\n"
		  "where it allows them: then the ranges asked for are\n"
		  "known (default); on: or fail; off: never; only: these\n"
		  "instead of the instructions, one event per flush" },
		{ 0 },
	},
};

static const struct option_group how_group = {
	"How",
	(const struct option_spec[]){
		{ OPTION_OUTPUT, 'o', "output", "FILE",
		  "the recording (default: trace.dat, perf: perf.data)" },
		{ OPTION_WITH, 0, "with", "BACKEND",
		  "tracefs: an instance of our own; perf or trace-cmd:\n"
		  "that program; auto: the first that works (default)" },
		{ OPTION_AGENT, 0, "agent", "GUEST",
		  "with trace-cmd: record in this virtual machine too, by\n"
		  "'trace-cmd agent' there: its name or CID[:PORT]; that\n"
		  "goes to a file of its own, FILE-GUEST.dat; repeatable" },
		{ OPTION_FILE_VERSION, 0, "file-version", "N",
		  "of trace.dat: 7, compressed (default), or 6, for\nprograms before trace-cmd 3" },
		{ OPTION_BUFFER, 'b', "buffer-size", "KB",
		  "of each CPU's buffer (default: 8192, less where\nmemory is small)" },
		{ OPTION_LIST, 0, "list", NULL,
		  "only tell which events would be recorded, and which\nthis kernel lacks" },
		{ OPTION_DRY_RUN, 0, "dry-run", NULL, "only tell what would be done" },
		{ OPTION_QUIET, 'q', "quiet", NULL, "no live line, no summary, no notes" },
		{ OPTION_VERBOSE, 'v', "verbose", NULL, "more notes" },
		{ OPTION_HELP, 'h', "help", NULL, "this text" },
		{ 0 },
	},
};

static const struct option_group *const groups[] = { &what_group, &how_group, NULL };

struct request {
	struct record_options opt;
	const char **extra;  /* owned, opt.extra */
	const char **agents; /* owned, opt.agents */
	pid_t *pids;	     /* owned, opt.pids */
	bool all;
	bool help;
};

static int number_value(const char *option, const char *text, uint64_t most, uint64_t *out,
			struct error *err)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || !*out || *out > most)
		return error_set(err, ERROR_USAGE, "%s %s: must be a number from 1 to %llu", option,
				 text, (unsigned long long)most);
	return 0;
}

/* Appends a word to a list of n. */
static int add_word(const char ***list, size_t *n, const char *word, struct error *err)
{
	const char **more = reallocarray(*list, *n + 1, sizeof(*more));

	if (!more)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	*list = more;
	more[(*n)++] = word;
	return 0;
}

static int add_event(struct request *r, const char *word, struct error *err)
{
	int status = add_word(&r->extra, &r->opt.n_extra, word, err);

	r->opt.extra = r->extra;
	return status;
}

static int add_agent(struct request *r, const char *guest, struct error *err)
{
	int status = add_word(&r->agents, &r->opt.n_agents, guest, err);

	r->opt.agents = r->agents;
	return *guest ? status
		      : error_set(err, ERROR_USAGE, "--agent: needs a guest's name or CID[:PORT]");
}

static int add_pid(struct request *r, const char *text, struct error *err)
{
	pid_t *more = reallocarray(r->pids, r->opt.n_pids + 1, sizeof(*more));
	uint64_t pid;

	if (!more)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	r->pids = more;
	r->opt.pids = more;
	if (number_value("-p", text, INT32_MAX, &pid, err))
		return -1;
	more[r->opt.n_pids++] = (pid_t)pid;
	return 0;
}

static int add_pids(struct request *r, const char *list, struct error *err)
{
	char *copy = strdup(list);
	char *rest = copy;
	char *item;
	int status = copy ? 0 : error_set(err, ERROR_ENVIRONMENT, "out of memory");

	while (!status && (item = strsep(&rest, ",")))
		status = add_pid(r, item, err);
	free(copy);
	return status;
}

static int set_duration(struct request *r, const char *text, struct error *err)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.001) || seconds > 1e9)
		return error_set(err, ERROR_USAGE,
				 "--duration=%s: must be seconds, such as 10 or 0.5", text);
	r->opt.duration_ms = (uint64_t)(seconds * 1000);
	return 0;
}

static int set_with(struct request *r, const char *text, struct error *err)
{
	static const char *const words[] = { "auto", "tracefs", "trace-cmd", "perf", NULL };
	size_t at;

	if (value_word("with", text, words, &at, err))
		return -1;
	r->opt.with = at ? words[at] : NULL;
	return 0;
}

static int set_requests(struct request *r, const char *text, struct error *err)
{
	/* In the order of enum record_requests. */
	static const char *const words[] = { "auto", "on", "off", "only", NULL };
	size_t at;

	if (value_word("requests", text, words, &at, err))
		return -1;
	r->opt.requests = (enum record_requests)at;
	return 0;
}

static int set_version(struct request *r, const char *text, struct error *err)
{
	static const char *const words[] = { "6", "7", NULL };
	size_t at;

	if (value_word("file-version", text, words, &at, err))
		return -1;
	r->opt.file_version = 6 + (unsigned)at;
	return 0;
}

static int take_flag(struct request *r, int id)
{
	switch (id) {
	case OPTION_ALL:
		r->all = true;
		return 0;
	case OPTION_LIST:
		r->opt.list = true;
		return 0;
	case OPTION_DRY_RUN:
		r->opt.dry_run = true;
		return 0;
	case OPTION_QUIET:
		r->opt.quiet = true;
		return 0;
	case OPTION_VERBOSE:
		r->opt.verbose = true;
		return 0;
	default:
		r->help = true;
		return 0;
	}
}

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	struct request *r = arg;

	switch (id) {
	case OPTION_OUTPUT:
		if (strcmp(value, "-") == 0)
			return error_set(err, ERROR_USAGE,
					 "-o -: a recording is finished by going back in it, so it "
					 "cannot be a pipe: name a file");
		r->opt.output = value;
		return 0;
	case OPTION_WITH:
		return set_with(r, value, err);
	case OPTION_AGENT:
		return add_agent(r, value, err);
	case OPTION_FILE_VERSION:
		return set_version(r, value, err);
	case OPTION_PID:
		return add_pids(r, value, err);
	case OPTION_EVENT:
		return add_event(r, value, err);
	case OPTION_REQUESTS:
		return set_requests(r, value, err);
	case OPTION_BUFFER:
		return number_value("-b", value, UINT64_C(1) << 30, &r->opt.buffer_kb, err);
	case OPTION_DURATION:
		return set_duration(r, value, err);
	default:
		return take_flag(r, id);
	}
}

/* What stands before "--" is ours, what stands behind it is the command. */
static int split(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i;
	return argc;
}

/* Only trace-cmd speaks to agents. */
static int check_agents(struct record_options *opt, struct error *err)
{
	if (!opt->n_agents)
		return 0;
	if (!opt->with)
		opt->with = "trace-cmd";
	if (strcmp(opt->with, "trace-cmd") != 0)
		return error_set(err, ERROR_USAGE, "--agent: only with --with=trace-cmd, not %s",
				 opt->with);
	return 0;
}

static int check_request(struct request *r, const char *operand, struct error *err)
{
	if (operand)
		return error_set(err, ERROR_USAGE,
				 "'%s': a command stands behind --: tlbtrace record -- %s", operand,
				 operand);
	if (r->all && r->opt.n_pids)
		return error_set(err, ERROR_USAGE, "-a and -p: choose one");
	if (r->opt.output && !*r->opt.output)
		return error_set(err, ERROR_USAGE, "-o: needs the name of a file");
	return check_agents(&r->opt, err);
}

static int parse(struct request *r, int argc, char **argv, struct error *err)
{
	int own = split(argc, argv);
	char *separator = own < argc ? argv[own] : NULL;
	int operands, status;

	argv[own] = NULL;
	status = options_parse(groups, own, argv, take_option, r, &operands, err);
	if (!status && !r->help)
		status = check_request(r, operands < own ? argv[operands] : NULL, err);
	argv[own] = separator;
	if (status || r->help || !separator)
		return status;
	if (own + 1 == argc)
		return error_set(err, ERROR_USAGE, "--: a command must follow");
	r->opt.command = argv + own + 1;
	return 0;
}

static int run(const struct command *self, int argc, char **argv, struct error *err)
{
	struct request r = { .opt = { .file_version = 7 } };
	int code = parse(&r, argc, argv, err) ? (int)err->class : EXIT_DONE;

	if (r.help && code == EXIT_DONE)
		command_help(self);
	else if (code == EXIT_DONE)
		code = record_run(&r.opt, err);
	free(r.extra);
	free(r.agents);
	free(r.pids);
	return code;
}

const struct command command_record = {
	.name = "record",
	.summary = "records what the predictions need",
	.operands = "[OPTION...] [-- COMMAND [ARGUMENT...]]",
	.about = "Records until COMMAND ends, the time is over, or Ctrl-C: once stops and finishes\n"
		 "the file, twice gives up. Takes the events that tell flushes, whose they are,\n"
		 "where they end and whom they interrupt, as far as this kernel has them; notes\n"
		 "ceilings, page size and tasks in the recording itself; and leaves the machine\n"
		 "as it was.\n",
	.notes = "Examples\n"
		 "  tlbtrace record -- make -j8\n"
		 "  tlbtrace record --duration=10 --requests=only -o production.dat\n"
		 "  tlbtrace record --with=perf -b 16384 -- ./a.out\n"
		 "\n"
		 "Overhead\n"
		 "  Each instruction that the kernel reports is an event, a request by probes 2 to 4\n"
		 "  events, a system call 2. The worst case: a loop of two mprotects and a touch, which\n"
		 "  makes 2 flushes and about 6 events, in us of CPU per round on x86-64 (least to\n"
		 "  most of seven runs; --requests=off):\n"
		 "    not recorded      6.5-7.5\n"
		 "    --with=tracefs    8.8-10.3    0.4 an event\n"
		 "    --with=perf       14.0-16.4   1.2 an event\n"
		 "  A workload that maps, touches and unmaps 1 to 512 pages or more, in the middle of\n"
		 "  several runs (from least to most):\n"
		 "                      x86-64, s of CPU   POWER9 in an emulator, s elapsed\n"
		 "    not recorded      0.69 (0.66-0.85)   8.4 (5.6-18.7)\n"
		 "    --requests=off    0.68 (0.64-0.84)   8.4 (6.5-67)\n"
		 "    --requests=on     not possible       6.0 (4.8-8.0)\n"
		 "    --requests=only   not possible       7.3 (6.4-8.8)\n"
		 "    --with=perf       0.70 (0.64-0.76)   8.1 (7.3-8.8)\n"
		 "    --with=trace-cmd  not possible       7.6 (6.9-42)\n"
		 "  (the last two without requests): no difference is larger than the spread, for both\n"
		 "  machines were busy with other work. An effect of some per cent would not show.\n"
		 "  An emulator's times are moreover not those of a processor, where an event costs\n"
		 "  more beside an instruction than there. Where it matters, run your workload with\n"
		 "  and without.\n"
		 "\n"
		 "Exit status\n"
		 "  that of COMMAND, 128+N if signal N ended it; 0 without a COMMAND\n"
		 "  2    usage: an unknown option, a bad value, an event that does not exist\n"
		 "  4    environment: cannot record here, no such program, disk full (what was\n"
		 "       recorded until then is kept)\n"
		 "  130  interrupted: what was recorded until then is kept\n",
	.groups = groups,
	.run = run,
};
