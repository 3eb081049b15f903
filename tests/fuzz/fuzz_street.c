/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_street.c - any bytes as a trace that is read to its end, once in the fast way (threads, records
 * of a loop passed over) and once plainly: both say the same.
 */
#include <string.h>

#include "analyze/trace.h"
#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtraceevent 1.7 forgets the last token of some damaged formats. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void compare_classes(const struct trace *plain, const struct trace *fast)
{
	const struct class *a = class_next(plain->classes, NULL);
	const struct class *b = class_next(fast->classes, NULL);

	while (a && b) {
		must(class_key_same(&a->key, &b->key) && a->count == b->count);
		a = class_next(plain->classes, a);
		b = class_next(fast->classes, b);
	}
	must(!a && !b);
}

static void compare(const struct trace *plain, const struct trace *fast)
{
	must(plain->info->events == fast->info->events);
	must(plain->info->lost_events == fast->info->lost_events);
	must(plain->info->unknown_records == fast->info->unknown_records);
	must(plain->info->truncated == fast->info->truncated);
	must(plain->first_ns == fast->first_ns && plain->last_ns == fast->last_ns);
	must(plain->orphan_fixups == fast->orphan_fixups);
	compare_classes(plain, fast);
}

static void read_both(const char *path)
{
	struct trace_options opt = { .plain = true };
	struct error err = { .class = ERROR_NONE };
	struct trace plain, fast;
	int status = trace_read(&plain, path, &opt, &err);

	opt.plain = false;
	must(trace_read(&fast, path, &opt, &err) == status);
	if (status) {
		must(err.text[0]);
		return;
	}
	compare(&plain, &fast);
	trace_close(&plain);
	trace_close(&fast);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	with_file(data, size, read_both);
	return 0;
}
