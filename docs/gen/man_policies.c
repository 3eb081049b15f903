/* SPDX-License-Identifier: GPL-2.0-or-later */
/* man_policies.c - tlbtrace-policies(7), from the catalogue that parses policies. */
#include "docs/gen/gen.h"
#include "docs/gen/roff.h"
#include "replay/policy.h"

static const char about[] =
	"A policy is what a kernel does when it is asked to flush TLB entries: page by page or all at "
	"once, on which CPUs, with which instructions. tlbtrace replays the requests of a trace under "
	"the policy of the recorded kernel, as it was found, and under alternatives.\n"
	"\n"
	"An alternative is written NAME,key=value,... and given as --policy=, which may be repeated: all "
	"are computed in one reading. Keys that are not given stay as they were recorded; era is a preset "
	"for those that follow it in the list below, and is therefore given first. --ceiling, "
	"--local-ceiling and --compare are short for one alternative of the recorded kernel's policy.\n"
	"\n"
	"What the recorded kernel was is found from the trace itself, then from what the file says, then "
	"from its release; --recorded=key=value,... overrides that with the keys of radix and x86. "
	"tlbtrace info shows what was found, and from what.\n"
	"\n"
	"Every number is an interval: exact where both ends are the same. Under each policy stands what "
	"it cannot know.\n";

static void write_keys(FILE *f, const struct policy_kind *kind)
{
	struct params defaults = policy_defaults(kind);

	(void)fputs(".PP\nKeys, their values, and the default where the trace tells nothing:\n", f);
	for (size_t i = 0; i < PARAMS; i++) {
		char value[48], text[512];

		if (!policy_takes(kind, (enum param)i))
			continue;
		param_format((enum param)i, defaults.v[i], value, sizeof(value));
		(void)snprintf(text, sizeof(text), "%s (default %s): %s.%s",
			       *param_values[i] ? param_values[i] : "a number", value,
			       param_texts[i],
			       policy_can_change((enum param)i)
				       ? ""
				       : " Only as recorded: an alternative cannot change it.");
		roff_term(f, param_keys[i], text);
	}
}

static void write_counters(FILE *f, const struct policy_kind *kind)
{
	(void)fputs(".PP\nWhat it predicts:\n", f);
	for (const enum counter *c = kind->counters; *c != COUNTERS; c++)
		roff_term(f, counter_keys[*c], counter_texts[*c]);
}

static void write_paragraph(FILE *f, const char *lead, const char *text)
{
	(void)fprintf(f, ".PP\n\\fI%s\\fR\n", lead);
	roff_lines(f, text);
}

static void write_kind(FILE *f, const struct policy_kind *kind)
{
	(void)fprintf(f, ".SH ");
	roff_string(f, kind->name);
	(void)fputc('\n', f);
	roff_lines(f, kind->what);
	write_paragraph(f, "Models", kind->models);
	write_paragraph(f, "Needs", kind->needs);
	write_paragraph(f, "Cannot tell", kind->uncertain);
	write_keys(f, kind);
	write_counters(f, kind);
}

void man_policies(FILE *f, const char *date)
{
	roff_title(f, "tlbtrace-policies", 7, date);
	(void)fputs(".SH NAME\ntlbtrace\\-policies \\- TLB flush policies that tlbtrace replays\n",
		    f);
	roff_prose(f, "description", about);
	for (size_t i = 0; i < n_policy_kinds; i++)
		write_kind(f, &policy_kinds[i]);
	(void)fputs(".SH \"SEE ALSO\"\n"
		    ".BR tlbtrace\\-whatif (1),\n"
		    ".BR tlbtrace\\-policies (1),\n"
		    ".BR tlbtrace\\-verify (1),\n"
		    ".BR tlbtrace\\-formats (5)\n",
		    f);
}
