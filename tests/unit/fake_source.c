/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_source.c - operations of a source that has tables of tasks and nothing else. */
#include "fake_source.h"

static int fake_next(struct source *src, uint32_t cpu, struct event *ev, struct error *err)
{
	(void)src;
	(void)cpu;
	(void)ev;
	(void)err;
	return 0;
}

static void fake_update_info(const struct source *src)
{
	(void)src;
}

static const struct fake_task *find(const struct source *src, int32_t tid)
{
	const struct fake_source *fake = (const struct fake_source *)src;

	for (size_t i = 0; i < fake->n_tasks; i++)
		if (fake->tasks[i].tid == tid)
			return &fake->tasks[i];
	return NULL;
}

static const char *fake_comm(const struct source *src, int32_t tid)
{
	const struct fake_task *task = find(src, tid);

	return task ? task->comm : "";
}

static int32_t fake_tgid(const struct source *src, int32_t tid)
{
	const struct fake_task *task = find(src, tid);

	return task ? task->tgid : -1;
}

static void fake_close(struct source *src)
{
	(void)src;
}

void fake_source_init(struct fake_source *fake, const struct fake_task *tasks, size_t n_tasks)
{
	static const struct source_ops ops = {
		.next = fake_next,
		.update_info = fake_update_info,
		.comm = fake_comm,
		.tgid = fake_tgid,
		.close = fake_close,
	};

	*fake = (struct fake_source){
		.src = { .ops = &ops, .info = &fake->info },
		.info = { .path = "fake", .cpus = 4 },
		.tasks = tasks,
		.n_tasks = n_tasks,
	};
}
