/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_ctf.c - `tlbtrace export --format=ctf`: rows, tasks and events as a CTF trace. */
#include "cmd/export_ctf.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/flush.h"
#include "analyze/run.h"
#include "cmd/output/ctf_writer.h"
#include "cmd/output/temporary.h"

static int64_t instructions(const struct export_row *row, enum counter counter)
{
	return row->asked ? -1 : (int64_t)row->recorded.n[counter];
}

static void write_row(void *to, const struct export_row *row)
{
	FILE *f = to;
	struct ctf_row out = {
		.time_ns = row->time_ns,
		.cpu = row->cpu,
		.tid = row->tid,
		.tgid = row->tgid,
		.hw_pid = row->has_hw_pid ? row->hw_pid : 0,
		.entry = flush_entry_keys[row->entry],
		.cause = flush_cause_keys[row->cause],
		.scope = flush_scope_keys[row->scope],
		.known = flush_known_keys[row->known],
		.ended_by = row_end_keys[row->ended_by],
		.has_range = row->has_range,
		.gaps = row->gaps,
		.tlbie = instructions(row, COUNT_TLBIE),
		.tlbiel = instructions(row, COUNT_TLBIEL),
		.invlpg = instructions(row, COUNT_INVLPG),
		.cr3_writes = instructions(row, COUNT_CR3_WRITES),
	};

	memcpy(out.comm, row->comm, sizeof(out.comm));
	export_mm_text(row->mm, out.mm);
	if (row->has_range) {
		out.start = row->x86 ? 0 : row->start;
		out.end = row->x86 ? 0 : row->end;
		out.page_size = row->page_bytes;
		out.pages = out.pages_min = out.pages_max = row->pages;
	} else if (row->known == KNOWN_CENSORED) {
		out.pages_min = row->pages_min;
		out.pages_max = row->pages_max;
	}
	(void)fwrite(&out, sizeof(out), 1, f);
}

const struct export_format export_ctf = { .row = write_row };

/* ---- the tasks of the trace ---- */

static bool begin(void *arg, const struct source *src)
{
	(void)arg;
	(void)src;
	return true;
}

static bool flush(void *arg, struct flush *f)
{
	(void)arg;
	(void)f;
	return true;
}

static void end(void *arg)
{
	(void)arg;
}

static bool note(struct export_ctf *x, int32_t tid)
{
	return task_notes_get(&x->seen, tid) != NULL;
}

static bool item(void *arg, const struct run_item *item)
{
	struct export_ctf *x = arg;
	const struct event *ev = &item->event;

	if (item->is_run)
		return note(x, item->run.tid);
	switch ((enum event_kind)ev->kind) {
	case EVENT_SWITCH:
		return note(x, ev->sw.prev_tid) && note(x, ev->sw.next_tid);
	case EVENT_NEWTASK:
	case EVENT_FORK:
	case EVENT_EXEC:
	case EVENT_EXIT:
	case EVENT_RENAME:
	case EVENT_MIGRATE:
		return note(x, ev->tid) && note(x, ev->task.tid);
	default:
		return note(x, ev->tid);
	}
}

struct list {
	const struct source *src;
	struct ctf_own_task *tasks;
	size_t n;
};

/* A task of which the file's own tables say something. */
static bool add_task(struct list *list, int32_t tid)
{
	const char *comm = source_comm(list->src, tid);
	int32_t tgid = source_tgid(list->src, tid);
	struct ctf_own_task *more;

	if (!*comm && tgid < 0)
		return true;
	more = reallocarray(list->tasks, list->n + 1, sizeof(*more));
	if (!more)
		return false;
	list->tasks = more;
	list->tasks[list->n] = (struct ctf_own_task){ .tid = tid, .tgid = tgid };
	(void)snprintf(list->tasks[list->n++].comm, COMM_LEN, "%.15s", comm);
	return true;
}

/* ---- the directory ---- */

static int fail(const char *path, struct error *err)
{
	return error_set(err, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
}

static int keep_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int export_ctf_check(const char *dir, struct error *err)
{
	struct dirent **list = NULL;
	int n;

	if (!dir)
		return error_set(err, ERROR_USAGE, "--format=ctf: needs --output=DIRECTORY");
	n = scandir(dir, &list, keep_entry, NULL);
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	if (n < 0 && errno != ENOENT)
		return fail(dir, err);
	if (n > 0)
		return error_set(err, ERROR_ENVIRONMENT,
				 "%s: exists and is not empty: a CTF trace needs its own directory",
				 dir);
	return 0;
}

int export_ctf_begin(struct export_ctf *x, struct error *err)
{
	*x = (struct export_ctf){ .rows = tmpfile() };
	x->observer = (struct observer){ x, begin, item, flush, end };
	return x->rows ? 0 : fail("a temporary file", err);
}

/* In a process of its own: see ctf_write(). */
static int write_content(struct export_ctf *x, const char *inner, const char *dir, const char *path,
			 const struct trace *first, struct error *err)
{
	struct list list = { .src = first->src };
	struct ctf_content content = { .name = dir, .info = first->info, .rows = x->rows };

	for (const struct task_note *seen = x->seen; seen; seen = seen->hh.next)
		if (!add_task(&list, seen->tid))
			return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	content.tasks = list.tasks;
	content.n_tasks = list.n;
	content.events = source_open(path, err);
	return content.events ? ctf_write(inner, &content, err) : -1;
}

/* Waits for the writer. Returns 0, or -1 with *err filled; said is what it said itself. */
static int await_writer(const char *dir, const struct error *said, struct error *err)
{
	int status = 0;

	if (temporary_wait(&status))
		return fail(dir, err);
	if (WIFSIGNALED(status))
		return error_set(
			err, ERROR_ENVIRONMENT,
			"%s: cannot write CTF (is the disk full?): libbabeltrace2 ended with '%s'",
			dir, strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == 0)
		return 0;
	*err = *said;
	return -1;
}

/* Writes inner, which is to become dir. */
static int write_apart(struct export_ctf *x, const char *inner, const char *dir, const char *path,
		       const struct trace *first, struct error *err)
{
	struct error *said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	if (said == MAP_FAILED)
		return fail(dir, err);
	pid = temporary_fork();
	if (pid == 0)
		_exit(write_content(x, inner, dir, path, first, said) ? 1 : 0);
	status = pid < 0 ? fail(dir, err) : await_writer(dir, said, err);
	(void)munmap(said, sizeof(*said));
	return status;
}

/* Made in a directory of its own beside dir, so that dir appears in one step. */
static int write_beside(struct export_ctf *x, const char *temporary, const char *dir,
			const char *path, const struct trace *first, struct error *err)
{
	char *inner;
	int status;

	if (asprintf(&inner, "%s/trace", temporary) < 0)
		return fail(dir, err);
	status = write_apart(x, inner, dir, path, first, err);
	if (!status && rename(inner, dir))
		status = fail(dir, err);
	free(inner);
	return status;
}

int export_ctf_write(struct export_ctf *x, const char *dir, const char *path,
		     const struct trace *first, struct error *err)
{
	struct temporary temporary;
	int status;

	if (fflush(x->rows) || ferror(x->rows) || fseek(x->rows, 0, SEEK_SET))
		return fail("the temporary file of rows", err);
	if (temporary_directory(&temporary, dir))
		return fail(dir, err);
	status = write_beside(x, temporary.path, dir, path, first, err);
	temporary_drop(&temporary);
	return status;
}

void export_ctf_free(struct export_ctf *x)
{
	if (x->rows)
		(void)fclose(x->rows);
	task_notes_free(&x->seen);
}
