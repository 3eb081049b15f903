/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.c - writes the present view to a file: its table, or what is on the screen. */
#include <string.h>

#include "cmd/tui/state.h"

static void write_screen(FILE *f)
{
	char line[4096];

	for (int y = 0; y < LINES - 1; y++) {
		screen_row(y, line, sizeof(line));
		(void)fprintf(f, "%s\n", line);
	}
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text);

	return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

void tui_write(struct tui *t)
{
	struct grid *g = tui_view(t)->grid ? tui_view(t)->grid(t) : NULL;
	struct field_list all = fields_all(t->report.base.x86);
	struct sink_options options = { .color = COLOR_NEVER };
	struct error err = { .class = ERROR_NONE };
	char path[200] = "";
	struct sink sink;

	if (!tui_ask(t, "write to: ", path, sizeof(path)) || !*path)
		return;
	options.path = path;
	if (ends_with(path, ".csv") && !g) {
		tui_say(t, "this view is no table: as text here, or tlbtrace export");
		return;
	}
	if (sink_open(&sink, &options, &err)) {
		tui_say(t, "%s", err.text);
		return;
	}
	tui_draw(t);
	if (ends_with(path, ".csv"))
		report_csv_table(sink.f, t->path, &g->table, &all);
	else if (tui_view(t) == &view_mms)
		report_text_table(&sink, &g->table, &g->fields);
	else
		write_screen(sink.f);
	if (sink_close(&sink, &err))
		tui_say(t, "%s", err.text);
	else
		tui_say(t, "written: %s", path);
}
