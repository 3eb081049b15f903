/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_dirs.c - which directories in and below a path are CTF traces. */
#include "analyze/ctf_dirs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILES 65536 /* of one trace */

struct walk {
	struct ctf_dirs *dirs;
	dev_t device;
	uint32_t entries; /* outside of traces */
	bool first_only;
	bool cut; /* not all was looked at */
};

/* Recursive, CTF_DIRS_DEPTH deep at most. */
static int walk_dir(struct walk *walk, const char *path, unsigned int depth);

static bool is_hidden(const struct dirent *entry)
{
	return entry->d_name[0] == '.';
}

static bool has_metadata(const char *path)
{
	struct stat st;
	char *name;
	bool has;

	if (asprintf(&name, "%s/metadata", path) < 0)
		return false;
	has = stat(name, &st) == 0 && S_ISREG(st.st_mode);
	free(name);
	return has;
}

static int add_dir(struct ctf_dirs *dirs, const char *path)
{
	if (dirs->n == CTF_DIRS_MAX)
		return 0;
	dirs->paths[dirs->n] = strdup(path);
	if (!dirs->paths[dirs->n])
		return -1;
	dirs->n++;
	return 0;
}

/* NOLINTBEGIN(misc-no-recursion) */
/* A file of a trace directory, or a directory below. */
static int walk_entry(struct walk *walk, const char *path, bool in_trace, unsigned int depth)
{
	struct stat st;
	const char *name = strrchr(path, '/') + 1;

	if (lstat(path, &st) || (in_trace && S_ISLNK(st.st_mode) && stat(path, &st)))
		return 0;
	if (S_ISDIR(st.st_mode))
		return depth < CTF_DIRS_DEPTH && st.st_dev == walk->device &&
				       strcmp(name, "index") != 0
			       ? walk_dir(walk, path, depth + 1)
			       : 0;
	if (in_trace && S_ISREG(st.st_mode) && st.st_size > 0 && strcmp(name, "metadata") != 0) {
		walk->dirs->files++;
		walk->dirs->bytes += (uint64_t)st.st_size;
	}
	return 0;
}

/* Whether it is one too many. */
static bool is_beyond(struct walk *walk, bool in_trace, int i)
{
	bool beyond = in_trace ? i >= MAX_FILES : walk->entries++ >= CTF_DIRS_ENTRIES;

	walk->cut |= beyond;
	return beyond;
}

static int walk_entries(struct walk *walk, const char *path, struct dirent **list, int n,
			unsigned int depth)
{
	bool in_trace = has_metadata(path);
	int status = in_trace ? add_dir(walk->dirs, path) : 0;
	char *name;

	for (int i = 0; i < n && !status; i++) {
		if (is_hidden(list[i]))
			continue;
		if ((walk->first_only && walk->dirs->n) || is_beyond(walk, in_trace, i))
			break;
		if (asprintf(&name, "%s/%s", path, list[i]->d_name) < 0)
			return -1;
		status = walk_entry(walk, name, in_trace, depth);
		free(name);
	}
	return status;
}

static int walk_dir(struct walk *walk, const char *path, unsigned int depth)
{
	struct dirent **list;
	int n = scandir(path, &list, NULL, alphasort);
	int status;

	if (n < 0)
		return errno == ENOMEM ? -1 : 0;
	status = walk_entries(walk, path, list, n, depth);
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return status;
}

/* NOLINTEND(misc-no-recursion) */

static int start(struct walk *walk, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	walk->device = st.st_dev;
	return walk_dir(walk, path, 0);
}

int ctf_dirs_find(struct ctf_dirs *dirs, const char *path, struct error *err)
{
	struct walk walk = { .dirs = dirs };

	*dirs = (struct ctf_dirs){ .n = 0 };
	if (start(&walk, path))
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
	if (walk.cut)
		return error_set(err, ERROR_INPUT,
				 "%s: more than %d files and directories that belong to no CTF "
				 "trace: name the directory of the trace itself",
				 path, CTF_DIRS_ENTRIES);
	return 0;
}

bool ctf_dirs_any(const char *path)
{
	struct ctf_dirs dirs = { .n = 0 };
	struct walk walk = { .dirs = &dirs, .first_only = true };
	bool any;

	(void)start(&walk, path);
	any = dirs.n;
	ctf_dirs_free(&dirs);
	return any;
}

void ctf_dirs_free(struct ctf_dirs *dirs)
{
	for (uint32_t i = 0; i < dirs->n; i++)
		free(dirs->paths[i]);
	dirs->n = 0;
}
