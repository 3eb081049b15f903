/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests.c - a trace's rows as a sorted array. */
#include <stdio.h>
#include <stdlib.h>

#include "truth.h"

struct collector {
	struct requests *out;
	struct row_context ctx;
};

static bool take_row(void *arg, const struct row *row)
{
	struct requests *out = ((struct collector *)arg)->out;
	const struct flush *f = row->flush;

	if (out->n == out->room) {
		size_t room = out->room ? out->room * 2 : 1024;
		struct request *grown = reallocarray(out->item, room, sizeof(*grown));

		if (!grown)
			return false;
		out->item = grown;
		out->room = room;
	}
	out->item[out->n++] = (struct request){
		.record = row->record,
		.records = row->records,
		.start = row->start,
		.end = row->end,
		.cpu = f->cpu,
		.irq = f->irq,
		.local = f->local,
		.told = f->is_told,
		.by_va = f->shape == SHAPE_VA,
		.known = row->known,
	};
	return true;
}

static bool take_flush(void *arg, const struct flush *f)
{
	struct collector *c = arg;

	return rows_of(f, &c->ctx, take_row, arg);
}

static int by_place(const void *a, const void *b)
{
	const struct request *x = a;
	const struct request *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->irq != y->irq)
		return x->irq ? 1 : -1;
	return x->record < y->record ? -1 : x->record > y->record;
}

static unsigned shift_of(uint64_t page_size)
{
	return page_size == 4096 ? 12 : 16;
}

int requests_read(struct requests *r, struct model *m, const char *path, uint32_t ignore,
		  const char *recorded)
{
	struct collector c = { .out = r, .ctx.recorded = &m->used };
	struct trace_options opt = { .ignore = ignore };
	struct error err = { .class = ERROR_NONE };
	struct trace first;
	struct trace second;
	int status;

	*r = (struct requests){ .n = 0 };
	if (trace_read(&first, path, &opt, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	status = infer_model(m, &first, recorded, &err);
	c.ctx.classes = first.classes;
	c.ctx.base_shift = shift_of(m->used.v[PARAM_PAGE_SIZE]);
	opt.flush = take_flush;
	opt.flush_arg = &c;
	if (status == 0)
		status = trace_read(&second, path, &opt, &err);
	if (status == 0)
		trace_close(&second);
	else
		(void)fprintf(stderr, "%s\n", err.text);
	trace_close(&first);
	qsort(r->item, r->n, sizeof(*r->item), by_place);
	return status;
}

void requests_free(struct requests *r)
{
	free(r->item);
	*r = (struct requests){ .n = 0 };
}
