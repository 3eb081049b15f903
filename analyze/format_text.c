/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format_text.c - whether a text is an event's format file of tracefs. */
#include "analyze/format_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/bytes.h"

/* The length of "key: value" at the beginning of a line that has it, else 0. */
static size_t skip_key(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);

	return len > n && !memcmp(line, key, n) ? n : 0;
}

/* "offset:8;" and so on, with what is around it; returns the rest of the line or NULL. */
static const char *skip_number(const char *at, const char *end, const char *key)
{
	while (at < end && (*at == '\t' || *at == ' '))
		at++;
	if (!skip_key(at, (size_t)(end - at), key))
		return NULL;
	at += strlen(key);
	if (at < end && *at == '-')
		at++;
	if (at == end || !isdigit((unsigned char)*at))
		return NULL;
	while (at < end && isdigit((unsigned char)*at))
		at++;
	return at < end && *at == ';' ? at + 1 : NULL;
}

/* A C declaration: "__data_loc char[] name", "unsigned long args[6]", "u8 x[(64 + 2)]". */
static bool is_declaration(const char *at, const char *end)
{
	unsigned int names = 0;
	bool in_brackets = false;

	for (bool in_name = false; at < end; at++) {
		bool letter = isalnum((unsigned char)*at) || *at == '_';

		names += letter && !in_name && !in_brackets;
		in_name = letter;
		if (*at == '[' || *at == ']') {
			if (in_brackets != (*at == ']') || !names)
				return false;
			in_brackets = *at == '[';
		} else if (!letter && !strchr(in_brackets ? " ()+-*/<>?:" : " *", *at)) {
			return false;
		}
	}
	return names >= 2 && !in_brackets;
}

/* "field:int pid;	offset:8;	size:4;	signed:1;" */
static bool is_field_line(const char *line, size_t len)
{
	const char *end = line + len, *semicolon;

	while (line < end && (*line == '\t' || *line == ' '))
		line++;
	line += skip_key(line, (size_t)(end - line), "field:");
	semicolon = memchr(line, ';', (size_t)(end - line));
	if (!semicolon || !is_declaration(line, semicolon))
		return false;
	line = skip_number(semicolon + 1, end, "offset:");
	line = line ? skip_number(line, end, "size:") : NULL;
	line = line ? skip_number(line, end, "signed:") : NULL;
	return line == end;
}

static bool is_name_line(const char *line, size_t len)
{
	for (size_t i = skip_key(line, len, "name: "); i < len; i++)
		if (!isalnum((unsigned char)line[i]) && line[i] != '_')
			return false;
	return true;
}

/* Line number of a format file: name, ID, "format:", then fields and empty lines. */
static bool is_sound_line(const char *line, size_t len, unsigned int number)
{
	if (number == 0)
		return skip_key(line, len, "name: ") && is_name_line(line, len);
	if (number == 1)
		return skip_key(line, len, "ID: ") && isdigit((unsigned char)line[4]);
	if (number == 2)
		return len == 7 && !memcmp(line, "format:", 7);
	return !len || is_field_line(line, len);
}

uint64_t format_text_fields(char *to, uint64_t room, const char *text, uint64_t len)
{
	static const char print[] = "print fmt: \"\"\n";
	const char *end = memmem(text, len, "print fmt:", 10);
	uint64_t n = end ? (uint64_t)(end - text) : len;
	unsigned int number = 0;

	if (n + sizeof(print) > room)
		return 0;
	for (uint64_t at = 0; at < n; number++) {
		const char *eol = memchr(text + at, '\n', n - at);

		if (!eol || !is_sound_line(text + at, (size_t)(eol - text) - at, number))
			return 0;
		at = (uint64_t)(eol - text) + 1;
	}
	memcpy(to, text, n);
	memcpy(to + n, print, sizeof(print));
	return number > 3 ? n + sizeof(print) - 1 : 0;
}

int64_t format_text_name(const char *text, uint64_t len, char *name, uint64_t size)
{
	const char *eol = memchr(text, '\n', len);
	const char *id = eol ? eol + 1 : text + len;
	uint64_t left = (uint64_t)(text + len - id);
	char digits[12];

	if (!eol || !is_sound_line(text, (size_t)(eol - text), 0) || !skip_key(id, left, "ID: "))
		return -1;
	text_copy(name, size, text + 6, (uint64_t)(eol - text) - 6);
	text_copy(digits, sizeof(digits), id + 4, left - 4);
	return isdigit((unsigned char)digits[0]) ? strtol(digits, NULL, 10) : -1;
}
