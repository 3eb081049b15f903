/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prediction.c - all classes of a trace under a policy. */
#include <stdlib.h>

#include "replay/kinds.h"
#include "replay/predict.h"

int predict(struct prediction *out, const struct trace *t, const struct model *recorded,
	    const struct params *alt, predict_filter filter, void *arg)
{
	struct kinds kinds;
	int status;

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
