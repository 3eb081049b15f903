/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_fish.c - completion for fish: one line per option. */
#include "docs/gen/gen.h"

/* Fish matches what is offered with all that stands behind the '=' of an option. */
static const char
	head[] = "# fish completion for tlbtrace; generated from the program's tables.\n"
		 "\n"
		 "function __tlbtrace_value\n"
		 "\tstring replace -r '^(--[^=]*=|-[a-zA-Z])' '' -- (commandline -ct)\n"
		 "end\n"
		 "\n"
		 "# The words of a list, behind the last comma.\n"
		 "function __tlbtrace_list\n"
		 "\tset -l before (string match -r '^.*,' -- (__tlbtrace_value))\n"
		 "\tprintf '%s\\n' \"$before\"$argv\n"
		 "end\n"
		 "\n"
		 "# \"key=value\" for each value that is a word; \"key=\" before there is a key.\n"
		 "function __tlbtrace_keys\n"
		 "\tif not string match -qr '=[^,]*$' -- (__tlbtrace_value)\n"
		 "\t\tset argv (string replace -r '=.*' '=' -- $argv | sort -u)\n"
		 "\tend\n"
		 "\t__tlbtrace_list $argv\n"
		 "end\n"
		 "\n"
		 "function __tlbtrace_spec\n"
		 "\tset -l kind (string match -r '^[^,]*,' -- (__tlbtrace_value))\n"
		 "\tif test -n \"$kind\"\n"
		 "\t\t__tlbtrace_keys (string replace -f -r \"^$kind\" '' -- $argv)\n"
		 "\telse\n"
		 "\t\tstring match -v '*,*' -- $argv\n"
		 "\tend\n"
		 "end\n"
		 "\n"
		 "# The trace on the command line.\n"
		 "function __tlbtrace_file\n"
		 "\tset -l file trace.dat\n"
		 "\tfor word in (commandline -opc)[3..-1]\n"
		 "\t\ttest -r $word; and set file $word\n"
		 "\tend\n"
		 "\techo $file\n"
		 "end\n"
		 "\n"
		 "# Rows of its report, without the process's number.\n"
		 "function __tlbtrace_names\n"
		 "\ttimeout 5 tlbtrace report -q --format=csv --by=$argv[1] -- (__tlbtrace_file) 2>/dev/null |\n"
		 "\t\tsed -n '2,$s/^[^,]*,\\([^/,]*\\).*/\\1/p' | sort -u\n"
		 "end\n"
		 "\n"
		 "function __tlbtrace_events\n"
		 "\tprintf '%s\\n' $argv\n"
		 "\ttimeout 5 tlbtrace info -q --format=json -- (__tlbtrace_file) 2>/dev/null |\n"
		 "\t\tsed -n '/\"events\": {/,/}/s/^ *\"\\([^\"]*\\)\": [0-9].*/event:\\1/p'\n"
		 "end\n"
		 "\n"
		 "function __tlbtrace_tracepoints\n"
		 "\tcat /sys/kernel/tracing/available_events 2>/dev/null\n"
		 "end\n"
		 "\n";

/* The first line of a text, in single quotes. */
static void write_quoted(FILE *f, const char *text)
{
	(void)fputc('\'', f);
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'' || *text == '\\')
			(void)fputc('\\', f);
		(void)fputc(*text, f);
	}
	(void)fputc('\'', f);
}

/* NULL: the words are all. */
static const char *function_of(enum value_kind kind)
{
	switch (kind) {
	case VALUE_LIST:
		return "__tlbtrace_list";
	case VALUE_KEYS:
		return "__tlbtrace_keys";
	case VALUE_SPEC:
		return "__tlbtrace_spec";
	case VALUE_MM:
		return "__tlbtrace_names mm";
	case VALUE_COMM:
		return "__tlbtrace_names task";
	case VALUE_EVENT:
		return "__tlbtrace_events";
	case VALUE_TRACEPOINT:
		return "__tlbtrace_tracepoints";
	default:
		return NULL;
	}
}

static void write_values(FILE *f, const struct command *command, const struct option_spec *o,
			 const char *function)
{
	(void)fputs(" -a '", f);
	if (function)
		(void)fprintf(f, "(%s ", function);
	value_words_write(f, command, o, " ");
	(void)fputs(function ? ")'" : "'", f);
}

static void write_option(FILE *f, const struct command *command, const struct option_spec *o)
{
	enum value_kind kind = value_kind(command, o);

	(void)fprintf(f, "complete -c tlbtrace -n '__fish_seen_subcommand_from %s' -l %s",
		      command->name, o->name);
	if (o->letter)
		(void)fprintf(f, " -s %c", o->letter);
	if (kind == VALUE_FILE)
		(void)fputs(" -r -F", f);
	else if (kind != VALUE_NONE)
		(void)fputs(" -x", f);
	if (kind >= VALUE_WORD)
		write_values(f, command, o, function_of(kind));
	(void)fputs(" -d ", f);
	write_quoted(f, o->help);
	(void)fputc('\n', f);
}

void complete_fish(FILE *f)
{
	(void)fputs(head, f);
	for (const struct command *const *c = commands; *c; c++) {
		(void)fprintf(f, "complete -c tlbtrace -n __fish_use_subcommand -f -a %s -d ",
			      (*c)->name);
		write_quoted(f, (*c)->summary);
		(void)fputc('\n', f);
		for (const struct option_spec *o = NULL; (o = option_after(*c, o));)
			write_option(f, *c, o);
	}
}
