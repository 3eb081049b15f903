/* SPDX-License-Identifier: GPL-2.0-or-later */
/* params.c - names, presets and parsing of the parameters. */
#include "analyze/params.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/observer.h"
#include "analyze/suggest.h"

#define PARAM_KEY(id, key, values, what) [id] = key,
const char *const param_keys[PARAMS] = { PARAMS_X(PARAM_KEY) };
#define PARAM_VALUES(id, key, values, what) [id] = values,
const char *const param_values[PARAMS] = { PARAMS_X(PARAM_VALUES) };
#define PARAM_TEXT(id, key, values, what) [id] = what,
const char *const param_texts[PARAMS] = { PARAMS_X(PARAM_TEXT) };

const char *const evidence_names[EVIDENCE_OPTION + 1] = { "default", "uname", "metadata", "trace",
							  "option" };

/* First release of each era, as major * 1000 + minor. */
static const unsigned era_starts[ERAS] = { 4009, 4015, 4018, 5004, 5009,
					   5012, 5014, 6003, 6004, 6006 };

static enum trim trim_of_era(unsigned era)
{
	if (era >= ERA_V5_12)
		return era >= ERA_V6_6 ? TRIM_V6_6 : TRIM_V5_12;
	if (era >= ERA_V4_18)
		return era >= ERA_V5_9 ? TRIM_V5_10 : TRIM_V4_18;
	return TRIM_NONE;
}

static uint64_t lazy_of_era(unsigned era)
{
	if (era < ERA_V6_4)
		return LAZY_REFCOUNT;
	return era >= ERA_V6_6 ? LAZY_COMBINED : LAZY_SHOOTDOWN;
}

struct params params_of_era(unsigned era)
{
	struct params p = { .v = {
				    [PARAM_ERA] = era,
				    [PARAM_CEILING] = 33,
				    [PARAM_LOCAL_CEILING] = era >= ERA_V4_15 ? 256 : 33,
				    [PARAM_COMPARE] = COMPARE_GT,
				    [PARAM_RANGE] = era >= ERA_V4_15 ? RANGE_VA : RANGE_MM,
				    [PARAM_TABLES] = era >= ERA_V4_15 ? TABLES_PWC : TABLES_ALL,
				    [PARAM_BARRIERS] = era >= ERA_V4_15 ? BARRIERS_REQUEST
									: BARRIERS_PAGE,
				    [PARAM_PWC] = era >= ERA_V5_14,
				    [PARAM_THP_PASS] = era >= ERA_V4_15,
				    [PARAM_FIXUPS] = FIXUPS_ERAT,
				    [PARAM_SETS] = 128,
				    [PARAM_TLBIE] = 1,
				    [PARAM_GTSE] = 1,
				    [PARAM_TRIM] = trim_of_era(era),
				    [PARAM_LAZY] = lazy_of_era(era),
				    [PARAM_PAGE_SIZE] = 65536,
				    [PARAM_LAZY_SKIP] = 1,
			    } };

	return p;
}

bool param_applies(enum param id, bool x86)
{
	if (id == PARAM_CEILING)
		return true;
	if (id == PARAM_TARGET || id == PARAM_VARIANT)
		return false;
	return x86 == (id >= PARAM_PTI);
}

unsigned params_trim_kind(const struct params *p)
{
	if (p->v[PARAM_TRIM] < TRIM_V5_12)
		return (unsigned)p->v[PARAM_TRIM];
	return p->v[PARAM_LAZY] == LAZY_COMBINED ? TRIM_V6_6 : TRIM_V5_12;
}

unsigned era_of_release(const char *release)
{
	char *end;
	unsigned long major;
	unsigned long minor;
	unsigned era = ERAS;

	if (*release == 'v')
		release++;
	if (!isdigit((unsigned char)*release))
		return ERAS;
	major = strtoul(release, &end, 10);
	if (*end != '.' || !isdigit((unsigned char)end[1]) || major > 99)
		return ERAS;
	minor = strtoul(end + 1, &end, 10);
	if (minor > 999)
		return ERAS;
	for (unsigned i = 0; i < ERAS; i++)
		if (major * 1000 + minor >= era_starts[i])
			era = i;
	return era;
}

/* The position of value among the names "a|b|c", or -1. */
static int find_name(const char *names, const char *value)
{
	size_t len = strlen(value);

	for (int i = 0;; i++) {
		const char *end = strchrnul(names, '|');

		if ((size_t)(end - names) == len && strncmp(names, value, len) == 0)
			return i;
		if (*end == '\0')
			return -1;
		names = end + 1;
	}
}

static int parse_number(const char *key, const char *text, uint64_t *value, struct error *err)
{
	char *end;
	unsigned long long n;
	unsigned shift = 0;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	if (shift)
		end++;
	if (!isdigit((unsigned char)*text) || *end != '\0')
		return error_set(err, ERROR_USAGE, "%s=%s: not a number (such as 33, 64K)", key,
				 text);
	if (errno || n > UINT64_MAX >> 21)
		return error_set(err, ERROR_USAGE, "%s=%s: too large: at most %" PRIu64, key, text,
				 UINT64_MAX >> 21);
	*value = (uint64_t)n << shift;
	return 0;
}

static int unknown_name(enum param id, const char *text, struct error *err)
{
	struct suggestion near = suggest_for(text);
	char names[64];
	char hint[64];
	char *rest = names;
	const char *name;

	(void)snprintf(names, sizeof(names), "%s", param_values[id]);
	while ((name = strsep(&rest, "|")))
		suggest_offer(&near, name);
	return error_set(err, ERROR_USAGE, "%s=%s: %smust be one of %s", param_keys[id], text,
			 suggest_text(&near, hint, sizeof(hint)), param_values[id]);
}

static int parse_name(enum param id, const char *text, uint64_t *value, struct error *err)
{
	int at = find_name(param_values[id], text);

	if (at < 0 && id == PARAM_ERA && era_of_release(text) < ERAS)
		at = (int)era_of_release(text);
	if (at < 0)
		return unknown_name(id, text, err);
	*value = (uint64_t)at;
	return 0;
}

int params_unknown_key(const char *key, bool (*offers)(const void *arg, enum param id),
		       const void *arg, struct error *err)
{
	struct suggestion near = suggest_for(key);
	char hint[64];
	char list[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < PARAMS && used < sizeof(list); i++) {
		if (!offers(arg, (enum param)i))
			continue;
		suggest_offer(&near, param_keys[i]);
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
					 param_keys[i]);
	}
	return error_set(err, ERROR_USAGE, "unknown key '%s': %smust be one of %s", key,
			 suggest_text(&near, hint, sizeof(hint)), list);
}

/* Of a kernel, as opposed to what a policy of another machine is about. */
static bool is_of_kernels(const void *arg, enum param id)
{
	(void)arg;
	return id != PARAM_TARGET && id != PARAM_VARIANT;
}

static int check_value(enum param id, uint64_t value, struct error *err)
{
	if ((id == PARAM_CEILING || id == PARAM_LOCAL_CEILING) && value > UINT32_MAX)
		return error_set(err, ERROR_USAGE, "%s: must be 0 to 4294967295", param_keys[id]);
	if (id == PARAM_PAGE_SIZE && value != 4096 && value != 65536)
		return error_set(err, ERROR_USAGE, "page-size: must be 4K or 64K");
	if (id == PARAM_SETS && (value == 0 || value > 4096))
		return error_set(err, ERROR_USAGE, "sets: must be 1 to 4096");
	if (id == PARAM_INVLPGB && value > INVLPGB_MOST)
		return error_set(err, ERROR_USAGE, "invlpgb: must be 0 to 65536");
	return 0;
}

enum param param_by_key(const char *key)
{
	for (size_t i = 0; i < PARAMS; i++)
		if (strcmp(param_keys[i], key) == 0)
			return (enum param)i;
	return PARAMS;
}

/* A kernel of v6.6 trims before a final flush, and so ends lazy TLB: trim=v6.6 and lazy=combined are
 * one thing. The key that was given decides, as far as the kernel has flush_type_needed(). */
static void agree_on_final_flush(struct params *p, enum param given)
{
	uint64_t *trim = &p->v[PARAM_TRIM];
	uint64_t *lazy = &p->v[PARAM_LAZY];

	if (given == PARAM_TRIM && *trim == TRIM_V6_6)
		*lazy = LAZY_COMBINED;
	else if (given == PARAM_TRIM && *lazy == LAZY_COMBINED)
		*lazy = LAZY_SHOOTDOWN;
	else if (given == PARAM_LAZY && *trim >= TRIM_V5_12)
		*trim = *lazy == LAZY_COMBINED ? TRIM_V6_6 : TRIM_V5_12;
}

/* All that an era decides: what the machine and its settings were stays. */
static void set_era(struct params *p, unsigned era)
{
	static const bool kept[PARAMS] = {
		[PARAM_FIXUPS] = true,	[PARAM_SETS] = true,   [PARAM_PAGE_SIZE] = true,
		[PARAM_TLBIE] = true,	[PARAM_GTSE] = true,   [PARAM_PTI] = true,
		[PARAM_INVLPGB] = true, [PARAM_TARGET] = true, [PARAM_VARIANT] = true,
	};
	struct params of = params_of_era(era);

	for (size_t i = 0; i < PARAMS; i++) {
		if (kept[i])
			continue;
		p->v[i] = of.v[i];
		params_name(p, (enum param)i);
	}
}

int params_set(struct params *p, const char *key, const char *value, enum param *which,
	       struct error *err)
{
	enum param id = param_by_key(key);
	uint64_t v = 0;

	if (id == PARAMS)
		return params_unknown_key(key, is_of_kernels, NULL, err);
	if (*param_values[id] ? parse_name(id, value, &v, err) : parse_number(key, value, &v, err))
		return -1;
	if (check_value(id, v, err))
		return -1;
	if (id == PARAM_ERA)
		set_era(p, (unsigned)v);
	p->v[id] = v;
	if (id == PARAM_TRIM || id == PARAM_LAZY)
		agree_on_final_flush(p, id);
	params_name(p, id);
	*which = id;
	return 0;
}

void param_format(enum param id, uint64_t value, char *buf, unsigned long len)
{
	const char *name = param_values[id];

	if (id == PARAM_PAGE_SIZE && value % 1024 == 0) {
		(void)snprintf(buf, len, "%" PRIu64 "K", value / 1024);
		return;
	}
	if (!*name) {
		(void)snprintf(buf, len, "%" PRIu64, value);
		return;
	}
	for (; value > 0 && name; value--) {
		name = strchr(name, '|');
		name = name ? name + 1 : NULL;
	}
	if (!name)
		name = "?";
	(void)snprintf(buf, len, "%.*s", (int)strcspn(name, "|"), name);
}
