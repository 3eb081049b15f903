/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_junit.c - checks as JUnit XML: a suite per input, a case per check. */
#include <stdio.h>
#include <string.h>

#include "cmd/output/utf8.h"
#include "cmd/whatif.h"

/* Attribute and element text alike; what XML 1.0 cannot hold becomes U+FFFD. */
static void write_escaped(FILE *f, const char *text)
{
	for (struct utf8 c; *text; text += c.took) {
		c = utf8_at(text);
		if ((unsigned char)*text < ' ' && !strchr("\t\r\n", *text))
			(void)fputs("\xef\xbf\xbd", f);
		else if (strchr("<>&\"'\t\r\n", *text))
			(void)fprintf(f, "&#%d;", *text);
		else
			(void)fwrite(c.bytes, 1, c.len, f);
	}
}

static void write_attribute(FILE *f, const char *name, const char *value)
{
	(void)fprintf(f, " %s=\"", name);
	write_escaped(f, value);
	(void)fputc('"', f);
}

static void write_case(FILE *f, const struct check *c)
{
	(void)fputs("    <testcase", f);
	write_attribute(f, "classname", whatif_check_policy(c));
	write_attribute(f, "name", c->check);
	if (c->verdict == VERDICT_HOLDS) {
		(void)fputs(" time=\"0\"/>\n", f);
		return;
	}
	(void)fputs(" time=\"0\">\n      <failure", f);
	write_attribute(f, "type", verdict_names[c->verdict]);
	write_attribute(f, "message", c->why);
	(void)fputs("/>\n    </testcase>\n", f);
}

/* The checks of one input, by its pointer: a file may be given twice. NULL: those of the total. */
static void write_suite(FILE *f, const struct checks *checks, const char *input)
{
	size_t failures = 0;
	size_t tests = 0;

	for (size_t i = 0; i < checks->n; i++) {
		if (checks->list[i].input != input)
			continue;
		tests++;
		failures += checks->list[i].verdict != VERDICT_HOLDS;
	}
	if (!input && tests == 0)
		return;
	(void)fputs("  <testsuite", f);
	write_attribute(f, "name", input ? input : "total");
	(void)fprintf(f, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"0\">\n",
		      tests, failures);
	for (size_t i = 0; i < checks->n; i++)
		if (checks->list[i].input == input)
			write_case(f, &checks->list[i]);
	(void)fputs("  </testsuite>\n", f);
}

void whatif_junit(struct sink *s, const struct whatif *w)
{
	size_t failures = 0;

	for (size_t i = 0; i < w->checks.n; i++)
		failures += w->checks.list[i].verdict != VERDICT_HOLDS;
	(void)fprintf(
		s->f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"tlbtrace whatif\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
		w->checks.n, failures);
	for (size_t i = 0; i < w->n_results; i++)
		write_suite(s->f, &w->checks, w->results[i].path);
	write_suite(s->f, &w->checks, NULL);
	(void)fputs("</testsuites>\n", s->f);
}
