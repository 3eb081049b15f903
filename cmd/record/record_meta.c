/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_meta.c - the machine's parameters and its tasks as lines of metadata. */
#include "cmd/record/record_meta.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analyze/metadata.h"

/* The kernel cuts markers at TRACE_BUF_SIZE, 1024, on kernels before v6.8. */
#define MAX_LINE 900

static int add_line(struct record_meta *meta, const char *text)
{
	char **more = reallocarray(meta->lines, meta->n + 1, sizeof(*more));

	if (!more)
		return -1;
	meta->lines = more;
	if (asprintf(&more[meta->n], "%s\n", text) < 0)
		return -1;
	meta->n++;
	return 0;
}

/* A line that grows. */
struct line {
	char text[MAX_LINE + 1];
	size_t len;
};

static void line_begin(struct line *line)
{
	strcpy(line->text, METADATA_PREFIX);
	line->len = strlen(line->text) - 1; /* words bring their blank */
	line->text[line->len] = '\0';
}

static void add_word(struct line *line, const char *key, const char *value)
{
	char escaped[3 * 192 + 4];

	if (!*value)
		return;
	(void)metadata_escape(escaped, sizeof(escaped), value);
	if (line->len + strlen(key) + strlen(escaped) + 2 > MAX_LINE)
		return;
	line->len += (size_t)snprintf(line->text + line->len, sizeof(line->text) - line->len,
				      " %s=%s", key, escaped);
}

static int add_machine(struct record_meta *meta, const struct record_machine *m, bool requests_only)
{
	struct line line;
	char number[24];

	line_begin(&line);
	add_word(&line, "kernel", m->kernel);
	add_word(&line, "arch", m->machine);
	add_word(&line, "cpu", m->cpu);
	add_word(&line, "revision", m->revision);
	add_word(&line, "mmu", m->mmu);
	if (m->arch == ARCH_POWERPC) {
		add_word(&line, "guest", m->guest ? "yes" : "no");
		add_word(&line, "gtse", m->gtse ? "on" : "off");
	}
	(void)snprintf(number, sizeof(number), "%" PRIu32, m->cpus);
	add_word(&line, "cpus", number);
	(void)snprintf(number, sizeof(number), "%" PRIu32, m->page_size);
	add_word(&line, "page-size", number);
	add_word(&line, "thp", *m->thp ? m->thp : "none");
	add_word(&line, "ceiling", m->ceiling);
	add_word(&line, "local-ceiling", m->local_ceiling);
	add_word(&line, "tlbie", m->tlbie);
	add_word(&line, "unread", m->debugfs_why);
	if (requests_only)
		add_word(&line, "requests", "only");
	return add_line(meta, line.text);
}

/* One process, and what is needed to tell whose address space it has. */
struct process {
	int32_t tgid;
	int32_t parent;
	bool kthread;
	int32_t mm;
};

struct processes {
	struct process *list;
	size_t n;
	size_t room;
};

#define PF_KTHREAD 0x00200000

/* "PID (COMM) S PPID PGRP SESSION TTY TPGID FLAGS": COMM can hold anything. */
static bool read_stat(int32_t tgid, struct process *p)
{
	char path[48], text[1024];
	long numbers[6] = { 0 }; /* PPID to FLAGS */
	char *at;
	size_t n;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", tgid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	(void)fclose(f);
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || strlen(at) < 4)
		return false;
	at += 3; /* ") S" */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		numbers[i] = strtol(at, &at, 10);
	p->tgid = tgid;
	p->parent = (int32_t)numbers[0];
	p->kthread = numbers[5] & PF_KTHREAD;
	return true;
}

static int32_t number_of(const char *name)
{
	return isdigit((unsigned char)*name) ? (int32_t)strtol(name, NULL, 10) : 0;
}

static int read_processes(struct processes *all)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry = NULL;
	int status;

	while (dir && (entry = readdir(dir))) {
		int32_t tgid = number_of(entry->d_name);
		struct process *more;

		if (!tgid)
			continue;
		if (all->n == all->room) {
			all->room = all->room ? 2 * all->room : 256;
			more = reallocarray(all->list, all->room, sizeof(*more));
			if (!more)
				break;
			all->list = more;
		}
		if (read_stat(tgid, &all->list[all->n]))
			all->n++;
	}
	status = dir && !entry ? 0 : -1;
	if (dir)
		(void)closedir(dir);
	return status;
}

static const struct process *find_process(const struct processes *all, int32_t tgid)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i].tgid == tgid)
			return &all->list[i];
	return NULL;
}

/*
 * Processes made by vfork or clone(CLONE_VM) have their parent's address space (kcmp(2), which a
 * kernel may lack: then each has its own). Parents come first: their number is lower, as a rule.
 */
static void find_mms(struct processes *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct process *p = &all->list[i];
		const struct process *parent = find_process(all, p->parent);

		p->mm = p->kthread ? 0 : p->tgid;
		if (parent && !p->kthread && !parent->kthread &&
		    syscall(SYS_kcmp, p->tgid, p->parent, KCMP_VM, 0, 0) == 0)
			p->mm = parent->mm ? parent->mm : parent->tgid;
	}
}

static void read_comm(int32_t tgid, int32_t tid, char *comm, size_t size)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/comm", tgid, tid);
	if (!record_read_line(path, comm, size))
		*comm = '\0';
}

/* Adds a task to the line; begins another where it does not fit. */
static int add_task(struct record_meta *meta, struct line *line, const struct process *p,
		    int32_t tid)
{
	char comm[COMM_LEN], escaped[3 * COMM_LEN + 4], item[128];
	bool first;

	read_comm(p->tgid, tid, comm, sizeof(comm));
	(void)metadata_escape(escaped, sizeof(escaped), comm);
	(void)snprintf(item, sizeof(item), "%" PRId32 ":%" PRId32 ":%" PRId32 ":%s", tid, p->tgid,
		       p->mm, escaped);
	if (line->len + strlen(item) + 1 > MAX_LINE) {
		if (add_line(meta, line->text))
			return -1;
		line->len = 0;
	}
	first = !line->len;
	if (first) {
		line_begin(line);
		line->len += (size_t)snprintf(line->text + line->len,
					      sizeof(line->text) - line->len, " tasks=");
	}
	line->len += (size_t)snprintf(line->text + line->len, sizeof(line->text) - line->len,
				      "%s%s", first ? "" : ",", item);
	return 0;
}

static int add_threads(struct record_meta *meta, struct line *line, const struct process *p)
{
	char path[48];
	DIR *dir;
	struct dirent *entry;
	int status = 0;

	(void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/task", p->tgid);
	dir = opendir(path);
	while (dir && !status && (entry = readdir(dir))) {
		int32_t tid = number_of(entry->d_name);

		if (tid)
			status = add_task(meta, line, p, tid);
	}
	if (dir)
		(void)closedir(dir);
	return status;
}

static int add_tasks(struct record_meta *meta)
{
	struct processes all = { 0 };
	struct line line = { .len = 0 };
	int status = read_processes(&all);

	find_mms(&all);
	for (size_t i = 0; i < all.n && !status; i++)
		status = add_threads(meta, &line, &all.list[i]);
	if (!status && line.len)
		status = add_line(meta, line.text);
	free(all.list);
	return status;
}

int record_meta_find(struct record_meta *meta, const struct record_machine *m, bool requests_only,
		     struct error *err)
{
	*meta = (struct record_meta){ 0 };
	if (add_machine(meta, m, requests_only) == 0 && add_tasks(meta) == 0)
		return 0;
	record_meta_free(meta);
	return error_set(err, ERROR_ENVIRONMENT, "record: the tasks cannot be read from /proc: %s",
			 strerror(errno));
}

void record_meta_free(struct record_meta *meta)
{
	for (size_t i = 0; i < meta->n; i++)
		free(meta->lines[i]);
	free(meta->lines);
	*meta = (struct record_meta){ 0 };
}

int record_meta_write(char *const *lines, size_t n, const char *path, struct error *err)
{
	char *side;
	FILE *f;
	int status = 0;

	if (asprintf(&side, "%s" METADATA_SUFFIX, path) < 0)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
	f = fopen(side, "we");
	for (size_t i = 0; f && i < n; i++)
		(void)fputs(lines[i], f);
	if (!f || fclose(f))
		status = error_set(err, ERROR_ENVIRONMENT, "%s: %s", side, strerror(errno));
	free(side);
	return status;
}

void record_meta_unlink(const char *path)
{
	char *side;

	if (asprintf(&side, "%s" METADATA_SUFFIX, path) < 0)
		return;
	(void)unlink(side);
	free(side);
}
