/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_tlbsum.c - any bytes as a summary: as its file, and as the contents that the checksum protects.
 *
 * What is read has one spelling, can be added to itself, and answers every question without harm.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/infer.h"
#include "drain.h"
#include "replay/stateful.h"
#include "replay/summary_fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct trace *t, const struct watch *w, const char *recorded,
		const enum param *changed, uint64_t value)
{
	const struct follower *f = watch_follower(w);
	struct error err = { .class = ERROR_NONE };
	struct model model;
	struct params alt;
	struct prediction p;

	must(!infer_model(&model, t, recorded, &err));
	if (f)
		stateful_infer(&model, f);
	alt = model.used;
	if (changed)
		alt.v[*changed] = value;
	must(!predict(&p, t, &model, &alt, NULL, NULL));
	prediction_free(&p);
	if (!f)
		return;
	(void)stateful_rest(f, &alt, &model.used);
	(void)stateful_doubts(f, &alt);
	for (uint32_t cpu = 0; cpu < follower_cpus(f); cpu++)
		(void)stateful_ipis_to(f, &alt, cpu);
}

static void ask_all(const struct summary_group *g)
{
	static const enum param ceiling = PARAM_CEILING;
	static const enum param trim = PARAM_TRIM;
	static const enum param tlbie = PARAM_TLBIE;
	struct error err = { .class = ERROR_NONE };
	struct watch *watch;
	struct fidelity fidelity;
	struct trace t;

	must(!summary_give(g, "fuzz", true, &t, &watch, &err));
	ask(&t, watch, NULL, NULL, 0);
	ask(&t, watch, NULL, &ceiling, 3);
	ask(&t, watch, NULL, &trim, TRIM_NONE);
	ask(&t, watch, "ceiling=33", &tlbie, 0);
	predict_fidelity(&fidelity, &t, &t.kept->model, NULL, NULL);
	watch_free(watch);
	trace_close(&t);
}

/* The contents as they are written; to be freed. */
static struct code written(struct summary *s)
{
	struct code c = { .writing = true };

	summary_code(&c, s);
	must(code_ok(&c));
	return c;
}

/* What was written is read as it was. */
static void check_spelling(const struct code *c)
{
	struct error err = { .class = ERROR_NONE };
	struct summary s;
	struct code again;

	must(!summary_decode(&s, c->out, c->n, "fuzz", &err));
	again = written(&s);
	must(again.n == c->n && !memcmp(again.out, c->out, c->n));
	summary_free(&s);
	free(again.out);
}

static void use(struct summary *s)
{
	struct error err = { .class = ERROR_NONE };
	struct summary sum = { .n_groups = 0 };
	struct code again = written(s);

	check_spelling(&again);
	for (size_t i = 0; i < s->n_groups; i++)
		ask_all(&s->groups[i]);
	if (summary_add(&sum, s, true, "fuzz", &err) == 0) {
		struct summary twice;

		must(!summary_decode(&twice, again.out, again.n, "fuzz", &err));
		must(!summary_add(&sum, &twice, true, "fuzz", &err) || err.class == ERROR_USAGE);
		summary_free(&twice);
		for (size_t i = 0; i < sum.n_groups; i++)
			ask_all(&sum.groups[i]);
	}
	summary_free(&sum);
	free(again.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { .class = ERROR_NONE };
	struct summary s;
	int status;

	if (summary_unpack(&s, data, size, "fuzz", &err) == 0) {
		use(&s);
		summary_free(&s);
	} else {
		must(err.class != ERROR_NONE && err.text[0]);
	}
	status = summary_decode(&s, data, size, "fuzz", &err);
	must(!status || err.text[0]);
	if (status)
		return 0;
	use(&s);
	summary_free(&s);
	return 0;
}
