/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_github.c - checks as annotations: GitHub's workflow commands, one a line. */
#include <stdio.h>

#include "cmd/output/utf8.h"
#include "cmd/whatif.h"

/* As GitHub's toolkit escapes data; in properties ':' and ',' too. */
static void write_escaped(FILE *f, const char *text, bool property)
{
	for (struct utf8 c; *text; text += c.took) {
		c = utf8_at(text);
		if (*text == '%' || *text == '\r' || *text == '\n' ||
		    (property && (*text == ':' || *text == ',')))
			(void)fprintf(f, "%%%02X", (unsigned)(unsigned char)*text);
		else
			(void)fwrite(c.bytes, 1, c.len, f);
	}
}

static void write_check(FILE *f, const struct check *c)
{
	static const char *const commands[VERDICTS] = { "notice", "error", "error" };

	(void)fprintf(f, "::%s title=", commands[c->verdict]);
	write_escaped(f, c->check, true);
	(void)fprintf(f, " %s::", verdict_names[c->verdict]);
	write_escaped(f, whatif_check_policy(c), false);
	if (c->input) {
		(void)fputs(", ", f);
		write_escaped(f, c->input, false);
	}
	(void)fputs(": ", f);
	write_escaped(f, c->why, false);
	(void)fputc('\n', f);
}

static void write_damage(FILE *f, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;

	if (!info->truncated && !info->lost_events && !info->lost_unknown)
		return;
	(void)fputs("::warning title=trace is not whole::", f);
	write_escaped(f, r->path, false);
	(void)fputs(": ", f);
	write_escaped(f, info->truncated ? info->truncated_text : "events were lost while recording",
		      false);
	(void)fputc('\n', f);
}

void whatif_github(struct sink *s, const struct whatif *w)
{
	for (size_t i = 0; i < w->n_results; i++)
		write_damage(s->f, &w->results[i]);
	for (size_t i = 0; i < w->checks.n; i++)
		write_check(s->f, &w->checks.list[i]);
}
