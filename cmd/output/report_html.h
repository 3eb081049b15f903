/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_html.h - the parts of a report's page.
 */
#ifndef TLBTRACE_CMD_OUTPUT_REPORT_HTML_H
#define TLBTRACE_CMD_OUTPUT_REPORT_HTML_H

#include <stdio.h>

#include "cmd/report.h"

/* Each writes its part for one trace; errors stay in the FILE. -1 where memory is short. */
int report_html_head(FILE *f, const struct report *r);
int report_html_charts(FILE *f, const struct report *r);

#endif
