/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy.c - parsing of alternatives. */
#include "replay/policy.h"

#include <stdio.h>
#include <string.h>

static const enum counter radix_counters[] = {
	COUNT_FLUSHES,	 COUNT_PROMOTED,    COUNT_TLBIE,	COUNT_TLBIE_VA,	  COUNT_TLBIE_PID,
	COUNT_TLBIE_PWC, COUNT_TLBIE_FIXUP, COUNT_TLBIE_KERNEL, COUNT_TLBIE_LPID, COUNT_TLBIE_HASH,
	COUNT_TLBIEL,	 COUNT_PTESYNC,	    COUNT_TLBSYNC,	COUNTERS,
};

const struct policy_kind policy_kinds[] = {
	{ "radix", "the radix MMU code of POWER: the recorded kernel, with what the keys change",
	  radix_counters },
};
const size_t n_policy_kinds = sizeof(policy_kinds) / sizeof(*policy_kinds);

static const struct policy_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < n_policy_kinds; i++)
		if (strcmp(policy_kinds[i].name, name) == 0)
			return &policy_kinds[i];
	return NULL;
}

static int unknown_kind(const char *name, struct error *err)
{
	char list[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < n_policy_kinds && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 policy_kinds[i].name);
	return error_set(err, ERROR_USAGE, "unknown policy '%s': must be one of %s", name, list);
}

/* Applies "key=value,…", which is cut up. Each key may come once. */
static int apply_changes(char *changes, struct params *p, struct error *err)
{
	bool given[PARAMS] = { false };
	char *item;

	while ((item = strsep(&changes, ","))) {
		char *value = strchr(item, '=');
		enum param which;

		if (!value)
			return error_set(err, ERROR_USAGE,
					 "'%s': must be key=value, as in radix,ceiling=31", item);
		*value++ = '\0';
		if (params_set(p, item, value, &which, err))
			return -1;
		if (given[which])
			return error_set(err, ERROR_USAGE,
					 "'%s' is given twice: each --policy is one alternative",
					 item);
		given[which] = true;
	}
	return 0;
}

/* The changes in a writable copy of the policy's text, NULL where there are none. */
static char *split_name(char *text)
{
	char *rest = text;

	(void)strsep(&rest, ",");
	return rest;
}

int policy_parse(struct policy *p, const char *spec, struct error *err)
{
	struct params scratch = params_of_era(ERA_V5_14);
	char copy[sizeof(p->text)];
	char *changes;

	if (strlen(spec) >= sizeof(p->text))
		return error_set(err, ERROR_USAGE, "policy '%.40s…': too long", spec);
	memcpy(p->text, spec, strlen(spec) + 1);
	memcpy(copy, spec, strlen(spec) + 1);
	changes = split_name(copy);
	p->kind = find_kind(copy);
	if (!p->kind)
		return unknown_kind(copy, err);
	return apply_changes(changes, &scratch, err);
}

/* What classes cannot answer: it changes which requests are made, or where they run. */
static int check_predictable(const struct policy *p, const struct params *recorded,
			     const struct params *out, struct error *err)
{
	static const enum param fixed[] = { PARAM_PAGE_SIZE, PARAM_TLBIE };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		enum param id = fixed[i];
		char was[32];

		if (out->v[id] == recorded->v[id])
			continue;
		param_format(id, recorded->v[id], was, sizeof(was));
		return error_set(err, ERROR_USAGE,
				 "policy '%s': %s was %s when this was recorded, and what another "
				 "value does cannot be predicted from it",
				 p->text, param_keys[id], was);
	}
	return 0;
}

int policy_resolve(const struct policy *p, const struct params *recorded, struct params *out,
		   struct error *err)
{
	char copy[sizeof(p->text)];

	memcpy(copy, p->text, sizeof(copy));
	*out = *recorded;
	if (apply_changes(split_name(copy), out, err))
		return -1;
	return check_predictable(p, recorded, out, err);
}
