/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metadata.c - reading what `tlbtrace record` noted. */
#include "analyze/metadata.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SIDE_LINE 65536

static bool is_plain(char c)
{
	return c > ' ' && c <= '~' && !strchr(",:%", c);
}

size_t metadata_escape(char *to, size_t size, const char *value)
{
	size_t n = 0;

	for (; *value && n + 4 <= size; value++) {
		if (is_plain(*value))
			to[n++] = *value;
		else
			n += (size_t)snprintf(to + n, size - n, "%%%02X", (unsigned char)*value);
	}
	if (size)
		to[n] = '\0';
	return n;
}

static int hex_digit(char c)
{
	if (!isxdigit((unsigned char)c))
		return -1;
	return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* In place; a % that is not followed by two digits stays. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; to++) {
		int high = *text == '%' ? hex_digit(text[1]) : -1;
		int low = high < 0 ? -1 : hex_digit(text[2]);

		if (low < 0) {
			*to = *text++;
			continue;
		}
		*to = (char)(high * 16 + low);
		text += 3;
	}
	*to = '\0';
}

static bool take_number(char **text, char end, int32_t *out)
{
	char *stop;
	long n;

	errno = 0;
	n = strtol(*text, &stop, 10);
	if (stop == *text || *stop != end || errno || n < 0 || n > INT32_MAX)
		return false;
	*out = (int32_t)n;
	*text = stop + 1;
	return true;
}

static void take_task(struct metadata *m, char *text)
{
	struct metadata_task task = { 0 };
	struct metadata_task *more;

	if (!take_number(&text, ':', &task.tid) || !take_number(&text, ':', &task.tgid) ||
	    !take_number(&text, ':', &task.mm)) {
		m->unusable++;
		return;
	}
	unescape(text);
	(void)snprintf(task.comm, sizeof(task.comm), "%s", text);
	/* Grows by doubling at powers of two. */
	if ((m->n_tasks & (m->n_tasks - 1)) == 0) {
		more = reallocarray(m->tasks, m->n_tasks ? m->n_tasks * 2 : 1, sizeof(*more));
		if (!more)
			return;
		m->tasks = more;
	}
	m->tasks[m->n_tasks++] = task;
}

static void take_tasks(struct metadata *m, char *list)
{
	char *item;

	while ((item = strsep(&list, ",")))
		if (*item)
			take_task(m, item);
}

static void take_pair(struct metadata *m, const char *key, const char *value)
{
	size_t key_len = strlen(key) + 1;
	struct metadata_pair *more = reallocarray(m->pairs, m->n_pairs + 1, sizeof(*more));
	char *copy;

	if (!more)
		return;
	m->pairs = more;
	copy = malloc(key_len + strlen(value) + 1);
	if (!copy)
		return;
	memcpy(copy, key, key_len);
	memcpy(copy + key_len, value, strlen(value) + 1);
	more[m->n_pairs++] = (struct metadata_pair){ copy, copy + key_len };
}

static void take_words(struct metadata *m, char *text)
{
	char *word;

	while ((word = strsep(&text, " \n"))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value || value == word) {
			m->unusable++;
			continue;
		}
		*value++ = '\0';
		if (!strcmp(word, "tasks")) {
			take_tasks(m, value);
			continue;
		}
		unescape(value);
		take_pair(m, word, value);
	}
}

bool metadata_take(struct metadata *m, const char *text, size_t len)
{
	static const char ours[] = "tlbtrace: ";
	char *copy;

	len = strnlen(text, len);
	if (len < strlen(ours) || memcmp(text, ours, strlen(ours)))
		return false;
	if (len < strlen(METADATA_PREFIX) || memcmp(text, METADATA_PREFIX, strlen(METADATA_PREFIX))) {
		m->unusable++;
		return true;
	}
	copy = strndup(text, len);
	if (!copy)
		return true;
	m->n_lines++;
	take_words(m, copy + strlen(METADATA_PREFIX));
	free(copy);
	return true;
}

static int take_lines(struct metadata *m, FILE *f)
{
	char *line = malloc(MAX_SIDE_LINE);

	if (!line)
		return -1;
	while (fgets(line, MAX_SIDE_LINE, f))
		if (!metadata_take(m, line, strlen(line)))
			m->unusable++;
	free(line);
	return ferror(f) ? -1 : 0;
}

/* NULL with errno set. A pipe of that name would be waited for. */
static FILE *open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	FILE *f;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		errno = EINVAL;
	else if ((f = fdopen(fd, "r")))
		return f;
	(void)close(fd);
	return NULL;
}

int metadata_take_side_file(struct metadata *m, const char *path, struct error *err)
{
	char *side;
	FILE *f;
	int status;

	if (asprintf(&side, "%s" METADATA_SUFFIX, path) < 0)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", path);
	f = open_regular(side);
	if (!f) {
		status = errno == ENOENT
				 ? 0
				 : error_set(err, ERROR_INPUT, "%s: %s", side, strerror(errno));
		free(side);
		return status;
	}
	status = 1;
	if (take_lines(m, f))
		status = error_set(err, ERROR_INPUT, "%s: cannot be read", side);
	(void)fclose(f);
	free(side);
	return status;
}

const char *metadata_value(const struct metadata *m, const char *key)
{
	for (size_t i = m->n_pairs; i--;)
		if (!strcmp(m->pairs[i].key, key))
			return m->pairs[i].value;
	return NULL;
}

/*
 * CPU_FTR_P9_TLBIE_ERAT_BUG is set on every POWER9, CPU_FTR_P9_TLBIE_STQ_BUG on Nimbus before DD2.3
 * (677733e296b5); neither on POWER10. Other processors: not known from here.
 */
static bool fixups_of_cpu(const struct metadata *m, uint64_t *value)
{
	const char *cpu = metadata_value(m, "cpu");
	const char *revision = metadata_value(m, "revision");

	if (cpu && !strncmp(cpu, "POWER10", 7)) {
		*value = FIXUPS_NONE;
		return true;
	}
	if (!cpu || strncmp(cpu, "POWER9", 6) || !revision)
		return false;
	*value = strtod(revision, NULL) < 2.25 ? FIXUPS_ERAT_STQ : FIXUPS_ERAT;
	return true;
}

static bool param_of_cpu(const struct metadata *m, enum param id, uint64_t *value)
{
	const char *cpu = metadata_value(m, "cpu");
	const char *thp = metadata_value(m, "thp");

	if (id == PARAM_FIXUPS)
		return fixups_of_cpu(m, value);
	if (id == PARAM_SETS && cpu && !strncmp(cpu, "POWER9", 6)) {
		*value = 128;
		return true;
	}
	if (id == PARAM_THP_PASS && thp) {
		*value = strcmp(thp, "none") != 0;
		return true;
	}
	return false;
}

bool metadata_param(const struct metadata *m, enum param id, uint64_t *value)
{
	const char *text = metadata_value(m, param_keys[id]);
	struct params scratch = params_of_era(ERA_V5_14);
	struct error ignored;
	enum param which;

	if (!text)
		return param_of_cpu(m, id, value);
	if (params_set(&scratch, param_keys[id], text, &which, &ignored))
		return false;
	*value = scratch.v[id];
	return true;
}

void metadata_free(struct metadata *m)
{
	for (size_t i = 0; i < m->n_pairs; i++)
		free(m->pairs[i].key);
	free(m->pairs);
	free(m->tasks);
	*m = (struct metadata){ 0 };
}
