/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_options.c - any words as the values of options, as policies and as whole command lines: each
 * is taken, or refused with a message of usage. What a policy is spelt as parses to the same policy.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/values.h"
#include "drain.h"
#include "replay/budget.h"
#include "replay/policy.h"

#define MAX_TEXT 512
#define MAX_WORDS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int status, const struct error *err)
{
	must(status == 0 || (status == -1 && err->class == ERROR_USAGE && err->text[0]));
}

static void try_policy(const char *text)
{
	struct error err = { .class = ERROR_NONE };
	struct policy p, again;
	int status = policy_parse(&p, text, &err);

	check(status, &err);
	if (status)
		return;
	must(!policy_parse(&again, p.text, &err) && again.kind == p.kind);
	must(!strcmp(again.text, p.text));
}

static void try_params(const char *text)
{
	struct params params = params_of_era(ERA_V5_14);
	struct error err = { .class = ERROR_NONE };
	char copy[MAX_TEXT];
	enum param which;
	char *value;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	value = strchr(copy, '=');
	if (!value)
		return;
	*value++ = '\0';
	check(params_set(&params, copy, value, &which, &err), &err);
}

static void try_values(const char *text)
{
	static const char *const words[] = { "requests", "syscalls", "metadata", NULL };
	struct error err = { .class = ERROR_NONE };
	struct trace_filter filter = { .by_cpu = false };
	struct period period = { .is_share = false };
	uint64_t thousandths;
	struct budget budget;
	uint32_t bits = 0;
	size_t at;
	int status;

	status = value_period("time", text, &period, &err);
	check(status, &err);
	must(status || period.from <= period.to);
	check(value_cpus("cpu", text, &filter, &err), &err);
	check(value_word("format", text, words, &at, &err), &err);
	check(value_words("ignore", text, words, &bits, &err), &err);
	check(percent_parse("tolerance", text, &thousandths, &err), &err);
	check(budget_parse(&budget, text, &err), &err);
}

static int take_option(void *arg, int id, const char *value, struct error *err)
{
	return common_option(arg, id, value, err);
}

/* Words are separated by newlines. */
static void try_command_line(char *text)
{
	static const struct option_group *const groups[] = { &common_input_options,
							     &common_output_options, NULL };
	struct common common = { .n_inputs = 0 };
	struct error err = { .class = ERROR_NONE };
	char *argv[MAX_WORDS + 2] = { (char[]){ "whatif" } };
	int argc = 1, operands = 0;

	for (char *word = strsep(&text, "\n"); word && argc <= MAX_WORDS; word = strsep(&text, "\n"))
		argv[argc++] = word;
	check(options_parse(groups, argc, argv, take_option, &common, &operands, &err), &err);
	common_free(&common);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[MAX_TEXT];

	if (size >= sizeof(text))
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	try_policy(text);
	try_params(text);
	try_values(text);
	try_command_line(text);
	return 0;
}
