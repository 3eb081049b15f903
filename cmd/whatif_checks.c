/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_checks.c - budgets and fidelity of an answer. */
#include "cmd/whatif_checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/baseline.h"
#include "cmd/output/number.h"
#include "cmd/whatif.h"

int demands_add_budget(struct demands *d, const char *text, struct error *err)
{
	struct budget *more = reallocarray(d->budgets, d->n_budgets + 1, sizeof(*more));

	if (!more)
		return error_set(err, ERROR_ENVIRONMENT, "out of memory");
	d->budgets = more;
	if (budget_parse(&more[d->n_budgets], text, err))
		return -1;
	d->n_budgets++;
	return 0;
}

struct check *checks_add(struct checks *c, struct error *err)
{
	struct check *more = reallocarray(c->list, c->n + 1, sizeof(*more));

	if (!more) {
		(void)error_set(err, ERROR_ENVIRONMENT, "out of memory");
		return NULL;
	}
	c->list = more;
	more[c->n] = (struct check){ .input = NULL };
	return &more[c->n++];
}

/* One budget, of one input and one policy: an alternative, or the recorded one (NULL). */
struct subject {
	const struct budget *budget;
	const struct whatif_result *r;
	const struct whatif_answer *answer;
	const struct common *common;
	struct common only; /* selects the budget's mm */
};

static bool selects(void *arg, const struct class *class)
{
	const struct subject *s = arg;

	return common_selects(s->common, &s->r->trace, class) &&
	       common_selects(&s->only, &s->r->trace, class);
}

static const struct params *params_of(const struct subject *s)
{
	return s->answer ? &s->answer->params : &s->r->model.used;
}

/* Whether the recording itself holds the counter, as opposed to its being computed. */
static bool is_recorded(const struct subject *s)
{
	if (s->r->trace.asked)
		return false;
	for (const enum counter *c = whatif_recorded_counters(s->r->x86); *c != COUNTERS; c++)
		if (*c == s->budget->counter)
			return true;
	return false;
}

/* The counts of one mm under params, into *out. Returns -1 where memory is short. */
static int predict_mm(struct counts *out, struct subject *s, const struct params *params)
{
	struct prediction p;

	if (predict(&p, &s->r->trace, &s->r->model, params, selects, s))
		return -1;
	*out = p.total;
	prediction_free(&p);
	return 0;
}

/* What the recorded policy has of the counter. */
static int find_recorded(struct counts *out, struct subject *s)
{
	bool one_mm = *s->budget->mm;
	struct fidelity f;

	if (!is_recorded(s)) {
		*out = s->r->derived;
		return one_mm ? predict_mm(out, s, &s->r->model.used) : 0;
	}
	*out = counts_exact(&s->r->recorded);
	if (one_mm) {
		predict_fidelity(&f, &s->r->trace, &s->r->model, selects, s);
		*out = counts_exact(&f.recorded);
	}
	return 0;
}

static int find_case(struct budget_case *out, struct subject *s, struct error *err)
{
	enum counter counter = s->budget->counter;
	struct counts recorded;
	struct counts now;
	int status = find_recorded(&recorded, s);

	now = s->answer ? s->answer->total : recorded;
	if (status == 0 && s->answer && *s->budget->mm)
		status = predict_mm(&now, s, params_of(s));
	if (status)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", s->r->path);
	*out = (struct budget_case){
		.lo = now.lo.n[counter],
		.hi = now.hi.n[counter],
		.recorded_lo = recorded.lo.n[counter],
		.recorded_hi = recorded.hi.n[counter],
		.duration_ns = common_duration(s->common, &s->r->trace),
	};
	return 0;
}

static bool has_mm(const struct subject *s)
{
	const struct mm_table *mms = trace_mms(&s->r->trace);
	char tgid[16];

	for (uint32_t i = 0; i < mm_count(mms); i++) {
		const struct mm *mm = mm_by_index(mms, i);

		if (!mm) /* an index that is free since mms were folded */
			continue;
		(void)snprintf(tgid, sizeof(tgid), "%" PRId32, mm->tgid);
		if (strcmp(mm->name, s->budget->mm) == 0 || strcmp(tgid, s->budget->mm) == 0)
			return true;
	}
	return false;
}

/* Text that grows; what has no room is cut. */
static void append(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text + len, size - len, fmt, ap);
	va_end(ap);
}

/* What to record so that the interval closes. */
static const char *advice(const struct subject *s)
{
	const struct doubt *doubts = s->answer ? s->answer->doubts : s->r->doubts;
	enum doubt_reason widest = DOUBT_CENSORED;

	if (s->r->x86 && s->budget->counter == COUNT_IPIS)
		return "record ipi:ipi_send_cpu and ipi:ipi_send_cpumask (v6.4)";
	if (s->r->x86)
		return "record with a higher ceiling, or a probe on flush_tlb_mm_range";
	for (int i = 0; i < DOUBTS; i++)
		if (doubts[i].width > doubts[widest].width)
			widest = (enum doubt_reason)i;
	switch (widest) {
	case DOUBT_NO_CALLS:
		return "record the entry and exit of the system calls that unmap";
	case DOUBT_CALL:
		return "record probes on radix__tlb_flush and radix__flush_tlb_range";
	case DOUBT_OUTSIDE:
		return "record probes on radix__flush_tlb_range and radix__flush_tlb_page";
	case DOUBT_NESTED:
		return "record a probe on radix__tlb_flush";
	case DOUBT_SCOPE:
		return "begin to record before the program does";
	default:
		return "record with a higher ceiling, or probes on radix__tlb_flush and "
		       "radix__flush_tlb_range";
	}
}

/* "243", or "1111 to 3761". */
static void append_range(char *text, size_t size, uint64_t lo, uint64_t hi)
{
	append(text, size, "%" PRIu64, lo);
	if (lo != hi)
		append(text, size, " to %" PRIu64, hi);
}

static void explain(struct check *check, const struct subject *s, const struct budget_case *c)
{
	const struct budget *b = s->budget;
	size_t size = sizeof(check->why);

	append(check->why, size, "%s is ", counter_keys[b->counter]);
	append_range(check->why, size, c->lo, c->hi);
	if (b->unit == BUDGET_PER_SECOND && c->duration_ns)
		append(check->why, size, " in %s s", number_seconds(c->duration_ns).text);
	else if (b->unit == BUDGET_PER_SECOND)
		append(check->why, size, " and the trace has no times");
	if (b->unit == BUDGET_PERCENT) {
		append(check->why, size, ", recorded ");
		append_range(check->why, size, c->recorded_lo, c->recorded_hi);
	}
	if (check->verdict == VERDICT_UNDECIDED &&
	    (c->lo != c->hi || c->recorded_lo != c->recorded_hi))
		append(check->why, size, ". To decide it, %s", advice(s));
}

/* Why a check that holds for what was read says nothing of what happened; NULL where it does. */
static const char *what_is_missing(const struct whatif_result *r, const struct common *c)
{
	const struct source_info *info = r->trace.info;
	bool filtered = c->mm || c->trace.filter.by_cpu || c->trace.filter.by_time ||
			c->share.is_share || *c->trace.filter.comm;

	if (r->derived.hi.n[COUNT_FLUSHES] == 0 && filtered)
		return "the filter selects no flush";
	if (r->trace.interrupted)
		return "reading was interrupted";
	if (info->truncated)
		return "the file is cut off or damaged";
	return info->lost_events || info->lost_unknown ? "events were lost while recording" : NULL;
}

static int run_budget(struct checks *out, struct subject *s, struct error *err)
{
	struct check *check = checks_add(out, err);
	struct budget_case c = { .lo = 0 };

	if (!check || find_case(&c, s, err))
		return -1;
	(void)snprintf(check->check, sizeof(check->check), "%s", s->budget->text);
	check->input = s->r->path;
	check->policy = s->answer ? s->answer->policy->text : NULL;
	check->verdict = budget_decide(s->budget, &c);
	if (*s->budget->mm && !has_mm(s)) {
		/* A misspelt name must not pass for a program that flushes nothing. */
		check->verdict = VERDICT_UNDECIDED;
		(void)snprintf(check->why, sizeof(check->why),
			       "the trace has no address space of the name or tgid '%s'",
			       s->budget->mm);
		return 0;
	}
	explain(check, s, &c);
	if (check->verdict == VERDICT_HOLDS && what_is_missing(s->r, s->common)) {
		check->verdict = VERDICT_UNDECIDED;
		append(check->why, sizeof(check->why), ", but %s", what_is_missing(s->r, s->common));
	}
	return 0;
}

static bool has_counter(const struct subject *s)
{
	const enum counter *c = s->answer ? s->answer->policy->kind->counters
					  : policy_kind_of_machine(s->r->x86)->counters;

	for (; *c != COUNTERS; c++)
		if (*c == s->budget->counter)
			return true;
	return false;
}

static int no_counter(const struct subject *s, struct error *err)
{
	const struct policy_kind *kind = s->answer ? s->answer->policy->kind
						   : policy_kind_of_machine(s->r->x86);
	char has[512] = "";

	for (const enum counter *c = kind->counters; *c != COUNTERS; c++)
		append(has, sizeof(has), "%s%s", *has ? ", " : "", counter_keys[*c]);
	return error_set(err, ERROR_USAGE, "--budget='%s': policy '%s' has no counter '%s', but %s",
			 s->budget->text, kind->name, counter_keys[s->budget->counter], has);
}

static int run_budgets(struct checks *out, const struct budget *b, const struct whatif *w,
		       const struct whatif_result *r, const struct common *c, struct error *err)
{
	struct subject s = { .budget = b, .r = r, .common = c };

	s.only.mm = *b->mm ? b->mm : NULL;
	if (w->n_policies == 0)
		return has_counter(&s) ? run_budget(out, &s, err) : no_counter(&s, err);
	for (size_t i = 0; i < w->n_policies; i++) {
		s.answer = &r->answers[i];
		if (!has_counter(&s))
			return no_counter(&s, err);
		if (run_budget(out, &s, err))
			return -1;
	}
	return 0;
}

/* exact / flushes >= limit. A trace without flushes has nothing that could be misunderstood. */
static int run_fidelity(struct checks *out, const struct demands *d, const struct whatif_result *r,
			const struct common *c, struct error *err)
{
	const struct fidelity *f = &r->fidelity;
	struct check *check = checks_add(out, err);

	if (!check)
		return -1;
	(void)snprintf(check->check, sizeof(check->check), "min-fidelity %s", d->min_fidelity);
	check->input = r->path;
	if ((unsigned __int128)f->exact * 100000u < (unsigned __int128)d->fidelity * f->flushes)
		check->verdict = VERDICT_EXCEEDED;
	(void)snprintf(check->why, sizeof(check->why),
		       "%" PRIu64 " of %" PRIu64 " groups of records replay exactly (%s %%)",
		       f->exact, f->flushes,
		       f->flushes ? number_percent(f->exact, f->flushes).text : "100.00");
	if (f->flushes)
		return 0;
	if (f->asked) {
		check->verdict = VERDICT_UNDECIDED;
		(void)snprintf(check->why, sizeof(check->why),
			       "only requests were recorded, and no instructions to compare");
	} else if (f->unmodelled) {
		check->verdict = VERDICT_UNDECIDED;
		(void)snprintf(check->why, sizeof(check->why),
			       "what was recorded is not modelled: the hash MMU, or guests");
	} else if (what_is_missing(r, c)) {
		check->verdict = VERDICT_UNDECIDED;
		(void)snprintf(check->why, sizeof(check->why), "%s", what_is_missing(r, c));
	}
	return 0;
}

static int run_result(struct checks *out, const struct demands *d, const struct whatif *w,
		      const struct whatif_result *r, const struct common *c, struct error *err)
{
	for (size_t i = 0; i < d->n_budgets; i++)
		if (run_budgets(out, &d->budgets[i], w, r, c, err))
			return -1;
	return d->min_fidelity ? run_fidelity(out, d, r, c, err) : 0;
}

/* The first input's that has one. */
static const char *what_any_misses(const struct whatif *w, const struct common *c)
{
	const char *missing = NULL;

	for (size_t i = 0; i < w->n_results && !missing; i++)
		missing = what_is_missing(&w->results[i], c);
	return missing;
}

int checks_run(struct checks *out, const struct demands *d, const struct whatif *w,
	       const struct common *c, struct error *err)
{
	*out = (struct checks){ .n = 0 };
	for (size_t i = 0; i < w->n_results; i++)
		if (run_result(out, d, w, &w->results[i], c, err))
			return -1;
	if (d->baseline && !d->update_baseline)
		return baseline_check(out, d, w, what_any_misses(w, c), err);
	return 0;
}

const char *whatif_check_policy(const struct check *check)
{
	return check->policy ? check->policy : "the recorded policy";
}

bool checks_hold(const struct checks *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].verdict != VERDICT_HOLDS)
			return false;
	return true;
}

void demands_free(struct demands *d)
{
	free(d->budgets);
	*d = (struct demands){ .n_budgets = 0 };
}

void checks_free(struct checks *c)
{
	free(c->list);
	*c = (struct checks){ .n = 0 };
}
