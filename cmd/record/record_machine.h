/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_machine.h - the machine that records: its kernel, and what decides how it flushes.
 */
#ifndef TLBTRACE_RECORD_MACHINE_H
#define TLBTRACE_RECORD_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum record_arch {
	ARCH_POWERPC = 1,
	ARCH_X86 = 2,
	ARCH_OTHER = 4, /* no event for TLB flushes */
	ARCH_ANY = 7,
};

struct record_machine {
	enum record_arch arch;
	char kernel[128];  /* uname -r */
	char machine[66];  /* uname -m */
	char uname[384];   /* "Linux HOST RELEASE MACHINE" */
	char mmu[16];	   /* "radix", "hash", "" */
	char cpu[64];	   /* as /proc/cpuinfo calls it */
	char revision[32]; /* POWER: "2.3"; "" */
	char thp[16];	   /* always, madvise, never; "" unknown */
	uint32_t page_size;
	uint32_t cpus;	  /* configured */
	bool guest;	  /* of PowerVM or KVM (pseries) */
	bool gtse;	  /* radix guests: may execute tlbie itself */
	bool debugfs;	  /* the ceilings could be read */
	char ceiling[24]; /* text of debugfs; "" where it may not be read */
	char local_ceiling[24];
	char tlbie[8];	       /* "on", "off", "" */
	char debugfs_why[192]; /* why not, where not */
};

void record_machine_find(struct record_machine *m);

/* Kilobytes per CPU that a recording may take by default: 8192, or less where memory is small. */
uint64_t record_machine_buffer_kb(const struct record_machine *m);

/* The first line of a small file without its newline; false where it cannot be read. */
bool record_read_line(const char *path, char *to, unsigned long size);

#endif
