/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - the JSON writer. */
#include "cmd/output/json.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/output/utf8.h"

void jw_begin(struct json_writer *j, FILE *f)
{
	*j = (struct json_writer){ .f = f };
}

void jw_end(struct json_writer *j)
{
	(void)fputc('\n', j->f);
}

static void new_line(struct json_writer *j)
{
	(void)fprintf(j->f, "\n%*s", (int)(2 * j->depth), "");
}

/* What stands between the value before and the next one. */
static void separate(struct json_writer *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->used[j->depth])
		(void)fputc(',', j->f);
	if (j->inlined[j->depth])
		(void)fputc(' ', j->f);
	else if (j->depth)
		new_line(j);
	j->used[j->depth] = true;
}

static void write_control(FILE *f, unsigned char c)
{
	static const char letters[] = "\bb\ff\nn\rr\tt";
	const char *at = strchr(letters, c);

	if (at)
		(void)fprintf(f, "\\%c", at[1]);
	else
		(void)fprintf(f, "\\u%04x", c);
}

static void write_quoted(FILE *f, const char *text)
{
	(void)fputc('"', f);
	for (struct utf8 c; *text; text += c.took) {
		c = utf8_at(text);
		if ((unsigned char)*text < 0x20)
			write_control(f, (unsigned char)*text);
		else if (*text == '"' || *text == '\\')
			(void)fprintf(f, "\\%c", *text);
		else
			(void)fwrite(c.bytes, 1, c.len, f);
	}
	(void)fputc('"', f);
}

void jw_key(struct json_writer *j, const char *key)
{
	separate(j);
	write_quoted(j->f, key);
	(void)fputs(": ", j->f);
	j->after_key = true;
}

static void open_level(struct json_writer *j, char bracket, bool inlined)
{
	separate(j);
	(void)fputc(bracket, j->f);
	inlined |= j->inlined[j->depth];
	j->depth++;
	j->used[j->depth] = false;
	j->inlined[j->depth] = inlined;
}

static void close_level(struct json_writer *j, char bracket)
{
	bool used = j->used[j->depth];
	bool inlined = j->inlined[j->depth];

	j->depth--;
	if (used && inlined)
		(void)fputc(' ', j->f);
	else if (used)
		new_line(j);
	(void)fputc(bracket, j->f);
}

void jw_object(struct json_writer *j)
{
	open_level(j, '{', false);
}

void jw_object_inline(struct json_writer *j)
{
	open_level(j, '{', true);
}

void jw_object_end(struct json_writer *j)
{
	close_level(j, '}');
}

void jw_array(struct json_writer *j)
{
	open_level(j, '[', false);
}

void jw_array_end(struct json_writer *j)
{
	close_level(j, ']');
}

void jw_string(struct json_writer *j, const char *text)
{
	separate(j);
	write_quoted(j->f, text);
}

void jw_u64(struct json_writer *j, uint64_t n)
{
	separate(j);
	(void)fprintf(j->f, "%" PRIu64, n);
}

void jw_i64(struct json_writer *j, int64_t n)
{
	separate(j);
	(void)fprintf(j->f, "%" PRId64, n);
}

void jw_us(struct json_writer *j, uint64_t ns)
{
	separate(j);
	(void)fprintf(j->f, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

void jw_bool(struct json_writer *j, bool value)
{
	separate(j);
	(void)fputs(value ? "true" : "false", j->f);
}

void jw_share(struct json_writer *j, uint64_t part, uint64_t whole)
{
	unsigned __int128 scaled = whole ? (unsigned __int128)part * 10000 / whole : 10000;
	unsigned n = (unsigned)scaled;

	separate(j);
	if (n % 10000 == 0)
		(void)fprintf(j->f, "%u", n / 10000);
	else
		(void)fprintf(j->f, "%u.%04u", n / 10000, n % 10000);
}

void jw_key_string(struct json_writer *j, const char *key, const char *text)
{
	jw_key(j, key);
	jw_string(j, text);
}

void jw_key_u64(struct json_writer *j, const char *key, uint64_t n)
{
	jw_key(j, key);
	jw_u64(j, n);
}

void jw_key_address(struct json_writer *j, const char *key, uint64_t address)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "0x%" PRIx64, address);
	jw_key_string(j, key, text);
}

void jw_key_bool(struct json_writer *j, const char *key, bool value)
{
	jw_key(j, key);
	jw_bool(j, value);
}
