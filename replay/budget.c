/* SPDX-License-Identifier: GPL-2.0-or-later */
/* budget.c - parsing of budgets, and deciding them without rounding. */
#include "replay/budget.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/suggest.h"

#define DECIMALS 3
#define NS_PER_S 1000000000u
#define PERCENT 100u

const char *const verdict_names[VERDICTS] = { "holds", "exceeded", "undecided" };

static const char *skip_blank(const char *text)
{
	return text + strspn(text, " \t");
}

/*
 * A decimal number without sign, times 1000. Returns what follows it, or NULL where there is none, it
 * is too large, or has more decimals than that.
 */
static const char *scan_thousandths(const char *text, uint64_t *out)
{
	const char *start = text;
	int decimals = -1;
	uint64_t n = 0;

	for (; isdigit((unsigned char)*text) || (*text == '.' && decimals < 0 && text > start);
	     text++) {
		if (*text == '.') {
			decimals = 0;
			continue;
		}
		if (decimals == DECIMALS || __builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			return NULL;
		decimals += decimals >= 0;
	}
	if (text == start || decimals == 0)
		return NULL;
	for (int i = decimals < 0 ? 0 : decimals; i < DECIMALS; i++)
		if (__builtin_mul_overflow(n, 10u, &n))
			return NULL;
	*out = n;
	return text;
}

static const char *scan_suffix(const char *text, uint64_t *n)
{
	uint64_t times = 1;

	if (*text == 'k' || *text == 'K')
		times = 1000;
	else if (*text == 'M')
		times = 1000000;
	if (__builtin_mul_overflow(*n, times, n))
		return NULL;
	return text + (times > 1);
}

/* What stands behind the number: nothing, "/s" or "% of recorded". */
static bool scan_unit(const char *text, enum budget_unit *unit)
{
	text = skip_blank(text);
	*unit = BUDGET_COUNT;
	if (!*text)
		return true;
	if (strcmp(text, "/s") == 0) {
		*unit = BUDGET_PER_SECOND;
		return true;
	}
	if (*text != '%')
		return false;
	*unit = BUDGET_PERCENT;
	text = skip_blank(text + 1);
	if (strncmp(text, "of", 2) != 0)
		return false;
	return strcmp(skip_blank(text + 2), "recorded") == 0;
}

static bool scan_limit(struct budget *b, const char *text)
{
	const char *rest = scan_thousandths(skip_blank(text), &b->thousandths);

	rest = rest ? scan_suffix(rest, &b->thousandths) : NULL;
	return rest && scan_unit(rest, &b->unit);
}

static bool take_mm(struct budget *b, const char *text, size_t len)
{
	if (len <= 3 || len - 3 >= sizeof(b->mm) || strncmp(text, "mm:", 3) != 0)
		return false;
	memcpy(b->mm, text + 3, len - 3);
	b->mm[len - 3] = '\0';
	return true;
}

static size_t trimmed(const char *text, size_t len)
{
	while (len && isblank((unsigned char)text[len - 1]))
		len--;
	return len;
}

static int unknown_counter(const char *name, const char *text, struct error *err)
{
	struct suggestion near = suggest_for(name);
	char hint[64];
	char list[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < COUNTERS && used < sizeof(list); i++) {
		suggest_offer(&near, counter_keys[i]);
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 counter_keys[i]);
	}
	return error_set(err, ERROR_USAGE, "--budget='%s': no counter '%s': %smust be one of %s",
			 text, name, suggest_text(&near, hint, sizeof(hint)), list);
}

/* "mm:NAME COUNTER" or "COUNTER", of len characters; names may have blanks. */
static int parse_subject(struct budget *b, const char *text, size_t len, struct error *err)
{
	size_t end = trimmed(text, len);
	size_t start = end;
	char name[32];

	while (start && !isblank((unsigned char)text[start - 1]))
		start--;
	if (end - start >= sizeof(name))
		return error_set(err, ERROR_USAGE, "--budget='%s': no such counter", b->text);
	memcpy(name, text + start, end - start);
	name[end - start] = '\0';
	b->counter = counter_by_key(name);
	if (b->counter == COUNTERS)
		return unknown_counter(name, b->text, err);
	end = trimmed(text, start);
	if (end && !take_mm(b, text, end))
		return error_set(err, ERROR_USAGE,
				 "--budget='%s': before the counter only mm:NAME may stand",
				 b->text);
	return 0;
}

int budget_parse(struct budget *b, const char *text, struct error *err)
{
	const char *sign = strrchr(text, '<');

	*b = (struct budget){ .counter = COUNTERS };
	if (strlen(text) >= sizeof(b->text))
		return error_set(err, ERROR_USAGE, "--budget='%.40s…': too long", text);
	memcpy(b->text, text, strlen(text) + 1);
	if (!sign)
		return error_set(err, ERROR_USAGE,
				 "--budget='%s': must be COUNTER<=LIMIT or COUNTER<LIMIT", text);
	text = skip_blank(text);
	b->strict = sign[1] != '=';
	if (!scan_limit(b, sign + 1 + !b->strict))
		return error_set(
			err, ERROR_USAGE,
			"--budget='%s': the limit must be a number with k or M, and perhaps /s "
			"or %% of recorded: 60000, 2k/s, 90%% of recorded",
			b->text);
	return parse_subject(b, text, (size_t)(sign - text), err);
}

int percent_parse(const char *option, const char *text, uint64_t *thousandths, struct error *err)
{
	const char *rest = scan_thousandths(text, thousandths);

	if (!rest || strcmp(skip_blank(rest), "%") != 0)
		return error_set(err, ERROR_USAGE, "--%s=%s: must be a percentage such as 2%%",
				 option, text);
	return 0;
}

/* n * unit against limit * per, where both are thousandths: 64 x 64 bits fit in 128. */
static bool keeps_to(const struct budget *b, uint64_t n, uint64_t per)
{
	unsigned __int128 have = (unsigned __int128)n * 1000u;
	unsigned __int128 may = (unsigned __int128)b->thousandths * per;

	if (b->unit == BUDGET_PER_SECOND)
		have *= NS_PER_S;
	else if (b->unit == BUDGET_PERCENT)
		have *= PERCENT;
	return b->strict ? have < may : have <= may;
}

enum verdict budget_decide(const struct budget *b, const struct budget_case *c)
{
	uint64_t worst = 1;
	uint64_t best = 1;

	if (b->unit == BUDGET_PER_SECOND) {
		if (c->duration_ns == 0)
			return VERDICT_UNDECIDED;
		worst = best = c->duration_ns;
	} else if (b->unit == BUDGET_PERCENT) {
		worst = c->recorded_lo;
		best = c->recorded_hi;
	}
	if (keeps_to(b, c->hi, worst))
		return VERDICT_HOLDS;
	return keeps_to(b, c->lo, best) ? VERDICT_UNDECIDED : VERDICT_EXCEEDED;
}

static bool has_regressed(uint64_t before, uint64_t now, uint64_t regress)
{
	unsigned __int128 whole = UINT64_C(1000) * PERCENT;

	return now * whole > before * (whole + regress);
}

enum verdict regress_decide(uint64_t before_lo, uint64_t before_hi, uint64_t now_lo,
			    uint64_t now_hi, uint64_t regress)
{
	bool lo = has_regressed(before_lo, now_lo, regress);
	bool hi = has_regressed(before_hi, now_hi, regress);

	if (lo != hi)
		return VERDICT_UNDECIDED;
	return lo ? VERDICT_EXCEEDED : VERDICT_HOLDS;
}
