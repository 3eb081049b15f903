/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_sqlite.c - `tlbtrace export --format=sqlite`: rows, mms, tasks, classes, model and meta. */
#include "cmd/export_sqlite.h"

#include <inttypes.h>

#include "analyze/asked.h"
#include "config.h"

/* 0x746c6274 is "tlbt"; user_version is that of the schema: columns and views only get more. */
static const char tables
	[] = "PRAGMA application_id = 0x746c6274; PRAGMA user_version = 1;"
	     "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	     "CREATE TABLE model (key TEXT PRIMARY KEY, used TEXT, lo TEXT, hi TEXT, evidence TEXT,"
	     " why TEXT) WITHOUT ROWID;"
	     "CREATE TABLE mms (id INTEGER PRIMARY KEY, name TEXT, tgid INTEGER, hw_pid INTEGER);"
	     "CREATE TABLE flushes (id INTEGER PRIMARY KEY, time_ns INTEGER, duration_ns INTEGER,"
	     " cpu INTEGER, tid INTEGER, comm TEXT, tgid INTEGER, mm INTEGER REFERENCES mms,"
	     " hw_pid INTEGER, entry TEXT, cause TEXT, start INTEGER, end INTEGER, page_size INTEGER,"
	     " pages INTEGER, pages_min INTEGER, pages_max INTEGER, scope TEXT, known TEXT,"
	     " ended_by TEXT, gaps INTEGER, tlbie INTEGER, tlbiel INTEGER, invlpg INTEGER,"
	     " cr3_writes INTEGER);"
	     "CREATE TABLE tasks (tid INTEGER, tgid INTEGER, comm TEXT, first_ns INTEGER,"
	     " last_ns INTEGER, flushes INTEGER, tlbie INTEGER, tlbiel INTEGER, invlpg INTEGER,"
	     " cr3_writes INTEGER);"
	     "CREATE TABLE classes (id INTEGER PRIMARY KEY, mm INTEGER REFERENCES mms, entry TEXT,"
	     " cause TEXT, shape TEXT, local INTEGER, interrupt INTEGER, page_size INTEGER,"
	     " pages INTEGER, pages_2m INTEGER, pages_max INTEGER, open INTEGER, count INTEGER,"
	     " tlbie INTEGER, tlbiel INTEGER, invlpg INTEGER, cr3_writes INTEGER);";

static const char insert_flush
	[] = "INSERT INTO flushes (time_ns, duration_ns, cpu, tid, comm, tgid, mm, hw_pid, entry,"
	     " cause, start, end, page_size, pages, pages_min, pages_max, scope, known, ended_by, gaps,"
	     " tlbie, tlbiel, invlpg, cr3_writes)"
	     " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

/* What only all rows tell, and questions that everybody asks. */
static const char conclusion
	[] = "INSERT INTO tasks SELECT tid, tgid, comm, min(time_ns), max(time_ns), count(*),"
	     " sum(tlbie), sum(tlbiel), sum(invlpg), sum(cr3_writes) FROM flushes"
	     " GROUP BY tid, tgid, comm;"
	     "CREATE VIEW flushes_by_mm AS SELECT m.name, m.tgid, count(*) AS flushes,"
	     " sum(f.known = 'censored') AS censored, sum(f.pages) AS pages, sum(f.tlbie) AS tlbie,"
	     " sum(f.tlbiel) AS tlbiel, sum(f.invlpg) AS invlpg, sum(f.cr3_writes) AS cr3_writes"
	     " FROM flushes f LEFT JOIN mms m ON m.id = f.mm GROUP BY m.name, m.tgid"
	     " ORDER BY flushes DESC;"
	     "CREATE VIEW flushes_by_cause AS SELECT cause, entry, scope, count(*) AS flushes,"
	     " sum(known = 'censored') AS censored, sum(pages) AS pages, sum(tlbie) AS tlbie,"
	     " sum(tlbiel) AS tlbiel, sum(invlpg) AS invlpg, sum(cr3_writes) AS cr3_writes"
	     " FROM flushes GROUP BY cause, entry, scope ORDER BY flushes DESC;"
	     "CREATE VIEW flushes_by_second AS SELECT time_ns / 1000000000 AS second,"
	     " count(*) AS flushes, sum(tlbie) AS tlbie, sum(tlbiel) AS tlbiel, sum(invlpg) AS invlpg,"
	     " sum(cr3_writes) AS cr3_writes FROM flushes GROUP BY second ORDER BY second;"
	     /* Sizes are known up to the ceiling in force; what is above it is censored, unless told. */
	     "CREATE VIEW ceilings AS WITH sizes AS (SELECT scope, page_size, pages,"
	     " count(*) AS flushes FROM flushes WHERE pages > 0 GROUP BY scope, page_size, pages)"
	     " SELECT scope, page_size, pages, flushes, coalesce(sum(flushes) OVER"
	     " (PARTITION BY scope, page_size ORDER BY pages DESC ROWS BETWEEN UNBOUNDED PRECEDING"
	     " AND 1 PRECEDING), 0) AS longer FROM sizes ORDER BY scope, page_size, pages;";

int sqlite_export_begin(struct sqlite_export *x, const char *path, struct error *err)
{
	*x = (struct sqlite_export){ .flush = NULL };
	if (sqlite_create(&x->file, path, err))
		return -1;
	sqlite_run(&x->file, tables);
	x->flush = sqlite_prepare(&x->file, insert_flush);
	return 0;
}

/* The same four at the end of each table; asked: none were recorded. */
static void add_instructions(struct sqlite3_stmt *to, int *at, const struct tally *n, bool x86,
			     bool asked)
{
	sqlite_number_if(to, at, !x86 && !asked, n->n[COUNT_TLBIE]);
	sqlite_number_if(to, at, !x86 && !asked, n->n[COUNT_TLBIEL]);
	sqlite_number_if(to, at, x86 && !asked, n->n[COUNT_INVLPG]);
	sqlite_number_if(to, at, x86 && !asked, n->n[COUNT_CR3_WRITES]);
}

static void add_pages(struct sqlite3_stmt *to, int *at, const struct export_row *row)
{
	bool censored = !row->has_range && row->known == KNOWN_CENSORED;

	sqlite_number_if(to, at, row->has_range && !row->x86, row->start);
	sqlite_number_if(to, at, row->has_range && !row->x86, row->end);
	sqlite_number_if(to, at, row->has_range, row->page_bytes);
	sqlite_number_if(to, at, row->has_range, row->pages);
	sqlite_number_if(to, at, censored, row->pages_min);
	sqlite_number_if(to, at, censored && row->pages_max != PAGES_UNKNOWN, row->pages_max);
}

void sqlite_export_row(void *to, const struct export_row *row)
{
	struct sqlite_export *x = to;
	int at = 1;

	sqlite_number_if(x->flush, &at, row->has_time, row->time_ns);
	sqlite_number_if(x->flush, &at, row->has_time, row->end_ns - row->time_ns);
	sqlite_number(x->flush, &at, row->cpu);
	sqlite_number(x->flush, &at, (uint64_t)row->tid);
	sqlite_text(x->flush, &at, row->comm);
	sqlite_number_if(x->flush, &at, row->tgid >= 0, (uint64_t)row->tgid);
	sqlite_number_if(x->flush, &at, row->mm, row->mm ? row->mm->index : 0);
	sqlite_number_if(x->flush, &at, row->has_hw_pid, row->hw_pid);
	sqlite_text(x->flush, &at, flush_entry_keys[row->entry]);
	sqlite_text(x->flush, &at, flush_cause_keys[row->cause]);
	add_pages(x->flush, &at, row);
	sqlite_text(x->flush, &at, flush_scope_keys[row->scope]);
	sqlite_text(x->flush, &at, flush_known_keys[row->known]);
	sqlite_text(x->flush, &at, row_end_keys[row->ended_by]);
	sqlite_number(x->flush, &at, row->gaps);
	add_instructions(x->flush, &at, &row->recorded, row->x86, row->asked);
	sqlite_insert(&x->file, x->flush);
}

static void add_mms(struct sqlite_file *file, const struct whatif_result *r)
{
	const struct mm_table *mms = join_mms(r->trace.join);
	struct sqlite3_stmt *to = sqlite_prepare(file, "INSERT INTO mms VALUES (?,?,?,?)");

	for (uint32_t i = 0; i < mm_count(mms); i++) {
		const struct mm *mm = mm_by_index(mms, i);
		int at = 1;

		if (!mm)
			continue;
		sqlite_number(to, &at, mm->index);
		sqlite_text(to, &at, mm->name);
		sqlite_number_if(to, &at, mm->tgid >= 0, (uint64_t)mm->tgid);
		sqlite_number_if(to, &at, !r->x86 && !(mm->hw_pid & ASKED_PID), mm->hw_pid);
		sqlite_insert(file, to);
	}
	sqlite_done(to);
}

static void add_class(struct sqlite_file *file, struct sqlite3_stmt *to, const struct class *c)
{
	static const char *const shapes[] = {
		[SHAPE_VA] = "pages", [SHAPE_PID] = "pid",	 [SHAPE_ALL] = "all",
		[SHAPE_PWC] = "pwc",  [SHAPE_KERNEL] = "kernel", [SHAPE_FOREIGN] = "foreign",
		[SHAPE_X86] = "x86",  [SHAPE_HCALL] = "hcall",
	};
	const struct class_key *k = &c->key;
	bool x86 = k->shape == SHAPE_X86;
	struct tally recorded = class_recorded(c);
	unsigned shift = x86 ? k->x86.shift : k->shift;
	uint64_t pages = x86 ? k->x86.pages : k->pages;
	uint64_t pages_max = x86 ? k->x86.pages_max : k->pages_max;
	int at = 1;

	sqlite_number_if(to, &at, k->mm != CLASS_NO_MM, k->mm);
	sqlite_text(to, &at, flush_entry_keys[k->entry]);
	sqlite_text(to, &at, flush_cause_keys[k->cause]);
	sqlite_text(to, &at, shapes[k->shape]);
	sqlite_number_if(to, &at, !x86, k->local);
	sqlite_number(to, &at, k->irq);
	sqlite_number_if(to, &at, shift, UINT64_C(1) << shift);
	sqlite_number_if(to, &at, pages, pages);
	sqlite_number_if(to, &at, !x86, k->pages_2m);
	sqlite_number_if(to, &at, !pages && pages_max != PAGES_UNKNOWN, pages_max);
	sqlite_number(to, &at, k->may_hide);
	sqlite_number(to, &at, c->count);
	add_instructions(to, &at, &recorded, x86, k->asked);
	sqlite_insert(file, to);
}

static void add_classes(struct sqlite_file *file, const struct whatif_result *r,
			const struct common *selection)
{
	const struct class *c = NULL;
	struct sqlite3_stmt *to = sqlite_prepare(
		file, "INSERT INTO classes (mm, entry, cause, shape, local, interrupt, page_size,"
		      " pages, pages_2m, pages_max, open, count, tlbie, tlbiel, invlpg, cr3_writes)"
		      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");

	while ((c = class_next_counted(r->trace.classes, c)))
		if (common_selects(selection, &r->trace, c))
			add_class(file, to, c);
	sqlite_done(to);
}

static void add_model(struct sqlite_file *file, const struct whatif_result *r)
{
	struct sqlite3_stmt *to = sqlite_prepare(file, "INSERT INTO model VALUES (?,?,?,?,?,?)");

	for (size_t i = 0; i < PARAMS; i++) {
		const struct param_fact *fact = &r->model.fact[i];
		uint64_t values[] = { r->model.used.v[i], fact->lo, fact->hi };
		int at = 1;

		if (!param_applies((enum param)i, r->x86))
			continue;
		sqlite_text(to, &at, param_keys[i]);
		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
			char text[64] = "";

			if (values[v] != UINT64_MAX)
				param_format((enum param)i, values[v], text, sizeof(text));
			sqlite_text(to, &at, text);
		}
		sqlite_text(to, &at, evidence_names[fact->evidence]);
		sqlite_text(to, &at, fact->why);
		sqlite_insert(file, to);
	}
	sqlite_done(to);
}

static void add_fact(struct sqlite_file *file, struct sqlite3_stmt *to, const char *key,
		     const char *value)
{
	int at = 1;

	sqlite_text(to, &at, key);
	sqlite_text(to, &at, value);
	sqlite_insert(file, to);
}

static void add_number(struct sqlite_file *file, struct sqlite3_stmt *to, const char *key,
		       uint64_t value)
{
	int at = 1;

	sqlite_text(to, &at, key);
	sqlite_number(to, &at, value);
	sqlite_insert(file, to);
}

static void add_meta(struct sqlite_file *file, const struct whatif_result *r)
{
	const struct source_info *info = r->trace.info;
	struct sqlite3_stmt *to = sqlite_prepare(file, "INSERT INTO meta VALUES (?,?)");

	add_fact(file, to, "program", "tlbtrace " TLBTRACE_VERSION);
	add_fact(file, to, "path", r->path);
	add_fact(file, to, "format", info->format);
	add_fact(file, to, "recorder", info->tool);
	add_fact(file, to, "kernel", info->kernel);
	add_fact(file, to, "arch", info->arch);
	add_fact(file, to, "mmu", r->mmu ? r->mmu : "");
	add_fact(file, to, "clock", info->clock);
	add_number(file, to, "cpus", info->cpus);
	if (info->has_time) {
		add_number(file, to, "start_ns", r->trace.first_ns);
		add_number(file, to, "duration_ns", r->trace.last_ns - r->trace.first_ns);
	}
	add_number(file, to, "lost_events", info->lost_events);
	add_number(file, to, "lost_places", info->lost_unknown);
	add_number(file, to, "unknown_records", info->unknown_records);
	add_fact(file, to, "truncated", info->truncated ? info->truncated_text : "");
	sqlite_done(to);
}

int sqlite_export_end(struct sqlite_export *x, const struct whatif_result *r,
		      const struct common *c, struct error *err)
{
	sqlite_done(x->flush);
	x->flush = NULL;
	add_meta(&x->file, r);
	add_model(&x->file, r);
	add_mms(&x->file, r);
	add_classes(&x->file, r, c);
	sqlite_run(&x->file, conclusion);
	return sqlite_close(&x->file, err);
}

void sqlite_export_abandon(struct sqlite_export *x)
{
	sqlite_done(x->flush);
	x->flush = NULL;
	sqlite_abandon(&x->file);
}
