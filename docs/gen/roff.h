/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roff.h - text as man(7) has it. A text is paragraphs between empty lines: what is indented stands as
 * it is, a line above indented ones is the heading of a section, all else is filled.
 */
#ifndef TLBTRACE_DOCS_GEN_ROFF_H
#define TLBTRACE_DOCS_GEN_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* The title of page NAME(section). */
void roff_title(FILE *f, const char *page, int section, const char *date);

/* A text in which nothing is a request or an escape. */
void roff_string(FILE *f, const char *text);

/* One paragraph, filled; `used` columns of its first line are taken. */
void roff_filled(FILE *f, const char *text, size_t used);
void roff_lines(FILE *f, const char *text);

/* The paragraphs that are no sections, below the heading. */
void roff_prose(FILE *f, const char *heading, const char *text);

/* The sections. */
void roff_sections(FILE *f, const char *text);

/* A term, in bold, and what it means. */
void roff_term(FILE *f, const char *term, const char *text);

#endif
