/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format_text.h - whether a text is an event's format file of tracefs (events/…/format).
 *
 * Only what plainly is one goes on to libtraceevent: it leaks on others, and the parser of the print
 * format, a small C program that is of no use here, recurses as deep as a hostile file says.
 */
#ifndef TLBTRACE_FORMAT_TEXT_H
#define TLBTRACE_FORMAT_TEXT_H

#include <stdint.h>

/*
 * Writes the format text[0, len) without its print format to to[0, room), for tep_parse_format.
 * Returns the length, 0 if the text is no format or too long.
 */
uint64_t format_text_fields(char *to, uint64_t room, const char *text, uint64_t len);

/* The event's name, terminated, in name[0, size), and its id; -1 if these lines are not there. */
int64_t format_text_name(const char *text, uint64_t len, char *name, uint64_t size);

#endif
