/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prediction.c - all classes of a trace under a policy. */
#include <stdlib.h>

#include "replay/predict.h"
#include "replay/prices.h"

int predict(struct prediction *out, const struct trace *t, const struct model *recorded,
	    const struct params *alt, predict_filter filter, void *arg)
{
	struct prices prices = { .alt = alt, .recorded = recorded };
	const struct class *c = NULL;

	*out = (struct prediction){ .n_mms = mm_count(trace_mms(t)) + 1 };
	out->by_mm = calloc(out->n_mms, sizeof(*out->by_mm));
	if (!out->by_mm)
		return -1;
	while ((c = class_next_counted(t->classes, c))) {
		const struct call_evidence *calls = class_calls(t->classes, c->key.mm, c->key.cause);
		size_t mm = c->key.mm == CLASS_NO_MM ? out->n_mms - 1 : c->key.mm;
		const struct counts *one;
		uint64_t times;

		if (filter && !filter(arg, c))
			continue;
		one = prices_of(&prices, c, calls, &times);
		counts_add(&out->total, one, times);
		counts_add(&out->by_mm[mm], one, times);
	}
	prices_free(&prices);
	return 0;
}

void prediction_free(struct prediction *p)
{
	free(p->by_mm);
	*p = (struct prediction){ .n_mms = 0 };
}
