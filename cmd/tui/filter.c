/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.c - the filter as text, from it and to it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/tui/state.h"

/*
 * The key of the row whose label is this, or of the largest whose label begins with it before a '/' or
 * " (": where there are more, the message says so.
 */
static uint32_t find_key(struct tui *t, enum report_by by, const char *label)
{
	struct report_sort usual = report_usual_sort(by);
	struct report_table table;
	uint32_t found = ANY;
	size_t len = strlen(label);
	size_t n = 0;

	if (report_table(&table, &t->report, by, &select_all))
		return ANY;
	report_sort(&table, &usual);
	for (size_t i = table.n; i-- > 0;) {
		const char *have = table.rows[i].label;
		const char *rest = have + len;

		if (strncmp(have, label, len) != 0 ||
		    (*rest && *rest != '/' && strncmp(rest, " (", 2)))
			continue;
		found = table.rows[i].key;
		n++;
		if (!*rest) {
			n = 1;
			break;
		}
	}
	report_table_free(&table);
	if (n > 1)
		tui_say(t, "%s: %zu have this name; this is the largest", label, n);
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

static const struct filter_word {
	const char *key;
	enum report_by by;
	size_t at; /* in struct selection */
} words[] = {
	{ "mm=", BY_MM, offsetof(struct selection, mm) },
	{ "cpu=", BY_CPU, offsetof(struct selection, cpu) },
	{ "cause=", BY_CAUSE, offsetof(struct selection, cause) },
	{ "size=", BY_SIZE, offsetof(struct selection, size) },
	{ "caller=", BY_CALLER, offsetof(struct selection, caller) },
	{ "time=", BY_TIME, 0 },
};

/* The word that the text begins with, or NULL. */
static const struct filter_word *find_word(const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(text, words[i].key, strlen(words[i].key)) == 0)
			return &words[i];
	return NULL;
}

static bool parse_word(struct tui *t, const char *text, struct selection *sel)
{
	const struct filter_word *word = find_word(text);
	const char *value = strchr(text, '=');
	uint32_t key;

	if (!word)
		return false;
	if (word->by == BY_TIME)
		return parse_time(t, value + 1, sel);
	key = find_key(t, word->by, value + 1);
	memcpy((char *)sel + word->at, &key, sizeof(key));
	return key != ANY;
}

/* Takes a word and its value off the text; names may have spaces, so it ends where another word begins. */
static char *next_word(char **rest)
{
	char *text = *rest + strspn(*rest, " ");
	char *end = strchr(text, ' ');

	while (end && end[1] && !find_word(end + 1))
		end = strchr(end + 1, ' ');
	if (!end)
		end = text + strlen(text);
	*rest = *end ? end + 1 : end;
	for (*end = '\0'; end > text && end[-1] == ' '; end--)
		end[-1] = '\0';
	return *text ? text : NULL;
}

bool tui_parse_filter(struct tui *t, const char *text)
{
	struct selection sel = select_all;
	char copy[256];
	char *rest = copy;
	char *word;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	while ((word = next_word(&rest))) {
		char shown[64];

		(void)snprintf(shown, sizeof(shown), "%s", word);
		if (!parse_word(t, word, &sel)) {
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
