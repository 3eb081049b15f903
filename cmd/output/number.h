/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number.h - numbers as people read them.
 */
#ifndef TLBTRACE_CMD_OUTPUT_NUMBER_H
#define TLBTRACE_CMD_OUTPUT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Room for every 64-bit number with separators and sign. */
struct number {
	char text[32];
};

struct number number_of(uint64_t n, bool thousands);
struct number number_signed(int64_t n, bool thousands);

/* "-90.4 %", "x118" from tenfold on, "=" where nothing changes, "" where there was nothing. */
struct number number_change(uint64_t was, uint64_t now);

/* "99.92", cut and not rounded: 100.00 means all. */
struct number number_percent(uint64_t part, uint64_t whole);

/* Seconds, three decimals. */
struct number number_seconds(uint64_t ns);

/* A size of pages: "64K", "2M", "1G" for 1 << shift bytes. */
struct number number_size(unsigned shift);

#endif
