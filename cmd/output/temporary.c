/* SPDX-License-Identifier: GPL-2.0-or-later */
/* temporary.c - outputs under another name, which no way to end the program leaves behind. */
#include "cmd/output/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 8u /* outputs that are open at once, and some to spare */
#define ATTEMPTS 8
#define TEMPLATE ".XXXXXX"
#define SUFFIX (sizeof(TEMPLATE) - 1)

/* A handler can be told nothing: what it has to remove stands here. Who takes a path out owns it. */
static _Atomic(char *) open_paths[SLOTS];
static _Atomic pid_t owner;  /* a child has copies of them, and is not to remove anything */
static _Atomic pid_t writer; /* a child that writes to what is open; 0: none */

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
#define ENDINGS (sizeof(ending) / sizeof(*ending))

/* ---- what is also called in the handler: system calls only ---- */

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Removes what is in the directory, each by `remove`. */
static void empty(int dir, void (*remove)(int dir, const char *name))
{
	_Alignas(struct dirent64) char buf[2048];
	ssize_t n;

	while ((n = getdents64(dir, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry = (const struct dirent64 *)(buf + at);

			if (!is_dots(entry->d_name))
				remove(dir, entry->d_name);
			at += entry->d_reclen;
		}
}

/* A file, or a directory with what `remove` takes. */
static void remove_with(int dir, const char *name, void (*remove)(int dir, const char *name))
{
	if (unlinkat(dir, name, 0) == 0)
		return;
	/* Another thread may still make files there. */
	for (int i = 0; i < ATTEMPTS && unlinkat(dir, name, AT_REMOVEDIR) && errno != ENOENT; i++) {
		int inner = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (inner < 0)
			return;
		empty(inner, remove);
		(void)close(inner);
	}
}

static void remove_file(int dir, const char *name)
{
	(void)unlinkat(dir, name, 0);
}

static void remove_files(int dir, const char *name)
{
	remove_with(dir, name, remove_file);
}

/* A file, or a directory of files and directories of files: deeper is no output of ours. */
static void remove_output(const char *path)
{
	remove_with(AT_FDCWD, path, remove_files);
}

/* What the temporary file was for: its path is that output's and a suffix. */
static void say_not_written(const char *path)
{
	static const char after[] = " is not written\n";
	char line[512] = "tlbtrace: ";
	size_t len = strlen(line);

	for (size_t left = strlen(path) - SUFFIX; left && len < sizeof(line) - sizeof(after);
	     left--) {
		char c = *path++;

		line[len++] = (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
	}
	memcpy(line + len, after, sizeof(after));
	(void)!write(STDERR_FILENO, line, strlen(line));
}

static void remove_all(void)
{
	pid_t child = atomic_load(&writer);

	if (child) {
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
	}
	for (size_t i = 0; i < SLOTS; i++) {
		const char *path = atomic_exchange(&open_paths[i], NULL);

		if (!path)
			continue;
		remove_output(path);
		say_not_written(path);
	}
}

static void remove_and_end(int sig)
{
	sigset_t this;

	if (atomic_load(&owner) == getpid())
		remove_all();
	(void)!signal(sig, SIG_DFL);
	(void)sigemptyset(&this);
	(void)sigaddset(&this, sig);
	(void)pthread_sigmask(SIG_UNBLOCK, &this, NULL);
	(void)raise(sig);
}

/* ---- the rest of the program ---- */

static void set_of_endings(sigset_t *set)
{
	(void)sigemptyset(set);
	for (size_t i = 0; i < ENDINGS; i++)
		(void)sigaddset(set, ending[i]);
}

static void install_handlers(void)
{
	struct sigaction action = { .sa_handler = remove_and_end };

	set_of_endings(&action.sa_mask);
	for (size_t i = 0; i < ENDINGS; i++) {
		struct sigaction before;

		if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			(void)sigaction(ending[i], &action, NULL);
	}
}

static int find_slot(unsigned int *slot)
{
	for (*slot = 0; *slot < SLOTS; ++*slot)
		if (!atomic_load(&open_paths[*slot]))
			return 0;
	errno = EMFILE;
	return -1;
}

/* Makes it by `make`, so that no signal comes between its making and its being noted. */
static int begin(struct temporary *t, const char *output, int (*make)(char *path))
{
	sigset_t endings;
	sigset_t before;
	int made;

	*t = (struct temporary){ .path = NULL };
	if (find_slot(&t->slot) || asprintf(&t->path, "%s" TEMPLATE, output) < 0) {
		t->path = NULL;
		return -1;
	}
	set_of_endings(&endings);
	(void)pthread_sigmask(SIG_BLOCK, &endings, &before);
	install_handlers();
	made = make(t->path);
	if (made >= 0) {
		atomic_store(&owner, getpid());
		atomic_store(&open_paths[t->slot], t->path);
	}
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (made < 0) {
		free(t->path);
		t->path = NULL;
	}
	return made;
}

/* Takes the path back. Where a handler in another thread was faster, the program is about to end. */
static void forget(struct temporary *t)
{
	while (!atomic_exchange(&open_paths[t->slot], NULL))
		(void)pause();
	free(t->path);
	t->path = NULL;
}

static int make_file(char *path)
{
	return mkostemp(path, O_CLOEXEC);
}

static int make_directory(char *path)
{
	return mkdtemp(path) ? 0 : -1;
}

int temporary_file(struct temporary *t, const char *output, mode_t mode)
{
	int fd = begin(t, output, make_file);
	int reason;

	if (fd < 0 || fchmod(fd, mode) == 0)
		return fd;
	reason = errno;
	(void)close(fd);
	temporary_drop(t);
	errno = reason;
	return -1;
}

int temporary_directory(struct temporary *t, const char *output)
{
	return begin(t, output, make_directory);
}

int temporary_keep(struct temporary *t, const char *output)
{
	if (rename(t->path, output))
		return -1;
	forget(t);
	return 0;
}

void temporary_drop(struct temporary *t)
{
	if (!t->path)
		return;
	remove_output(t->path);
	forget(t);
}

pid_t temporary_fork(void)
{
	sigset_t endings;
	sigset_t before;
	pid_t child;

	set_of_endings(&endings);
	(void)pthread_sigmask(SIG_BLOCK, &endings, &before);
	child = fork();
	if (child == 0)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (child > 0)
		atomic_store(&writer, child);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return child;
}

int temporary_wait(int *status)
{
	while (waitpid(atomic_load(&writer), status, 0) < 0)
		if (errno != EINTR)
			return -1;
	atomic_store(&writer, 0);
	return 0;
}
