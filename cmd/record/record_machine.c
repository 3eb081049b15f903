/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_machine.c - what /proc, /sys and debugfs tell of this machine. */
#include "cmd/record/record_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

bool record_read_line(const char *path, char *to, unsigned long size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(to, (int)size, f);

	if (!ok)
		*to = '\0';
	to[strcspn(to, "\n")] = '\0';
	if (f)
		(void)fclose(f);
	return ok;
}

static void find_kernel(struct record_machine *m)
{
	struct utsname u;

	if (uname(&u))
		return;
	(void)snprintf(m->kernel, sizeof(m->kernel), "%s", u.release);
	(void)snprintf(m->machine, sizeof(m->machine), "%s", u.machine);
	(void)snprintf(m->uname, sizeof(m->uname), "%s %s %s %s", u.sysname, u.nodename, u.release,
		       u.machine);
	m->arch = ARCH_OTHER;
	if (!strncmp(u.machine, "ppc64", 5))
		m->arch = ARCH_POWERPC;
	else if (!strcmp(u.machine, "x86_64") || !strcmp(u.machine, "i686"))
		m->arch = ARCH_X86;
}

/* "key : value" of /proc/cpuinfo: copies the value of the first line with this key. */
static void take_cpuinfo(const char *line, const char *key, char *to, size_t size)
{
	size_t len = strlen(key);
	const char *value = strchr(line, ':');

	if (*to || !value || strncmp(line, key, len) || !strchr(" \t:", line[len]))
		return;
	value += 1 + strspn(value + 1, " \t");
	(void)snprintf(to, size, "%.*s", (int)strcspn(value, "\n,("), value);
	len = strlen(to);
	while (len && strchr(" \t", to[len - 1]))
		to[--len] = '\0';
}

static void find_cpu(struct record_machine *m)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512];
	char platform[32] = "";

	while (f && fgets(line, sizeof(line), f)) {
		take_cpuinfo(line, m->arch == ARCH_X86 ? "model name" : "cpu", m->cpu,
			     sizeof(m->cpu));
		take_cpuinfo(line, "MMU", m->mmu, sizeof(m->mmu));
		take_cpuinfo(line, "platform", platform, sizeof(platform));
		if (m->arch == ARCH_POWERPC)
			take_cpuinfo(line, "revision", m->revision, sizeof(m->revision));
	}
	if (f)
		(void)fclose(f);
	if (*m->mmu)
		*m->mmu = (char)(*m->mmu | 0x20); /* Radix, Hash */
	m->guest = !strcmp(platform, "pSeries");
}

/*
 * Whether a radix guest may execute tlbie: bit OV5_RADIX_GTSE (byte 26, 0x40) of what the
 * hypervisor granted (arch/powerpc/mm/init_64.c, early_check_vec5, v4.12 and later).
 */
static void find_gtse(struct record_machine *m)
{
	FILE *f;
	unsigned char vec5[64];
	size_t n = 0;

	m->gtse = true;
	if (!m->guest || strcmp(m->mmu, "radix"))
		return;
	f = fopen("/proc/device-tree/chosen/ibm,architecture-vec-5", "re");
	if (f) {
		n = fread(vec5, 1, sizeof(vec5), f);
		(void)fclose(f);
	}
	if (n > 26)
		m->gtse = vec5[26] & 0x40;
}

/* "always [madvise] never" */
static void find_thp(struct record_machine *m)
{
	char line[128];
	const char *at;

	if (!record_read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line)))
		return;
	at = strchr(line, '[');
	if (at)
		(void)snprintf(m->thp, sizeof(m->thp), "%.*s", (int)strcspn(at + 1, "]"), at + 1);
}

/*
 * A directory of debugfs; -1 with errno set. Where it is not mounted, it is mounted for us alone: at
 * no place, and gone when the descriptor is closed (fsmount(2), v5.2 and later).
 */
static int open_debugfs(const char *dir)
{
	char path[64];
	int fd, root, context;

	(void)snprintf(path, sizeof(path), "/sys/kernel/debug/%s", dir);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	context = fsopen("debugfs", FSOPEN_CLOEXEC);
	if (context < 0)
		return -1;
	root = fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0)
		       ? -1
		       : fsmount(context, FSMOUNT_CLOEXEC, 0);
	(void)close(context);
	fd = root < 0 ? -1 : openat(root, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0)
		(void)close(root);
	return fd;
}

static bool read_line_at(int dir, const char *name, char *to, size_t size)
{
	int fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, size - 1);

	to[n > 0 ? n : 0] = '\0';
	to[strcspn(to, "\n")] = '\0';
	if (fd >= 0)
		(void)close(fd);
	return n > 0;
}

static void find_ceilings(struct record_machine *m)
{
	static const char name[] = "tlb_single_page_flush_ceiling";
	const char *arch = m->arch == ARCH_X86 ? "x86" : "powerpc";
	int dir = open_debugfs(arch);
	char tlbie[8];

	m->debugfs = read_line_at(dir, name, m->ceiling, sizeof(m->ceiling));
	if (!m->debugfs)
		(void)snprintf(m->debugfs_why, sizeof(m->debugfs_why), "debugfs:%s/%s: %s", arch,
			       name, errno == EPERM ? "not allowed (lockdown)" : strerror(errno));
	(void)read_line_at(dir, "tlb_local_single_page_flush_ceiling", m->local_ceiling,
			   sizeof(m->local_ceiling));
	if (read_line_at(dir, "tlbie_enabled", tlbie, sizeof(tlbie)))
		(void)snprintf(m->tlbie, sizeof(m->tlbie), "%s",
			       strchr("Yy1", *tlbie) ? "on" : "off");
	if (dir >= 0)
		(void)close(dir);
}

void record_machine_find(struct record_machine *m)
{
	*m = (struct record_machine){
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
		.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
	};
	find_kernel(m);
	find_cpu(m);
	find_gtse(m);
	find_thp(m);
	if (m->arch != ARCH_OTHER)
		find_ceilings(m);
}

uint64_t record_machine_buffer_kb(const struct record_machine *m)
{
	uint64_t memory_kb = (uint64_t)sysconf(_SC_PHYS_PAGES) * (m->page_size / 1024);
	uint64_t share = memory_kb / 32 / (m->cpus ? m->cpus : 1);
	uint64_t kb = 8192;

	while (kb > share && kb > 1024)
		kb /= 2;
	return kb;
}
