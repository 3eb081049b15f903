/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_tracing.c - the event formats that perf saves beside its records. */
#include "analyze/perf_tracing.h"

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_LEN 10

static void skip_sized(struct bytes *b)
{
	bytes_take(b, bytes_u64(b));
}

/* "header_page" and "header_event", each with its size: what perf records has neither. */
static void skip_headers(struct bytes *b)
{
	bytes_string(b);
	skip_sized(b);
	bytes_string(b);
	skip_sized(b);
}

static void add_formats(struct event_format_parser *parser, const char *system, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	while (n-- && !b->failed) {
		uint64_t len = bytes_u64(b);
		const uint8_t *text = bytes_take(b, len);

		if (text)
			event_formats_add(parser, system, (const char *)text, len);
	}
}

static void add_systems(struct event_format_parser *parser, struct bytes *b)
{
	uint32_t n = bytes_u32(b);

	while (n-- && !b->failed) {
		const char *system = bytes_string(b);

		if (system)
			add_formats(parser, system, b);
	}
}

static int read_cmdlines(struct bytes *b, const char *version, struct tid_table *comms)
{
	const uint8_t *text;
	uint64_t len;

	bytes_take(b, bytes_u32(b)); /* kernel symbols */
	bytes_take(b, bytes_u32(b)); /* printk formats */
	if (b->failed || strcmp(version, "0.6") < 0)
		return 0;
	len = bytes_u64(b);
	text = bytes_take(b, len);
	return text ? tid_table_parse(comms, (const char *)text, len) : 0;
}

int perf_tracing_parse(struct perf_tracing *tracing, const struct bytes *content,
		       struct event_formats *formats, struct tid_table *comms)
{
	struct bytes b = *content;
	const uint8_t *magic = bytes_take(&b, MAGIC_LEN);
	const char *version = bytes_string(&b);
	const uint8_t *sizes = bytes_take(&b, 2); /* big-endian, size of a long */
	struct event_format_parser *parser;
	int status;

	*comms = (struct tid_table){ 0 };
	if (event_formats_init(formats, content->big_endian, sizes && sizes[1] == 4 ? 4 : 8,
			       tracing->machine))
		return -1;
	if (!content->size)
		return 0;
	tracing->page_size = bytes_u32(&b);
	skip_headers(&b);
	if (b.failed || memcmp(magic, MAGIC, MAGIC_LEN) != 0) {
		tracing->cut = true;
		return 0;
	}
	parser = event_formats_begin(formats);
	if (!parser)
		return -1;
	add_formats(parser, "ftrace", &b);
	add_systems(parser, &b);
	event_formats_end(parser);
	status = read_cmdlines(&b, version, comms);
	tracing->cut = b.failed;
	return status;
}
