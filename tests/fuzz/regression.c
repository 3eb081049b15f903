/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regression.c - runs a fuzz target over the files of the folders that are named, without a fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1u << 20) /* of an input */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *folder, const char *name)
{
	uint8_t *data = malloc(MAX_BYTES);
	char path[4096];
	size_t size;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f || !data) {
		perror(path);
		exit(1);
	}
	printf("%s\n", path);
	(void)fflush(stdout);
	size = fread(data, 1, MAX_BYTES, f);
	(void)fclose(f);
	/* A copy of just this size: reading beyond it shows. */
	data = realloc(data, size ? size : 1);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static int run_folder(const char *folder)
{
	struct dirent **list;
	int n = scandir(folder, &list, NULL, alphasort), files = 0;

	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			files += run_file(folder, list[i]->d_name);
		free(list[i]);
	}
	free(n < 0 ? NULL : list);
	return files;
}

int main(int argc, char **argv)
{
	int files = 0;

	for (int i = 1; i < argc; i++)
		files += run_folder(argv[i]);
	printf("%d inputs\n", files);
	return files ? 0 : 1;
}
