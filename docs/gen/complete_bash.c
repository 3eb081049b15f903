/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_bash.c - completion for bash, which needs nothing but bash. */
#include <string.h>

#include "docs/gen/gen.h"

/* Bash breaks words at '=', so the option is found in the line, and what it replaces is cut off. */
static const char head[] = "# bash completion for tlbtrace; generated from the program's tables.\n"
			   "\n"
			   "# Offers the words in $1 that begin with $2; what the shell has already is cut off.\n"
			   "_tlbtrace_words() {\n"
			   "\tlocal IFS=$'\\n' word have=${2%\"${2##*[=:<]}\"}\n"
			   "\tfor word in $(compgen -W \"${1// /$'\\n'}\" -- \"$2\"); do\n"
			   "\t\tCOMPREPLY+=(\"${word#\"$have\"}\")\n"
			   "\tdone\n"
			   "\t[[ ${COMPREPLY[0]-} != *[=,] ]] || compopt -o nospace 2>/dev/null\n"
			   "}\n"
			   "\n"
			   "# The keys in $1, behind what stands before the last comma of $2.\n"
			   "_tlbtrace_keys() {\n"
			   "\tlocal before= key words=\n"
			   "\t[[ $2 != *,* ]] || before=${2%,*},\n"
			   "\tfor key in $1; do words+=\" $before$key\"; done\n"
			   "\t_tlbtrace_words \"$words\" \"$2\"\n"
			   "}\n"
			   "\n"
			   "_tlbtrace() {\n"
			   "\tlocal line=${COMP_LINE:0:COMP_POINT} command= word value keys\n"
			   "\tlocal last=${line##*[[:blank:]]}\n"
			   "\tCOMPREPLY=()\n"
			   "\tread -r _ command _ <<<\"$line\"\n";

static void write_commands(FILE *f)
{
	(void)fputs("\tif [[ $line =~ ^[^[:blank:]]+[[:blank:]]+[^[:blank:]]*$ ]]; then\n"
		    "\t\t_tlbtrace_words \"",
		    f);
	for (const struct command *const *c = commands; *c; c++)
		(void)fprintf(f, "%s ", (*c)->name);
	(void)fputs("help --help --version\" \"$last\"\n"
		    "\t\treturn\n"
		    "\tfi\n"
		    "\tvalue=${last#*=}\n"
		    "\tcase $command:${last%%=*}= in\n",
		    f);
}

static void write_keys(FILE *f, const struct command *command)
{
	static const struct option_spec recorded = { .name = "recorded", .value = "" };

	(void)fputs("\t\tkeys='", f);
	value_words_write(f, command, &recorded, " ");
	(void)fputs("'\n", f);
}

/* One branch for the value of an option; without one, files are offered by default. */
static void write_value(FILE *f, const struct command *command, const struct option_spec *o)
{
	enum value_kind kind = value_kind(command, o);

	if (kind == VALUE_NONE || kind == VALUE_OTHER || kind == VALUE_FILE)
		return;
	(void)fprintf(f, "\t%s:--%s=)\n\t\t[[ $last == *=* ]] || return\n", command->name, o->name);
	if (kind != VALUE_WORD)
		write_keys(f, command);
	if (kind == VALUE_SPEC)
		(void)fputs("\t\tif [[ $value == *,* ]]; then\n"
			    "\t\t\t_tlbtrace_keys \"$keys\" \"$value\"\n"
			    "\t\t\treturn\n"
			    "\t\tfi\n",
			    f);
	if (kind == VALUE_KEYS) {
		(void)fputs("\t\t_tlbtrace_keys \"$keys\" \"$value\"\n", f);
	} else {
		(void)fputs("\t\t_tlbtrace_words '", f);
		value_words_write(f, command, o, " ");
		(void)fputs("' \"$value\"\n", f);
		if (strcmp(o->name, "budget") == 0)
			(void)fputs("\t\tcompopt -o nospace 2>/dev/null\n", f);
	}
	(void)fputs("\t\treturn ;;\n", f);
}

static void write_options(FILE *f, const struct command *command)
{
	const struct option_spec *o = NULL;

	(void)fprintf(f, "\t%s) _tlbtrace_words '", command->name);
	while ((o = option_after(command, o)))
		(void)fprintf(f, "--%s%s ", o->name, o->value ? "=" : "");
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
