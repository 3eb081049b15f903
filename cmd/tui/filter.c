/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.c - the filter as text, from it and to it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tui/state.h"

/* The key of the row whose label is this, or begins with it before a '/'. */
static uint32_t find_key(struct tui *t, enum report_by by, const char *label)
{
	struct report_table table;
	uint32_t found = ANY;
	size_t len = strlen(label);

	if (report_table(&table, &t->report, by, &select_all))
		return ANY;
	for (size_t i = 0; i < table.n && found == ANY; i++) {
		const char *have = table.rows[i].label;

		if (strcmp(have, label) == 0 || (strncmp(have, label, len) == 0 && have[len] == '/'))
			found = table.rows[i].key;
	}
	report_table_free(&table);
	return found;
}

/* "0.1,0.2": seconds since the beginning; either may be left out. */
static bool parse_time(const struct tui *t, const char *text, struct selection *sel)
{
	double period = (double)profile_period_ns(t->report.profile) / 1e9;
	char *end;
	double from = strtod(text, &end);
	double to = -1;

	if (*end != ',')
		return false;
	if (end[1]) {
		to = strtod(end + 1, &end);
		if (*end || to <= from)
			return false;
	}
	if (!(from >= 0 && from < 1e9 && to < 1e9))
		return false;
	sel->period_from = (uint32_t)(from / period < PROFILE_PERIODS ? from / period
								      : PROFILE_PERIODS);
	if (to >= 0)
		sel->period_to = (uint32_t)(to / period < PROFILE_PERIODS ? to / period
									  : PROFILE_PERIODS);
	return true;
}

static bool parse_word(struct tui *t, char *word, struct selection *sel)
{
	static const struct {
		const char *key;
		enum report_by by;
		size_t at;
	} words[] = {
		{ "mm", BY_MM, offsetof(struct selection, mm) },
		{ "cpu", BY_CPU, offsetof(struct selection, cpu) },
		{ "cause", BY_CAUSE, offsetof(struct selection, cause) },
		{ "size", BY_SIZE, offsetof(struct selection, size) },
		{ "caller", BY_CALLER, offsetof(struct selection, caller) },
	};
	char *value = strchr(word, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (strcmp(word, "time") == 0)
		return parse_time(t, value, sel);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		uint32_t key;

		if (strcmp(word, words[i].key) != 0)
			continue;
		key = find_key(t, words[i].by, value);
		memcpy((char *)sel + words[i].at, &key, sizeof(key));
		return key != ANY;
	}
	return false;
}

bool tui_parse_filter(struct tui *t, const char *text)
{
	struct selection sel = select_all;
	char copy[256];
	char *rest = copy;
	char *word;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	while ((word = strsep(&rest, " "))) {
		char shown[64];

		(void)snprintf(shown, sizeof(shown), "%s", word);
		if (*word && !parse_word(t, word, &sel)) {
			tui_say(t, "no such thing here: %s", shown);
			return false;
		}
	}
	t->sel = sel;
	return true;
}

/* The label of the row with this key. */
static void find_label(const struct tui *t, enum report_by by, uint32_t key, char *buf, size_t size)
{
	struct report_table table;

	(void)snprintf(buf, size, "%" PRIu32, key);
	if (report_table(&table, &t->report, by, &select_all))
		return;
	for (size_t i = 0; i < table.n; i++)
		if (table.rows[i].key == key)
			(void)snprintf(buf, size, "%s", table.rows[i].label);
	report_table_free(&table);
}

static size_t add_word(const struct tui *t, enum report_by by, uint32_t key, char *buf, size_t size,
		       size_t used)
{
	char label[128];
	int n;

	if (key == ANY || used >= size)
		return used;
	find_label(t, by, key, label, sizeof(label));
	n = snprintf(buf + used, size - used, "%s%s=%s", used ? " " : "", report_by_keys[by], label);
	return used + (n > 0 ? (size_t)n : 0);
}

void tui_filter_text(const struct tui *t, char *buf, size_t size)
{
	const struct selection *sel = &t->sel;
	double period = (double)profile_period_ns(t->report.profile) / 1e9;
	size_t used = 0;

	*buf = '\0';
	used = add_word(t, BY_MM, sel->mm, buf, size, used);
	used = add_word(t, BY_CPU, sel->cpu, buf, size, used);
	used = add_word(t, BY_CAUSE, sel->cause, buf, size, used);
	used = add_word(t, BY_SIZE, sel->size, buf, size, used);
	used = add_word(t, BY_CALLER, sel->caller, buf, size, used);
	if (used >= size || (!sel->period_from && sel->period_to == ANY))
		return;
	used += (size_t)snprintf(buf + used, size - used, "%stime=%.6f,", used ? " " : "",
				 sel->period_from * period);
	if (sel->period_to != ANY && used < size)
		(void)snprintf(buf + used, size - used, "%.6f", (sel->period_to + 0.5) * period);
}
