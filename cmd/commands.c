/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.c - the table of commands. */
#include <stdio.h>

#include "cmd/command.h"

const struct command *const commands[] = {
	&command_record,
	&command_report,
	&command_whatif,
	&command_verify,
	&command_diff,
	&command_export,
	&command_info,
	&command_policies,
	&command_summarize,
	&command_merge,
	NULL,
};

void command_help(const struct command *self)
{
	printf("usage: tlbtrace %s %s\n\n%s", self->name, self->operands, self->about);
	options_help(stdout, self->groups, self->formats);
	printf("\n%s", self->notes);
}

int command_end(const struct command *self, bool help, int status, const struct error *err)
{
	if (status)
		return (int)err->class;
	if (help)
		command_help(self);
	return EXIT_DONE;
}
