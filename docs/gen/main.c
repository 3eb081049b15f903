/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - `gen-docs FOLDER DATE` writes man pages and completions into FOLDER, which exists. */
#include <stdlib.h>

#include "docs/gen/gen.h"

static FILE *open_in(const char *folder, const char *name, const char *suffix)
{
	FILE *f = NULL;
	char *path;

	if (asprintf(&path, "%s/%s%s", folder, name, suffix) < 0)
		return NULL;
	f = fopen(path, "we");
	if (!f)
		perror(path);
	free(path);
	return f;
}

/* Closes f; false where it is NULL or could not be written. */
static bool finish(FILE *f)
{
	bool good = f && !ferror(f);

	if (f && fclose(f))
		good = false;
	return good;
}

static bool write_commands(const char *folder, const char *date)
{
	for (const struct command *const *c = commands; *c; c++) {
		char name[64];
		FILE *f;

		(void)snprintf(name, sizeof(name), "tlbtrace-%s", (*c)->name);
		f = open_in(folder, name, ".1");
		if (f)
			man_command(f, *c, date);
		if (!finish(f))
			return false;
	}
	return true;
}

static bool write_page(const char *folder, const char *name, const char *date,
		       void (*write)(FILE *f, const char *date))
{
	FILE *f = open_in(folder, name, "");

	if (f)
		write(f, date);
	return finish(f);
}

static bool write_with(const char *folder, const char *name, void (*write)(FILE *f))
{
	FILE *f = open_in(folder, name, "");

	if (f)
		write(f);
	return finish(f);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		(void)fputs("usage: gen-docs FOLDER DATE\n", stderr);
		return EXIT_FAILURE;
	}
	if (write_page(argv[1], "tlbtrace.1", argv[2], man_program) &&
	    write_page(argv[1], "tlbtrace-policies.7", argv[2], man_policies) &&
	    write_page(argv[1], "tlbtrace-formats.5", argv[2], man_formats) &&
	    write_commands(argv[1], argv[2]) && write_with(argv[1], "tlbtrace.bash", complete_bash) &&
	    write_with(argv[1], "_tlbtrace", complete_zsh) &&
	    write_with(argv[1], "tlbtrace.fish", complete_fish))
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "gen-docs: %s: not all could be written\n", argv[1]);
	return EXIT_FAILURE;
}
