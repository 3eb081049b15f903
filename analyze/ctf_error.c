/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_error.c - what libbabeltrace2 has to say of a failure, in one line. */
#include "analyze/ctf_error.h"

#include <babeltrace2/babeltrace.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The first line of a cause, without the addresses of objects and all that follows them. */
static size_t useful_length(const char *cause)
{
	size_t len = strcspn(cause, "\n");
	const char *address = memmem(cause, len, "addr=0x", 7);

	while (address && address > cause && *address != ':')
		address--;
	return address && address > cause ? (size_t)(address - cause) : len;
}

/* Appends a cause; true if it fitted. */
static bool append(char *text, size_t size, const char *cause)
{
	size_t at = strlen(text), len = useful_length(cause);

	while (len && (isspace((unsigned char)cause[len - 1]) || cause[len - 1] == '.'))
		len--;
	if (at + (at ? 2 : 0) + len >= size)
		return false;
	if (at) {
		memcpy(text + at, ": ", 2);
		at += 2;
	}
	for (size_t i = 0; i < len; i++)
		text[at++] = isprint((unsigned char)cause[i]) ? cause[i] : '?';
	text[at] = '\0';
	return true;
}

void ctf_take_error(char *text, size_t size)
{
	const bt_error *error = bt_current_thread_take_error();
	uint64_t n = error ? bt_error_get_cause_count(error) : 0;

	text[0] = '\0';
	for (uint64_t i = 0; i < n; i++)
		if (!append(text, size,
			    bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i))))
			break;
	if (!*text)
		append(text, size, "unknown cause");
	if (error)
		bt_error_release(error);
}
