/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_cleanup.c - own instances of tracefs, and those that killed recordings left. */
#include "cmd/record/record_cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "cmd/record/record_machine.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static void close_all(struct record_instance *i)
{
	close_fd(&i->lock_fd);
	close_fd(&i->dir_fd);
	close_fd(&i->instances_fd);
}

static int open_instances(struct error *err)
{
	const char *dir = tracefs_tracing_dir();
	char path[512];
	int fd;

	if (!dir)
		return error_set(err, ERROR_ENVIRONMENT,
				 "tracefs: not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	(void)snprintf(path, sizeof(path), "%s/instances", dir);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return error_set(err, ERROR_ENVIRONMENT, "%s: %s%s", path, strerror(errno),
			 errno == EACCES || errno == EPERM ? ": run it as root" : "");
}

static int refused(struct record_instance *i, const char *what, struct error *err)
{
	int reason = errno;
	char lockdown[128] = "";

	close_all(i);
	(void)record_read_line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	return error_set(err, ERROR_ENVIRONMENT, "tracefs: %s '%s': %s%s", what, i->name,
			 strerror(reason),
			 strstr(lockdown, "[confidentiality]")
				 ? ": the kernel is locked down (lockdown=confidentiality)"
			 : reason == EACCES || reason == EPERM ? ": run it as root"
							       : "");
}

int record_instance_make(struct record_instance *i, const char *name, struct error *err)
{
	*i = RECORD_NO_INSTANCE;
	(void)snprintf(i->name, sizeof(i->name), "%s", name);
	i->instances_fd = open_instances(err);
	if (i->instances_fd < 0)
		return -1;
	/* Until it has its lock, others that start would take it for a killed recording's. */
	if (flock(i->instances_fd, LOCK_EX) || mkdirat(i->instances_fd, name, 0700))
		return refused(i, "cannot make an instance", err);
	i->dir_fd = openat(i->instances_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	i->lock_fd = i->dir_fd < 0 ? -1 : openat(i->dir_fd, "tracing_on", O_RDWR | O_CLOEXEC);
	if (i->lock_fd < 0 || flock(i->lock_fd, LOCK_EX | LOCK_NB) ||
	    record_instance_write(i, "tracing_on", "0")) {
		int reason = errno;

		close_fd(&i->lock_fd);
		(void)unlinkat(i->instances_fd, name, AT_REMOVEDIR);
		errno = reason;
		return refused(i, "cannot use the instance", err);
	}
	(void)flock(i->instances_fd, LOCK_UN);
	return 0;
}

int record_instance_write(const struct record_instance *i, const char *file, const char *text)
{
	int fd = openat(i->dir_fd, file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	size_t len = strlen(text);
	ssize_t n;
	int reason;

	if (fd < 0)
		return -1;
	n = write(fd, text, len);
	reason = errno;
	(void)close(fd);
	errno = n < 0 ? reason : EIO;
	return n == (ssize_t)len ? 0 : -1;
}

char *record_instance_read(const struct record_instance *i, const char *file)
{
	int fd = openat(i->dir_fd, file, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "re");
	char *text = NULL;
	size_t size = 0;

	if (!f) {
		close_fd(&fd);
		return NULL;
	}
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	(void)fclose(f);
	return text;
}

int record_instance_remove(struct record_instance *i)
{
	int status = 0;
	int reason = 0;

	if (i->instances_fd < 0)
		return 0;
	if (i->lock_fd >= 0)
		(void)!write(i->lock_fd, "0", 1);
	close_fd(&i->lock_fd);
	/* A reader that has just closed may still be on its way out of the kernel. */
	for (unsigned tries = 0; tries < 50; tries++) {
		status = unlinkat(i->instances_fd, i->name, AT_REMOVEDIR);
		reason = errno;
		if (status == 0 || reason != EBUSY)
			break;
		(void)usleep(10000);
	}
	close_all(i);
	errno = reason;
	return status && reason != ENOENT ? -1 : 0;
}

/* Whether a process holds the instance's lock. */
static bool is_live(int instances_fd, const char *name)
{
	char path[96];
	int fd;
	bool live;

	(void)snprintf(path, sizeof(path), "%s/tracing_on", name);
	fd = openat(instances_fd, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	live = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	(void)close(fd);
	return live;
}

static void add_failure(struct error *err, const char *what, const char *name)
{
	if (err->class == ERROR_NONE)
		(void)error_set(err, ERROR_ENVIRONMENT,
				"%s '%s' of a killed recording cannot be removed: %s", what, name,
				strerror(errno));
}

/* Removes it if it is a killed recording's. Returns how many were removed. */
static unsigned remove_if_dead(int instances_fd, const char *name, struct error *err)
{
	size_t prefix = strlen(RECORD_INSTANCE_PREFIX);
	char path[96];
	int fd;

	if (strncmp(name, RECORD_INSTANCE_PREFIX, prefix) != 0 || !name[prefix] ||
	    name[prefix + strspn(name + prefix, "0123456789")] || is_live(instances_fd, name))
		return 0;
	(void)snprintf(path, sizeof(path), "%.64s/tracing_on", name);
	fd = openat(instances_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)!write(fd, "0", 1);
	close_fd(&fd);
	if (unlinkat(instances_fd, name, AT_REMOVEDIR) == 0)
		return 1;
	add_failure(err, "the tracefs instance", name);
	return 0;
}

static unsigned remove_instances(int instances_fd, struct error *err)
{
	int fd = fcntl(instances_fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	unsigned removed = 0;

	while (dir && (entry = readdir(dir)))
		removed += remove_if_dead(instances_fd, entry->d_name, err);
	if (dir)
		(void)closedir(dir);
	else
		close_fd(&fd);
	return removed;
}

/* Whether probes of this group still have their recording. */
static bool group_is_live(int instances_fd, const char *group)
{
	long pid = strtol(group + strlen(RECORD_GROUP_PREFIX), NULL, 10);
	char name[48], path[64], comm[32];

	(void)snprintf(name, sizeof(name), RECORD_INSTANCE_PREFIX "%ld", pid);
	if (faccessat(instances_fd, name, F_OK, 0) == 0)
		return is_live(instances_fd, name);
	(void)snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	return record_read_line(path, comm, sizeof(comm)) && !strcmp(comm, "tlbtrace");
}

static unsigned remove_probes(int instances_fd, struct error *err)
{
	struct tracefs_dynevent **events = NULL;
	unsigned removed = 0;

	if (tracefs_file_exists(NULL, "kprobe_events"))
		events = tracefs_dynevent_get_all(
			TRACEFS_DYNEVENT_KPROBE | TRACEFS_DYNEVENT_KRETPROBE, NULL);
	for (struct tracefs_dynevent **event = events; event && *event; event++) {
		char *group = NULL;

		(void)tracefs_dynevent_info(*event, &group, NULL, NULL, NULL, NULL);
		if (group && !strncmp(group, RECORD_GROUP_PREFIX, strlen(RECORD_GROUP_PREFIX)) &&
		    !group_is_live(instances_fd, group)) {
			if (tracefs_dynevent_destroy(*event, true) == 0)
				removed++;
			else
				add_failure(err, "a probe in group", group);
		}
		free(group);
	}
	if (events)
		tracefs_dynevent_list_free(events);
	return removed;
}

unsigned record_remove_leftovers(struct error *err)
{
	struct error ignored;
	int fd;
	unsigned removed = 0;

	err->class = ERROR_NONE;
	fd = open_instances(&ignored);
	if (fd < 0)
		return 0; /* then there are none of ours, or they are not ours to see */
	if (flock(fd, LOCK_EX) == 0) { /* nobody is between making an instance and locking it */
		removed = remove_instances(fd, err);
		removed += remove_probes(fd, err);
	}
	(void)close(fd);
	return removed;
}
