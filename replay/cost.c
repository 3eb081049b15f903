/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost.c - what instructions take, as the user has it. */
#include "replay/cost.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/suggest.h"

/*
 * Seed 000: 178 rounds a second with 737,460 tlbie, 318 with 51,485: (1/178 - 1/318) s over
 * (737460/178 - 51485/318) tlbie is 0.621 us each.
 */
#define SEED_TLBIE_PS 620000u

#define LONGEST_PS UINT64_C(1000000000000) /* a second */

static enum counter counter_of(const char *key)
{
	if (strcmp(key, "ipi") == 0)
		return COUNT_IPIS;
	if (strcmp(key, "hcall") == 0)
		return COUNT_HCALLS;
	return counter_by_key(key);
}

/* Digits, perhaps a point and digits, and a unit. */
static bool parse_time(const char *text, uint64_t *ps)
{
	static const struct {
		const char *name;
		uint64_t ps;
	} units[] = { { "ns", 1000 }, { "us", 1000000 }, { "ms", 1000000000 } };
	unsigned __int128 n = 0;
	uint64_t scale = 1;
	const char *at = text;

	if (!isdigit((unsigned char)*at))
		return false;
	for (; isdigit((unsigned char)*at) && n < LONGEST_PS; at++)
		n = n * 10 + (unsigned)(*at - '0');
	if (*at == '.')
		for (at++; isdigit((unsigned char)*at) && scale < 1000000; at++, scale *= 10)
			n = n * 10 + (unsigned)(*at - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(at, units[i].name) != 0)
			continue;
		n = n * units[i].ps / scale;
		*ps = (uint64_t)n;
		return n <= LONGEST_PS;
	}
	return false;
}

static int no_counter(const char *name, struct error *err)
{
	struct suggestion near = suggest_for(name);

	for (size_t i = 0; i < COUNTERS; i++)
		suggest_offer(&near, counter_keys[i]);
	return error_set(err, ERROR_USAGE, "--cost: there is no counter '%s'%s%s%s", name,
			 near.best ? ": did you mean '" : "", near.best ? near.best : "",
			 near.best ? "'?" : "");
}

static int parse_one(struct cost *c, char *item, struct error *err)
{
	char *value = strchr(item, '=');
	enum counter id;

	if (!value)
		return error_set(err, ERROR_USAGE,
				 "--cost: '%s' must be COUNTER=TIME, as in tlbie=620ns, or seed",
				 item);
	*value++ = '\0';
	id = counter_of(item);
	if (id == COUNTERS)
		return no_counter(item, err);
	if (id > COUNT_TLBIE && id < COUNT_TLBIEL)
		return error_set(err, ERROR_USAGE,
				 "--cost: '%s' is a part of tlbie, which has one cost for all",
				 item);
	if (c->ps[id])
		return error_set(err, ERROR_USAGE, "--cost: '%s' is given twice", item);
	if (!parse_time(value, &c->ps[id]))
		return error_set(
			err, ERROR_USAGE,
			"--cost: '%s=%s' must be a time up to a second, such as 620ns, 1.5us or 2ms",
			item, value);
	return 0;
}

int cost_parse(struct cost *c, const char *text, struct error *err)
{
	char copy[512];
	char *rest = copy;
	char *item;

	*c = (struct cost){ .given = true };
	if (strcmp(text, "seed") == 0) {
		c->seed = true;
		c->ps[COUNT_TLBIE] = SEED_TLBIE_PS;
		return 0;
	}
	if (strlen(text) >= sizeof(copy))
		return error_set(err, ERROR_USAGE, "--cost=%.40s…: too long", text);
	memcpy(copy, text, strlen(text) + 1);
	while ((item = strsep(&rest, ",")))
		if (parse_one(c, item, err))
			return -1;
	return 0;
}

uint64_t cost_of(const struct cost *c, const struct tally *t)
{
	unsigned __int128 ps = 0;

	for (size_t i = 0; i < COUNTERS; i++)
		ps += (unsigned __int128)c->ps[i] * t->n[i];
	ps /= 1000;
	return ps > UINT64_MAX ? UINT64_MAX : (uint64_t)ps;
}
