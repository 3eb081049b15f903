/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.c - reads traces and summaries. */
#include "cmd/input.h"

#include <stdlib.h>
#include <string.h>

#include "replay/summary.h"

static int refuse(const char *path, const char *option, const char *why, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "%s: %s: a summary %s: summarize the trace with %s, or ask the trace",
			 path, option, why, option);
}

/* What was decided when the summary was made. */
static int check_options(const struct common *c, const char *path, struct error *err)
{
	const struct trace_filter *filter = &c->trace.filter;

	if (filter->by_cpu)
		return refuse(path, "--cpu", "does not keep which CPU flushed", err);
	if (filter->by_time || c->share.is_share)
		return refuse(path, "--time", "does not keep when a flush was", err);
	if (*filter->comm)
		return refuse(path, "--comm", "does not keep which task flushed", err);
	if (c->trace.ignore)
		return refuse(path, "--ignore", "has joined its evidence", err);
	return 0;
}

static bool is_tgid(const char *mm)
{
	return *mm && mm[strspn(mm, "0123456789")] == '\0';
}

/* Names that were given up, and processes that were added up, cannot be selected. */
static int check_mm(const struct common *c, const struct trace *t, const char *path,
		    struct error *err)
{
	const struct mm_table *mms = trace_mms(t);
	bool whole = true;
	bool found = false;

	if (!c->mm)
		return 0;
	for (uint32_t i = 0; i < mm_count(mms); i++) {
		const struct mm *mm = mm_by_index(mms, i);

		whole &= mm->members == 0;
		found |= strcmp(mm->name, c->mm) == 0;
	}
	if (is_tgid(c->mm) && !found && !whole)
		return error_set(err, ERROR_USAGE,
				 "%s: --mm=%s: processes of one name are added up in this summary: "
				 "give the name, or ask the trace",
				 path, c->mm);
	if (!found && t->kept->folded)
		return error_set(err, ERROR_USAGE,
				 "%s: --mm=%s: only the larger address spaces have their names in "
				 "this summary, and this is none of them: ask the trace",
				 path, c->mm);
	return 0;
}

/* The group that the path names; NULL with *err where it names none of several. */
static const struct summary_group *find_group(const struct summary *s, const char *path,
					      size_t group, struct error *err)
{
	if (group == s->n_groups && s->n_groups == 1)
		group = 0;
	if (group < s->n_groups)
		return &s->groups[group];
	(void)error_set(err, ERROR_USAGE,
			"%s: has traces of %zu different recorded kernels: name one, as %s#1 to "
			"%s#%zu",
			path, s->n_groups, path, path, s->n_groups);
	return NULL;
}

static int read_summary(const struct common *c, const char *path, bool vcpus, struct trace *t,
			struct watch **watch, struct error *err)
{
	const struct summary_group *g;
	struct summary s;
	size_t group;
	int status = -1;

	if (check_options(c, path, err) || summary_read(&s, path, &group, err))
		return -1;
	g = find_group(&s, path, group, err);
	if (g)
		status = summary_give(g, path, vcpus, t, watch, err);
	if (status == 0)
		t->kept->unknown_parts = s.unknown;
	summary_free(&s);
	return status ? -1 : check_mm(c, t, path, err);
}

int input_read(const struct common *c, const char *path, bool vcpus, struct trace *t,
	       struct watch **watch, struct error *err)
{
	struct common with = *c;
	struct observer observer;

	*watch = NULL;
	if (summary_is(path))
		return read_summary(c, path, vcpus, t, watch, err);
	*watch = watch_new(vcpus);
	if (!*watch)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
	observer = watch_observer(*watch);
	with.trace.observer = &observer;
	return common_read(&with, path, t, err);
}

/* How many inputs the path stands for. */
static int count_groups(const char *path, size_t *n, struct error *err)
{
	struct summary s;
	size_t group;

	*n = 1;
	if (!summary_is(path))
		return 0;
	if (summary_read(&s, path, &group, err))
		return -1;
	if (group == s.n_groups)
		*n = s.n_groups;
	summary_free(&s);
	return 0;
}

static char *own(struct common *c, const char *path, size_t number)
{
	char **more = reallocarray(c->owned, c->n_owned + 1, sizeof(*more));
	char *text;

	if (!more)
		return NULL;
	c->owned = more;
	if (asprintf(&text, "%s#%zu", path, number) < 0)
		return NULL;
	c->owned[c->n_owned++] = text;
	return text;
}

int input_expand(struct common *c, struct error *err)
{
	for (size_t i = 0; i < c->n_inputs; i++) {
		const char *path = c->inputs[i];
		const char **more;
		size_t n;

		if (count_groups(path, &n, err))
			return -1;
		if (n == 1)
			continue;
		more = reallocarray(c->inputs, c->n_inputs + n, sizeof(*more));
		if (!more)
			return error_set(err, ERROR_ENVIRONMENT, "out of memory");
		c->inputs = more;
		memmove(&more[i + n], &more[i + 1], (c->n_inputs - i - 1) * sizeof(*more));
		c->n_inputs += n - 1;
		for (size_t group = 0; group < n; group++, i++) {
			more[i] = own(c, path, group + 1);
			if (!more[i])
				return error_set(err, ERROR_ENVIRONMENT, "out of memory");
		}
		i--;
	}
	return 0;
}
