/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policies_json.c - the catalogue of policies as JSON, schema tlbtrace-policies/1: keys only grow. */
#include <stdio.h>
#include <string.h>

#include "cmd/output/json.h"
#include "cmd/policies.h"

/* The names between '|'. */
static void write_values(struct json_writer *j, const char *names)
{
	char name[32];

	jw_key(j, "values");
	jw_array(j);
	while (*names) {
		int len = (int)strcspn(names, "|");

		(void)snprintf(name, sizeof(name), "%.*s", len, names);
		jw_string(j, name);
		names += len + (names[len] == '|');
	}
	jw_array_end(j);
}

static void write_key(struct json_writer *j, const struct policy_kind *kind, enum param id,
		      const struct params *defaults)
{
	char value[48];

	jw_key(j, param_keys[id]);
	jw_object(j);
	jw_key_string(j, "what", policy_key_text(kind, id));
	if (*param_values[id]) {
		write_values(j, policy_key_values(kind, id));
		param_format(id, defaults->v[id], value, sizeof(value));
		jw_key_string(j, "default", value);
	} else {
		jw_key_u64(j, "default", defaults->v[id]);
	}
	jw_key_bool(j, "can_change", policy_can_change(id));
	jw_object_end(j);
}

static void write_kind(struct json_writer *j, const struct policy_kind *kind)
{
	struct params defaults = policy_defaults(kind);

	jw_object(j);
	jw_key_string(j, "name", kind->name);
	jw_key_string(j, "what", kind->what);
	jw_key_string(j, "models", kind->models);
	jw_key_string(j, "needs", kind->needs);
	jw_key_string(j, "uncertain", kind->uncertain);
	jw_key(j, "keys");
	jw_object(j);
	for (size_t i = 0; i < PARAMS; i++)
		if (policy_takes(kind, (enum param)i))
			write_key(j, kind, (enum param)i, &defaults);
	jw_object_end(j);
	jw_key(j, "counters");
	jw_object(j);
	for (const enum counter *c = kind->counters; *c != COUNTERS; c++)
		jw_key_string(j, counter_keys[*c], counter_texts[*c]);
	jw_object_end(j);
	jw_object_end(j);
}

void policies_json(struct sink *s, const struct policy_kind *one)
{
	struct json_writer j;

	jw_begin(&j, s->f);
	jw_object(&j);
	jw_key_string(&j, "schema", "tlbtrace-policies/1");
	jw_key(&j, "policies");
	jw_array(&j);
	for (size_t i = 0; i < n_policy_kinds; i++)
		if (!one || one == &policy_kinds[i])
			write_kind(&j, &policy_kinds[i]);
	jw_array_end(&j);
	jw_object_end(&j);
	jw_end(&j);
}
