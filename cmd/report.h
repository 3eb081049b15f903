/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what `tlbtrace report` and `diff` know of a trace, as tables that all writers share.
 */
#ifndef TLBTRACE_CMD_REPORT_H
#define TLBTRACE_CMD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/error.h"
#include "analyze/profile.h"
#include "cmd/common.h"
#include "cmd/fields.h"
#include "cmd/whatif.h"
#include "replay/kinds.h"

/* X(id, key, what its rows are) */
#define REPORT_BY_X(X)                                                                             \
	X(BY_MM, "mm", "address space: program and process")                                       \
	X(BY_TASK, "task", "task that asked")                                                      \
	X(BY_CPU, "cpu", "CPU that asked")                                                         \
	X(BY_CAUSE, "cause", "what the task was doing")                                            \
	X(BY_SIZE, "size", "pages of a request")                                                   \
	X(BY_TIME, "time", "period, named by its end")                                             \
	X(BY_CALLER, "caller", "kernel function that asked, as far as known")

#define REPORT_BY_ENUM(id, key, what) id,
enum report_by {
	REPORT_BY_X(REPORT_BY_ENUM) REPORT_BYS
};
#undef REPORT_BY_ENUM

extern const char *const report_by_keys[REPORT_BYS + 1]; /* ends with NULL */
extern const char *const report_by_texts[REPORT_BYS];

#define ANY UINT32_MAX

/* What is counted of what was read; each member is the key of a row of that table, or ANY. */
struct selection {
	uint32_t mm;
	uint32_t cause;
	uint32_t size;
	uint32_t caller;
	uint32_t cpu;
	uint32_t period_from;
	uint32_t period_to; /* inclusive; ANY: to the end */
};

extern const struct selection select_all;

/* An address space, or several of the same program and process that followed each other. */
struct report_mm {
	char name[COMM_LEN]; /* "" for flushes of no address space: kernel, guests, hash */
	int32_t tgid;	     /* -1 unknown */
	uint64_t ended; /* > 0: so many of this name that ended and are not kept apart (mm.members) */
};

#define SIZES_MAX 72u

/* Sizes of requests in pages: powers of two, and the ceilings of the recorded kernel. */
struct report_sizes {
	uint64_t most[SIZES_MAX]; /* ascending: the most pages of a row */
	uint32_t n;
	/* Behind them, rows of requests that have no pages: */
	uint32_t whole;
	uint32_t walk_cache;
	uint32_t kernel;
	uint32_t other;
	uint32_t rows; /* of all kinds */
};

/* The row of so many pages. */
uint32_t report_size_of(const struct report_sizes *s, uint64_t pages);

/* The requests of one size that a flush was. */
struct report_part {
	uint32_t size;
	struct sums s;
};

/* What one flush of a kind was and cost. */
struct report_price {
	struct sums all;
	struct report_part part[3];
	unsigned n;
};

/* Who asked for a flush, as stacks tell: names of functions, the innermost first. */
struct report_callers {
	char **labels;
	uint32_t n;
	uint32_t *of; /* stack number -> index in labels; [n_of] */
	uint32_t n_of;
};

struct report {
	struct whatif_result base; /* the trace, its model, what it recorded and how sure it is */
	struct profile *profile;
	struct kinds kinds;	     /* of the profile's classes */
	uint32_t *kind_of;	     /* by profile_class() index */
	struct report_price *prices; /* by kind */
	bool *selected;		     /* by profile_class() index: --mm selects the class */
	struct report_mm *mms;	     /* the last one is that of no address space */
	uint32_t n_mms;
	uint32_t *mm_of; /* mm.index -> index in mms */
	struct report_sizes sizes;
	const struct common *common;
	uint64_t interval_ns; /* periods as the user wants them; 0: as they come */
	/* Filled by report_callers(): then the table by caller is by stacks, for select_all only. */
	struct report_callers callers;
};

/*
 * Reads path as c says into *r, which keeps its address. classes_only: nothing is kept of CPUs, tasks,
 * moments and stacks, which takes a third less time; only select_all may be asked for then. Returns 0,
 * or -1 with *err; to be freed either way.
 */
int report_read(struct report *r, const struct common *c, const char *path, uint64_t interval_ns,
		bool classes_only, struct error *err);
void report_free(struct report *r);

/* The row of --by=size of a request of this class, which has so many pages by address. */
uint32_t report_size_of_request(const struct report *r, const struct class_key *k, uint64_t pages);

/* The part of report_read() that fills kinds, prices and sizes. -1 where memory is short. */
int report_price(struct report *r);

/* False for tables of what a summary does not keep. */
bool report_has(const struct report *r, enum report_by by);

/*
 * Names the callers by the stacks of the trace, if it has any. kallsyms: a file with the kernel's
 * symbols, NULL: those of the trace. Where neither has a function it is its address. -1 with *err.
 */
int report_callers(struct report *r, const char *kallsyms, struct error *err);
void report_callers_free(struct report_callers *callers);

struct report_row {
	uint32_t key; /* for selections: index in mms, CPU, enum flush_cause, … */
	char label[128];
	struct sums s;
};

struct report_table {
	enum report_by by;
	struct report_row *rows;
	size_t n;
	uint64_t folded; /* > 0: the last row is the sum of so many small ones */
	struct sums total;
};

/* Returns 0, or -1 where memory is short. */
int report_table(struct report_table *out, const struct report *r, enum report_by by,
		 const struct selection *sel);
void report_table_free(struct report_table *t);

/* How rows are ordered: by a field, the largest first unless `ascending`. */
struct report_sort {
	const struct field *field; /* NULL: the table's own order */
	bool ascending;
};

void report_sort(struct report_table *t, const struct report_sort *sort);

/* The own order of the table: time, size and CPU stay as they are, others by instructions. */
struct report_sort report_usual_sort(enum report_by by);

/* Adds up what is behind the first `limit` rows (0: no limit). */
void report_limit(struct report_table *t, size_t limit);

/* True where the selection picks this class of the report, as far as mm, cause and caller go. */
bool report_selects(const struct report *r, const struct selection *sel, uint32_t class);
/* The same for a class of trace.classes, or one made from a flush of a second reading. */
bool report_selects_class(const struct report *r, const struct selection *sel,
			  const struct class *class);

/* True where it picks this cell of PROFILE_CPU; a size picks among the parts of its price. */
bool report_selects_cell(const struct report *r, const struct selection *sel,
			 const struct profile_cell *cell);

/* True where it picks what is of this mm of the trace: its index, or CLASS_NO_MM. */
bool report_selects_mm(const struct report *r, const struct selection *sel, uint32_t mm);

/* The same of an mm (NULL: none) of a second reading that is not at its end: it may have ended in the first. */
bool report_selects_named(const struct report *r, const struct selection *sel, const struct mm *mm);

/* True where it picks a request of so many pages of this class, as far as cause, caller and size go. */
bool report_selects_request(const struct report *r, const struct selection *sel,
			    const struct class_key *k, uint64_t pages);

/* What it picks of one flush of a class, which it selects. */
struct sums report_one(const struct report *r, const struct selection *sel, uint32_t class);

/* What the selection picks altogether. */
struct sums report_total(const struct report *r, const struct selection *sel);

/* True for counters that a trace holds; the others are computed. */
bool report_holds(enum counter c);

/* Periods up to the last flush. */
uint32_t report_periods(const struct report *r);

/* "name/tgid", "name (1234 ended)", "?" or "(none)"; buf is returned. */
const char *report_mm_label(const struct report *r, uint32_t mm, char *buf, size_t size);

/* What a writer is to write. */
struct report_request {
	const struct common *common;
	bool overview; /* no --by: the summary and several tables */
	enum report_by by;
	struct field_list fields; /* n == 0: usual ones in text, all for programs */
	struct report_sort sort;  /* field NULL: usual */
	size_t limit;		  /* 0: usual in text, none for programs */
	uint64_t interval_ns;
	struct report *reports; /* one per input */
	size_t n_reports;
};

/* The writers. Errors stay in the FILE. Return -1 where memory is short. */
int report_text(struct sink *s, const struct report_request *q);
int report_json(struct sink *s, const struct report_request *q);
int report_csv(struct sink *s, const struct report_request *q);
int report_html(struct sink *s, const struct report_request *q);

/* One table, for the terminal's `w` as well. */
void report_text_table(struct sink *s, const struct report_table *t, const struct field_list *list);
void report_csv_table(FILE *f, const char *input, const struct report_table *t,
		      const struct field_list *list);

/* The table that q asks for, sorted and limited. */
int report_asked(struct report_table *t, const struct report *r, const struct report_request *q);

#endif
