/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_csv.c - the answer as CSV (RFC 4180, \n line ends): one counter a row. */
#include <inttypes.h>

#include "cmd/output/csv.h"
#include "cmd/whatif.h"

static void write_rows(FILE *f, const char *input, const char *policy, const struct counts *c,
		       const enum counter *which)
{
	for (; *which != COUNTERS; which++) {
		csv_text(f, input);
		(void)fputc(',', f);
		csv_text(f, policy);
		(void)fprintf(f, ",%s,%" PRIu64 ",", counter_keys[*which], c->lo.n[*which]);
		/* Empty where no reading is to be preferred. */
		if (!c->open || c->lo.n[*which] == c->hi.n[*which])
			(void)fprintf(f, "%" PRIu64, c->likely.n[*which]);
		(void)fprintf(f, ",%" PRIu64 "\n", c->hi.n[*which]);
	}
}

static void write_sweep(FILE *f, const struct whatif *w, const struct whatif_result *r)
{
	const enum counter *counters = policy_kind_of_machine(r->x86)->counters;
	char policy[320];

	for (size_t row = 0; row < r->sweep.n_rows; row++) {
		struct counts counts = sweep_row(&r->sweep, row);

		whatif_row_policy(w, r, row, policy, sizeof(policy));
		write_rows(f, r->path, policy, &counts, counters);
	}
}

void whatif_csv(struct sink *s, const struct whatif *w)
{
	(void)fputs("input,policy,counter,lo,likely,hi\n", s->f);
	for (size_t i = 0; i < w->n_results; i++) {
		const struct whatif_result *r = &w->results[i];
		struct counts recorded = counts_exact(&r->recorded);

		if (r->trace.asked) {
			write_rows(s->f, r->path, "computed", &r->derived,
				   policy_kind_of_machine(r->x86)->counters);
		} else {
			write_rows(s->f, r->path, "recorded", &recorded,
				   whatif_recorded_counters(r->x86));
			write_rows(s->f, r->path, "recorded", &r->derived,
				   whatif_derived_counters(r->x86));
		}
		for (size_t k = 0; k < w->n_policies; k++)
			write_rows(s->f, r->path, w->policies[k].text, &r->answers[k].total,
				   w->policies[k].kind->counters);
		write_sweep(s->f, w, r);
	}
}
