/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.h - what a trace has, what it lacks and what that costs, as `tlbtrace info` writes it.
 */
#ifndef TLBTRACE_CMD_INFO_H
#define TLBTRACE_CMD_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/output/sink.h"
#include "cmd/whatif.h"

/* A kind of event. Zero events are listed too. */
struct info_has {
	const char *what; /* key of the JSON and label of the text: "switches" */
	uint64_t events;
};

/* Evidence that is missing. */
struct info_lack {
	const char *what;
	char cost[320];	    /* what cannot be told without it */
	const char *record; /* what to record; "" where nothing can help */
};

/* A parameter of the recorded kernel that is known only between bounds. */
struct info_open {
	enum param id;
	const char *tells; /* what would narrow it down */
};

#define INFO_HAS 7 /* the last one only where there are any */
#define INFO_LACKS 6
#define INFO_CONTRADICTIONS (3 * PARAMS)

struct info_facts {
	struct info_has has[INFO_HAS];
	size_t n_has;
	struct info_lack lacks[INFO_LACKS];
	size_t n_lacks;
	struct info_open open[PARAMS];
	size_t n_open;
	char contradictions[INFO_CONTRADICTIONS][240];
	size_t n_contradictions;
};

/* One input. */
struct info_result {
	struct whatif_result read; /* without answers */
	struct info_facts facts;
};

struct info {
	struct info_result *results;
	size_t n_results;
	bool verbose;
};

/* What the reading of one input tells about it; `alone` is what the trace tells without --recorded. */
void info_find(struct info_facts *out, const struct whatif_result *r, const struct model *alone);

/* The writers. Errors stay in the FILE. */
void info_text(struct sink *s, const struct info *info);
void info_json(struct sink *s, const struct info *info);

#endif
