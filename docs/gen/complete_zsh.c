/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_zsh.c - completion for zsh, by its _arguments. */
#include <string.h>

#include "docs/gen/gen.h"

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

static void write_action(FILE *f, const struct command *command, const struct option_spec *o)
{
	switch (value_kind(command, o)) {
	case VALUE_FILE:
		(void)fputs(":file:_files", f);
		return;
	case VALUE_OTHER:
		(void)fputs(":value: ", f);
		return;
	case VALUE_NONE:
		return;
	case VALUE_WORD:
	case VALUE_KEYS:
	case VALUE_SPEC:
		/* More follows a key, a limit, and the name of a policy. */
		(void)fputs(":value:{compadd -S \"\" -- ", f);
		value_words_write(f, command, o, " ");
		(void)fputs("}", f);
		return;
	}
}

static void write_option(FILE *f, const struct command *command, const struct option_spec *o)
{
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
	(void)fputs("#compdef tlbtrace\n"
		    "# zsh completion for tlbtrace; generated from the program's tables.\n"
		    "\n"
		    "_tlbtrace() {\n"
		    "\tlocal -a commands\n"
		    "\tcommands=(\n",
		    f);
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
