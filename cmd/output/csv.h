/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.h - texts in CSV (RFC 4180): names of programs and files may be any bytes.
 */
#ifndef TLBTRACE_CMD_OUTPUT_CSV_H
#define TLBTRACE_CMD_OUTPUT_CSV_H

#include <stdio.h>

/* Quoted where it must be. */
void csv_text(FILE *f, const char *text);

/* Quoted always, so that no program takes it for a number. */
void csv_quoted(FILE *f, const char *text);

#endif
