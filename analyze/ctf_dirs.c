/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_dirs.c - which directories in and below a path are CTF traces. */
#include "analyze/ctf_dirs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_ENTRIES 65536 /* looked at in all */

struct walk {
	struct ctf_dirs *dirs;
	uint32_t entries;
	bool first_only;
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

	if (stat(path, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return depth < CTF_DIRS_DEPTH && strcmp(name, "index") != 0
			       ? walk_dir(walk, path, depth + 1)
			       : 0;
	if (in_trace && S_ISREG(st.st_mode) && st.st_size > 0 && strcmp(name, "metadata") != 0) {
		walk->dirs->files++;
		walk->dirs->bytes += (uint64_t)st.st_size;
	}
	return 0;
}

static int walk_entries(struct walk *walk, const char *path, struct dirent **list, int n,
			unsigned int depth)
{
	bool in_trace = has_metadata(path);
	int status = in_trace ? add_dir(walk->dirs, path) : 0;
	char *name;

	for (int i = 0; i < n && !status; i++) {
		if (is_hidden(list[i]) || ++walk->entries > MAX_ENTRIES)
			continue;
		if (walk->first_only && walk->dirs->n)
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

int ctf_dirs_find(struct ctf_dirs *dirs, const char *path, struct error *err)
{
	struct walk walk = { .dirs = dirs };

	*dirs = (struct ctf_dirs){ .n = 0 };
	if (walk_dir(&walk, path, 0))
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
	return 0;
}

bool ctf_dirs_any(const char *path)
{
	struct ctf_dirs dirs = { .n = 0 };
	struct walk walk = { .dirs = &dirs, .first_only = true };
	bool any;

	walk_dir(&walk, path, 0);
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
