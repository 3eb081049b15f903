/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prediction.c - all classes of a trace under a policy. */
#include <stdlib.h>

#include "replay/kinds.h"
#include "replay/predict.h"
#include "replay/stateful.h"

/* Where masks decide, each class is looked at: it matters whose it is. */
static int predict_classes(struct prediction *out, const struct trace *t,
			   const struct model *recorded, const struct params *alt,
			   predict_filter filter, void *arg)
{
	const struct class *c = NULL;

	*out = (struct prediction){ .n_mms = mm_count(trace_mms(t)) + 1 };
	out->by_mm = calloc(out->n_mms, sizeof(*out->by_mm));
	if (!out->by_mm)
		return -1;
	while ((c = class_next_counted(t->classes, c))) {
		size_t mm = c->key.mm == CLASS_NO_MM ? out->n_mms - 1 : c->key.mm;
		struct counts all;

		if (filter && !filter(arg, c))
			continue;
		all = stateful_class(c, alt, recorded,
				     class_calls(t->classes, c->key.mm, c->key.cause));
		counts_add(&out->by_mm[mm], &all, 1);
	}
	for (size_t mm = 0; mm < out->n_mms; mm++)
		counts_add(&out->total, &out->by_mm[mm], 1);
	return 0;
}

int predict(struct prediction *out, const struct trace *t, const struct model *recorded,
	    const struct params *alt, predict_filter filter, void *arg)
{
	struct kinds kinds;
	int status;

	if (stateful_decides(alt, recorded))
		return predict_classes(out, t, recorded, alt, filter, arg);
	*out = (struct prediction){ .n_mms = 0 };
	if (kinds_find(&kinds, t, recorded, filter, arg))
		return -1;
	status = kinds_predict(out, &kinds, recorded, alt);
	kinds_free(&kinds);
	return status;
}

void prediction_free(struct prediction *p)
{
	free(p->by_mm);
	*p = (struct prediction){ .n_mms = 0 };
}
