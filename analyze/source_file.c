/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source_file.c - the bytes of an input, before anything is known about its format. */
#include "analyze/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP (UINT64_C(1) << 20)

/* What the machine lacks; everything else is the input's: missing, not readable, no file. */
static bool is_shortage(int error)
{
	return error == ENOMEM || error == EMFILE || error == ENFILE;
}

static int fail(const struct source_file *file, const char *what, struct error *err)
{
	return error_set(err, is_shortage(errno) ? ERROR_ENVIRONMENT : ERROR_INPUT,
			 "%s: cannot %s: %s", file->name, what, strerror(errno));
}

ssize_t source_file_read(const struct source_file *file, void *to, size_t n)
{
	struct pollfd fds[2] = { { .fd = file->fd, .events = POLLIN },
				 { .fd = file->stop_fd, .events = POLLIN } };
	ssize_t got;

	do {
		got = poll(fds, file->stop_fd > 0 ? 2 : 1, -1);
		if (got > 0 && fds[1].revents)
			return 0;
		if (got > 0)
			got = read(file->fd, to, n);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	return got;
}

/* Reads until n bytes are there or the input ends. Returns the number, or -1 with errno set. */
static ssize_t read_all(const struct source_file *file, uint8_t *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = source_file_read(file, to + done, n - done);

		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int read_head(struct source_file *file, struct error *err)
{
	ssize_t n = read_all(file, file->head, sizeof(file->head));

	if (n < 0)
		return fail(file, "read", err);
	file->head_len = (size_t)n;
	return 0;
}

static int look(struct source_file *file, struct error *err)
{
	struct stat st;

	if (fstat(file->fd, &st))
		return fail(file, "stat", err);
	file->is_directory = S_ISDIR(st.st_mode);
	file->is_pipe = !S_ISREG(st.st_mode);
	if (file->is_directory)
		return 0;
	if (!file->is_pipe) {
		file->size = (uint64_t)st.st_size;
		if (lseek(file->fd, 0, SEEK_SET) < 0)
			return fail(file, "seek", err);
	}
	return read_head(file, err);
}

/* Without O_NONBLOCK, a FIFO that nobody writes to would hold us where stop_fd is not looked at. */
int source_file_open_until(struct source_file *file, const char *path, int stop_fd,
			   struct error *err)
{
	*file = (struct source_file){ .name = path, .fd = -1, .stop_fd = stop_fd };
	if (!strcmp(path, "-")) {
		file->name = "standard input";
		file->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	} else {
		file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	if (file->fd < 0)
		return fail(file, "open", err);
	return look(file, err);
}

int source_file_open(struct source_file *file, const char *path, struct error *err)
{
	return source_file_open_until(file, path, 0, err);
}

static int map_file(struct source_file *file, struct error *err)
{
	void *map;

	if (!file->size)
		return 0;
	map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (map == MAP_FAILED)
		return fail(file, "map", err);
	file->data = map;
	file->mapped = true;
	return 0;
}

/* A pipe cannot be read twice and trace.dat's tables are at both its ends: all of it is kept. */
static int slurp_pipe(struct source_file *file, struct error *err)
{
	uint64_t room = 0, len = 0;
	uint8_t *data = NULL;
	ssize_t n;

	do {
		uint8_t *bigger;

		if (len + READ_STEP > room) {
			room = 2 * room + 2 * READ_STEP;
			bigger = realloc(data, room);
			if (!bigger)
				goto fail;
			data = bigger;
		}
		if (!len) {
			memcpy(data, file->head, file->head_len);
			len = file->head_len;
		}
		n = read_all(file, data + len, READ_STEP);
		if (n < 0)
			goto fail;
		len += (uint64_t)n;
	} while ((uint64_t)n == READ_STEP);
	file->data = data;
	file->size = len;
	return 0;
fail:
	(void)fail(file, "read", err); /* before free() can change errno */
	free(data);
	return -1;
}

int source_file_load(struct source_file *file, struct error *err)
{
	if (file->data)
		return 0;
	return file->is_pipe ? slurp_pipe(file, err) : map_file(file, err);
}

void source_file_close(struct source_file *file)
{
	if (file->mapped)
		munmap((void *)(uintptr_t)file->data, file->size);
	else
		free((void *)(uintptr_t)file->data);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct source_file){ .fd = -1 };
}
