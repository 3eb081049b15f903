/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86_csd.c - which CPU queued the call that a CPU runs. */
#include "analyze/x86_csd.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct csd {
	uint64_t address;
	uint32_t sender;
	UT_hash_handle hh;
};

struct x86_csds {
	struct csd *table;
};

struct x86_csds *x86_csds_new(void)
{
	return calloc(1, sizeof(struct x86_csds));
}

void x86_csds_free(struct x86_csds *csds)
{
	struct csd *csd;

	if (!csds)
		return;
	csd = csds->table;
	HASH_CLEAR(hh, csds->table);
	while (csd) {
		struct csd *next = csd->hh.next;

		free(csd);
		csd = next;
	}
	free(csds);
}

static struct csd *find(const struct x86_csds *csds, uint64_t address)
{
	struct csd *csd;

	HASH_FIND(hh, csds->table, &address, sizeof(address), csd);
	return csd;
}

bool x86_csds_queued(struct x86_csds *csds, uint64_t address, uint32_t sender)
{
	struct csd *csd = find(csds, address);

	if (!csd && HASH_COUNT(csds->table) == X86_CSDS)
		return true;
	if (!csd) {
		csd = calloc(1, sizeof(*csd));
		if (!csd)
			return false;
		csd->address = address;
		HASH_ADD(hh, csds->table, address, sizeof(csd->address), csd);
		if (!csd->hh.tbl) {
			free(csd);
			return false;
		}
	}
	csd->sender = sender;
	return true;
}

int64_t x86_csds_sender(const struct x86_csds *csds, uint64_t address)
{
	const struct csd *csd = find(csds, address);

	return csd ? (int64_t)csd->sender : -1;
}
