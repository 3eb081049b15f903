/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_bash.c - completion for bash, which needs nothing but bash. */
#include <string.h>

#include "docs/gen/gen.h"

/* Bash breaks words at '=' and ':', so what it has already is cut off the words that are offered. */
static const char
	head[] = "# bash completion for tlbtrace; generated from the program's tables.\n"
		 "\n"
		 "# Offers the lines of $1 that begin with $2; what the shell has already is cut off.\n"
		 "_tlbtrace_words() {\n"
		 "\tlocal IFS=$'\\n' word have=${2%\"${2##*[=:<]}\"}\n"
		 "\tfor word in $1; do\n"
		 "\t\t[[ $word != \"$2\"* ]] || COMPREPLY+=(\"${word#\"$have\"}\")\n"
		 "\tdone\n"
		 "\t[[ ${COMPREPLY[0]-} != *[=:,] ]] || compopt -o nospace 2>/dev/null\n"
		 "}\n"
		 "\n"
		 "# The words $1 of a list, behind the last comma of $2.\n"
		 "_tlbtrace_list() {\n"
		 "\tlocal IFS=$'\\n' word words= before=\n"
		 "\t[[ $2 != *,* ]] || before=${2%,*},\n"
		 "\tfor word in $1; do words+=$before$word$'\\n'; done\n"
		 "\t_tlbtrace_words \"$words\" \"$2\"\n"
		 "}\n"
		 "\n"
		 "# Keys and values of a list: $1 has \"key=value\" for each value that is a word. $3 stands before\n"
		 "# those of the policy that is meant.\n"
		 "_tlbtrace_keys() {\n"
		 "\tlocal IFS=$'\\n' word words= last= key=${2##*,}\n"
		 "\tfor word in $1; do\n"
		 "\t\t[[ $word == \"${3-}\"* ]] || continue\n"
		 "\t\tword=${word#\"${3-}\"}\n"
		 "\t\t[[ $key == *=* ]] || word=${word%%=*}=\n"
		 "\t\t[[ $word = \"$last\" ]] || words+=$word$'\\n'\n"
		 "\t\tlast=$word\n"
		 "\tdone\n"
		 "\t_tlbtrace_list \"$words\" \"$2\"\n"
		 "}\n"
		 "\n"
		 "_tlbtrace_spec() {\n"
		 "\tif [[ $2 == *,* ]]; then\n"
		 "\t\t_tlbtrace_keys \"$1\" \"$2\" \"${2%%,*},\"\n"
		 "\telse\n"
		 "\t\t_tlbtrace_words \"$(printf '%s\\n' \"$1\" | grep -v ,)\" \"$2\"\n"
		 "\tfi\n"
		 "}\n"
		 "\n"
		 "# What the trace on the command line has: rows of its report by $1, without the process's number.\n"
		 "_tlbtrace_names() {\n"
		 "\tlocal file=trace.dat word\n"
		 "\tfor word in \"${COMP_WORDS[@]:2}\"; do [[ ! -r $word ]] || file=$word; done\n"
		 "\ttimeout 5 tlbtrace report -q --format=csv --by=\"$1\" -- \"$file\" 2>/dev/null |\n"
		 "\t\tsed -n '2,$s/^[^,]*,\\([^/,]*\\).*/\\1/p' | sort -u\n"
		 "}\n"
		 "\n"
		 "_tlbtrace_events() {\n"
		 "\tlocal file=trace.dat word\n"
		 "\tfor word in \"${COMP_WORDS[@]:2}\"; do [[ ! -r $word ]] || file=$word; done\n"
		 "\ttimeout 5 tlbtrace info -q --format=json -- \"$file\" 2>/dev/null |\n"
		 "\t\tsed -n '/\"events\": {/,/}/s/^ *\"\\([^\"]*\\)\": [0-9].*/event:\\1/p'\n"
		 "}\n"
		 "\n"
		 "_tlbtrace() {\n"
		 "\tlocal line=${COMP_LINE:0:COMP_POINT} command= word value\n"
		 "\tlocal last=${line##*[[:blank:]]}\n"
		 "\tCOMPREPLY=()\n"
		 "\tread -r _ command _ <<<\"$line\"\n";

static void write_commands(FILE *f)
{
	(void)fputs("\tif [[ $line =~ ^[^[:blank:]]+[[:blank:]]+[^[:blank:]]*$ ]]; then\n"
		    "\t\t_tlbtrace_words '",
		    f);
	for (const struct command *const *c = commands; *c; c++)
		(void)fprintf(f, "%s\n", (*c)->name);
	(void)fputs("help\n--help\n--version' \"$last\"\n"
		    "\t\treturn\n"
		    "\tfi\n"
		    "\tvalue=${last#*=}\n"
		    "\tcase $command:${last%%=*}= in\n",
		    f);
}

static const char *function_of(enum value_kind kind)
{
	switch (kind) {
	case VALUE_LIST:
		return "_tlbtrace_list";
	case VALUE_KEYS:
		return "_tlbtrace_keys";
	case VALUE_SPEC:
		return "_tlbtrace_spec";
	default:
		return "_tlbtrace_words";
	}
}

/* One branch for the value of an option; without one, files are offered by default. */
static void write_value(FILE *f, const struct command *command, const struct option_spec *o)
{
	enum value_kind kind = value_kind(command, o);

	if (kind <= VALUE_FILE)
		return;
	(void)fprintf(f, "\t%s:--%s=)\n\t\t[[ $last == *=* ]] || return\n", command->name, o->name);
	(void)fprintf(f, "\t\t%s \"", function_of(kind));
	if (kind == VALUE_MM || kind == VALUE_COMM)
		(void)fprintf(f, "$(_tlbtrace_names %s)", kind == VALUE_MM ? "mm" : "task");
	else if (kind == VALUE_TRACEPOINT)
		(void)fputs("$(cat /sys/kernel/tracing/available_events 2>/dev/null)", f);
	else
		value_words_write(f, command, o, "\n");
	if (kind == VALUE_EVENT)
		(void)fputs("\n$(_tlbtrace_events)", f);
	(void)fputs("\" \"$value\"\n", f);
	if (strcmp(o->name, "budget") == 0)
		(void)fputs("\t\tcompopt -o nospace 2>/dev/null\n", f);
	(void)fputs("\t\treturn ;;\n", f);
}

static void write_options(FILE *f, const struct command *command)
{
	const struct option_spec *o = NULL;

	(void)fprintf(f, "\t%s) _tlbtrace_words '", command->name);
	while ((o = option_after(command, o)))
		(void)fprintf(f, "--%s%s\n", o->name, o->value ? "=" : "");
	(void)fputs("' \"$last\" ;;\n", f);
}

void complete_bash(FILE *f)
{
	(void)fputs(head, f);
	write_commands(f);
	for (const struct command *const *c = commands; *c; c++)
		for (const struct option_spec *o = NULL; (o = option_after(*c, o));)
			write_value(f, *c, o);
	(void)fputs("\tesac\n"
		    "\tif [[ $last == -*=* ]]; then\n"
		    "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$value\")\n"
		    "\t\tcompopt -o filenames 2>/dev/null\n"
		    "\t\treturn\n"
		    "\tfi\n"
		    "\t[[ $last == -* ]] || return\n"
		    "\tcase $command in\n",
		    f);
	for (const struct command *const *c = commands; *c; c++)
		write_options(f, *c);
	(void)fputs("\tesac\n}\ncomplete -o default -F _tlbtrace tlbtrace\n", f);
}
