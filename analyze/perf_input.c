/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_input.c - the files that a perf.data consists of: one, or a directory of `perf record --threads`. */
#include "analyze/perf_input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/perf_file.h"

#define MAX_FILES 8192 /* one per CPU at most */

static bool directory_matches(const struct source_file *file)
{
	uint8_t head[PERF_PIPE_HEADER];
	bool big_endian;
	ssize_t n;
	int fd = openat(file->fd, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n > 0 && perf_file_matches(head, (uint64_t)n, &big_endian);
}

bool perf_inputs_match(const struct source_file *file)
{
	bool big_endian;

	return file->is_directory ? directory_matches(file)
				  : perf_file_matches(file->head, file->head_len, &big_endian);
}

void perf_inputs_free(struct perf_inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++)
		source_file_close(&inputs->files[i]);
	free(inputs->files);
	free(inputs->path);
	*inputs = (struct perf_inputs){ 0 };
}

/* The number in "data.<number>"; -1 for other names. */
static int64_t file_number(const char *name)
{
	char *end;
	unsigned long number;

	if (strncmp(name, "data.", 5) != 0 || name[5] < '0' || name[5] > '9')
		return -1;
	number = strtoul(name + 5, &end, 10);
	return *end || number > INT32_MAX ? -1 : (int64_t)number;
}

static int compare_numbers(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The numbers of the directory's files, sorted. Returns how many there are, -1: errno is set. */
static int64_t list_numbers(const char *path, int64_t numbers[MAX_FILES])
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int64_t n = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)) && n < MAX_FILES) {
		numbers[n] = file_number(entry->d_name);
		n += numbers[n] >= 0;
	}
	closedir(dir);
	qsort(numbers, (size_t)n, sizeof(*numbers), compare_numbers);
	return n;
}

/* Opens and maps one file of the directory. */
static int add_file(struct perf_inputs *inputs, const char *name, struct error *err)
{
	struct source_file *file = &inputs->files[inputs->n];
	char *path;
	int status;

	if (asprintf(&path, "%s/%s", inputs->path, name) < 0)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", inputs->path);
	status = source_file_open(file, path, err);
	inputs->n++;
	if (!status && (file->is_directory || file->is_pipe))
		status = error_set(err, ERROR_INPUT, "%s: is not a regular file", path);
	if (!status)
		status = source_file_load(file, err);
	file->name = inputs->path;
	free(path);
	return status;
}

static int open_directory(struct perf_inputs *inputs, struct error *err)
{
	int64_t *numbers = malloc(MAX_FILES * sizeof(*numbers));
	int64_t n = numbers ? list_numbers(inputs->path, numbers) : -1;
	int status = -1;
	char name[32];

	if (n < 0) {
		error_set(err, ERROR_ENVIRONMENT, "%s: cannot read the directory: %s", inputs->path,
			  strerror(errno));
		goto out;
	}
	inputs->files = calloc((size_t)n + 1, sizeof(*inputs->files));
	if (!inputs->files) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", inputs->path);
		goto out;
	}
	status = add_file(inputs, "data", err);
	for (int64_t i = 0; i < n && !status; i++) {
		snprintf(name, sizeof(name), "data.%" PRId64, numbers[i]);
		status = add_file(inputs, name, err);
	}
out:
	free(numbers);
	return status;
}

/* A pipe is read as it comes, unless what comes was made for seeking: then all of it is needed. */
static int load_single(struct perf_inputs *inputs, struct error *err)
{
	struct source_file *file = &inputs->files[0];

	file->name = inputs->path;
	if (file->is_pipe && perf_file_is_pipe(file->head, file->head_len))
		return 0;
	return source_file_load(file, err);
}

int perf_inputs_open(struct perf_inputs *inputs, struct source_file *file, struct error *err)
{
	*inputs = (struct perf_inputs){ .is_directory = file->is_directory };
	inputs->path = strdup(file->name);
	if (inputs->path && !file->is_directory)
		inputs->files = malloc(sizeof(*inputs->files));
	if (!inputs->path || (!file->is_directory && !inputs->files)) {
		error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", file->name);
		source_file_close(file);
		return -1;
	}
	if (file->is_directory) {
		source_file_close(file);
		return open_directory(inputs, err);
	}
	inputs->files[inputs->n++] = *file;
	*file = (struct source_file){ .fd = -1 };
	return load_single(inputs, err);
}
