/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_zsh.c - completion for zsh, by its _arguments. */
#include <string.h>

#include "docs/gen/gen.h"

static const char
	head[] = "#compdef tlbtrace\n"
		 "# zsh completion for tlbtrace; generated from the program's tables.\n"
		 "\n"
		 "# More may follow a word that ends like this.\n"
		 "_tlbtrace_add() {\n"
		 "\tcompadd -S '' -- ${(M)@:#*[=:]}\n"
		 "\tcompadd -- ${@:#*[=:]}\n"
		 "}\n"
		 "\n"
		 "_tlbtrace_list() {\n"
		 "\tcompset -P '*,'\n"
		 "\tcompadd -S '' -- $@\n"
		 "}\n"
		 "\n"
		 "# \"key=value\" for each value that is a word, and \"key=\".\n"
		 "_tlbtrace_keys() {\n"
		 "\tcompset -P '*,'\n"
		 "\tif [[ $PREFIX == *=* ]]; then\n"
		 "\t\tlocal key=${PREFIX%%=*}=\n"
		 "\t\tcompset -P '*='\n"
		 "\t\tcompadd -S '' -- ${${(M)@:#$key?*}#$key}\n"
		 "\telse\n"
		 "\t\tcompadd -S '' -- ${(u)${@%%=*}/%/=}\n"
		 "\tfi\n"
		 "}\n"
		 "\n"
		 "_tlbtrace_spec() {\n"
		 "\tif [[ $PREFIX == *,* ]]; then\n"
		 "\t\tlocal kind=${PREFIX%%,*},\n"
		 "\t\t_tlbtrace_keys ${${(M)@:#$kind*}#$kind}\n"
		 "\telse\n"
		 "\t\tcompadd -S '' -- ${@:#*,*}\n"
		 "\tfi\n"
		 "}\n"
		 "\n"
		 "# The trace on the command line.\n"
		 "_tlbtrace_file() {\n"
		 "\tlocal word\n"
		 "\tREPLY=trace.dat\n"
		 "\tfor word in ${(Q)words[2,-1]}; do [[ ! -r $word ]] || REPLY=$word; done\n"
		 "}\n"
		 "\n"
		 "# Rows of its report by $1, without the process's number.\n"
		 "_tlbtrace_names() {\n"
		 "\tlocal REPLY\n"
		 "\t_tlbtrace_file\n"
		 "\tcompadd -- ${(fu)\"$(timeout 5 tlbtrace report -q --format=csv --by=$1 -- $REPLY 2>/dev/null |\n"
		 "\t\tsed -n '2,$s/^[^,]*,\\([^/,]*\\).*/\\1/p')\"}\n"
		 "}\n"
		 "\n"
		 "_tlbtrace_events() {\n"
		 "\tlocal REPLY\n"
		 "\t_tlbtrace_file\n"
		 "\tcompadd -- $@ ${(f)\"$(timeout 5 tlbtrace info -q --format=json -- $REPLY 2>/dev/null |\n"
		 "\t\tsed -n '/\"events\": {/,/}/s/^ *\"\\([^\"]*\\)\": [0-9].*/event:\\1/p')\"}\n"
		 "}\n"
		 "\n"
		 "_tlbtrace_tracepoints() {\n"
		 "\tcompadd -- ${(f)\"$(cat /sys/kernel/tracing/available_events 2>/dev/null)\"}\n"
		 "}\n"
		 "\n"
		 "_tlbtrace() {\n"
		 "\tlocal -a commands\n"
		 "\tcommands=(\n";

/* The first line of a help text, in single quotes and between the brackets of a specification. */
static void write_help(FILE *f, const char *help)
{
	for (; *help && *help != '\n'; help++) {
		if (*help == '\'')
			(void)fputs("'\\''", f);
		else if (strchr("[]:\\", *help))
			(void)fprintf(f, "\\%c", *help);
		else
			(void)fputc(*help, f);
	}
}

static const char *function_of(const struct option_spec *o, enum value_kind kind)
{
	switch (kind) {
	case VALUE_LIST:
		return "_tlbtrace_list";
	case VALUE_KEYS:
		return "_tlbtrace_keys";
	case VALUE_SPEC:
		return "_tlbtrace_spec";
	case VALUE_MM:
		return "_tlbtrace_names mm";
	case VALUE_COMM:
		return "_tlbtrace_names task";
	case VALUE_EVENT:
		return "_tlbtrace_events";
	case VALUE_TRACEPOINT:
		return "_tlbtrace_tracepoints";
	default: /* a limit follows a counter */
		return strcmp(o->name, "budget") == 0 ? "_tlbtrace_list" : "_tlbtrace_add";
	}
}

static void write_action(FILE *f, const struct command *command, const struct option_spec *o)
{
	enum value_kind kind = value_kind(command, o);

	if (kind == VALUE_NONE)
		return;
	if (kind == VALUE_FILE) {
		(void)fputs(":file:_files", f);
		return;
	}
	if (kind == VALUE_OTHER) {
		(void)fputs(":value: ", f);
		return;
	}
	(void)fprintf(f, ":value:{%s ", function_of(o, kind));
	value_words_write(f, command, o, " ");
	(void)fputs("}", f);
}

static void write_option(FILE *f, const struct command *command, const struct option_spec *o)
{
	if (o->letter) {
		(void)fprintf(f, "\t\t\t'*-%c%s[", o->letter, o->value ? "+" : "");
		write_help(f, o->help);
		(void)fputc(']', f);
		write_action(f, command, o);
		(void)fputs("' \\\n", f);
	}
	(void)fprintf(f, "\t\t\t'*--%s%s[", o->name, o->value ? "=" : "");
	write_help(f, o->help);
	(void)fputc(']', f);
	write_action(f, command, o);
	(void)fputs("' \\\n", f);
}

static void write_command(FILE *f, const struct command *command)
{
	(void)fprintf(f, "\t%s)\n\t\t_arguments \\\n", command->name);
	for (const struct option_spec *o = NULL; (o = option_after(command, o));)
		write_option(f, command, o);
	(void)fputs("\t\t\t'*:file:_files' ;;\n", f);
}

void complete_zsh(FILE *f)
{
	(void)fputs(head, f);
	for (const struct command *const *c = commands; *c; c++) {
		(void)fprintf(f, "\t\t'%s:", (*c)->name);
		write_help(f, (*c)->summary);
		(void)fputs("'\n", f);
	}
	(void)fputs("\t)\n"
		    "\tif (( CURRENT == 2 )); then\n"
		    "\t\t_describe command commands\n"
		    "\t\treturn\n"
		    "\tfi\n"
		    "\tshift words\n"
		    "\t(( CURRENT-- ))\n"
		    "\tcase $words[1] in\n",
		    f);
	for (const struct command *const *c = commands; *c; c++)
		write_command(f, *c);
	(void)fputs("\tesac\n}\n\n_tlbtrace \"$@\"\n", f);
}
