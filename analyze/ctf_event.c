/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_event.c - how `tlbtrace export --format=ctf` writes events. */
#include "analyze/ctf_event.h"

#include <string.h>

#define SIZE_OF(member) (uint8_t)sizeof(((struct event *)0)->member)
#define MEMBER(name, member, type)                                                                 \
	{                                                                                          \
		name, offsetof(struct event, member), SIZE_OF(member), type                        \
	}
#define U(name, member) MEMBER(name, member, CTF_MEMBER_UNSIGNED)
#define S(name, member) MEMBER(name, member, CTF_MEMBER_SIGNED)
#define COMM(name, member) MEMBER(name, member, CTF_MEMBER_COMM)

#define TASK                                                                                       \
	{                                                                                          \
		S("tid", task.tid), S("old_tid", task.old_tid), U("clone_flags", task.flags),      \
			U("dest_cpu", task.dest_cpu), COMM("comm", task.comm),                     \
	}
#define SYSCALL                                                                                    \
	{                                                                                          \
		U("nr", sys.nr), U("start", sys.start), U("len", sys.len),                         \
	}

const struct ctf_own ctf_own[CTF_OWN_KINDS + 1] = {
	{ CTF_OWN_PREFIX "tlbie",
	  EVENT_TLBIE,
	  { U("rb", tlbie.rb), U("rs", tlbie.rs), U("lpid", tlbie.lpid), U("local", tlbie.local),
	    U("ric", tlbie.ric), U("prs", tlbie.prs), U("r", tlbie.r) } },
	{ CTF_OWN_PREFIX "tlb_flush",
	  EVENT_X86_FLUSH,
	  { S("reason", x86.reason), S("pages", x86.pages) } },
	{ CTF_OWN_PREFIX "switch",
	  EVENT_SWITCH,
	  { S("prev_tid", sw.prev_tid), COMM("prev_comm", sw.prev_comm),
	    S("prev_state", sw.prev_state), S("next_tid", sw.next_tid),
	    COMM("next_comm", sw.next_comm) } },
	{ CTF_OWN_PREFIX "newtask", EVENT_NEWTASK, TASK },
	{ CTF_OWN_PREFIX "fork", EVENT_FORK, TASK },
	{ CTF_OWN_PREFIX "exec", EVENT_EXEC, TASK },
	{ CTF_OWN_PREFIX "exit", EVENT_EXIT, TASK },
	{ CTF_OWN_PREFIX "rename", EVENT_RENAME, TASK },
	{ CTF_OWN_PREFIX "migrate", EVENT_MIGRATE, TASK },
	{ CTF_OWN_PREFIX "offline", EVENT_OFFLINE, { U("cpu", offline_cpu) } },
	{ CTF_OWN_PREFIX "sys_enter", EVENT_SYS_ENTER, SYSCALL },
	{ CTF_OWN_PREFIX "sys_exit", EVENT_SYS_EXIT, SYSCALL },
	{ CTF_OWN_PREFIX "request",
	  EVENT_REQUEST,
	  { U("fn", request.fn), U("has", request.has), U("mm", request.mm),
	    U("start", request.start), U("end", request.end), U("cpus", request.cpus),
	    U("hw_pid", request.hw_pid), U("page_size", request.page_size),
	    S("psize", request.psize), S("active_cpus", request.active_cpus),
	    S("users", request.users), U("type", request.type), U("bits", request.bits),
	    U("fullmm", request.fullmm), U("pwc", request.pwc) } },
	{ CTF_OWN_PREFIX "ipi_send",
	  EVENT_IPI_SEND,
	  { U("cpus", ipi.cpus), U("targets", ipi.targets), U("callsite", ipi.callsite) } },
	{ CTF_OWN_PREFIX "ipi_recv", EVENT_IPI_RECV, { { .name = NULL } } },
	{ CTF_OWN_PREFIX "csd_queue",
	  EVENT_CSD_QUEUE,
	  { U("csd", csd.csd), U("func", csd.func), U("cpu", csd.cpu) } },
	{ CTF_OWN_PREFIX "csd_run", EVENT_CSD_RUN, { U("csd", csd.csd), U("func", csd.func) } },
	{ CTF_OWN_PREFIX "hcall", EVENT_HCALL, { { .name = NULL } } },
	{ CTF_OWN_PREFIX "marker", EVENT_MARKER, { MEMBER("text", marker, CTF_MEMBER_TEXT) } },
	{ CTF_OWN_PREFIX "lost", EVENT_LOST, { U("count", lost) } },
	{ .name = NULL },
};

const struct ctf_member ctf_own_context[] = {
	S("tid", tid),
	S("tgid", tgid),
	U("flags", flags),
	{ .name = NULL },
};

uint64_t ctf_member_get(const void *structure, const struct ctf_member *member)
{
	const char *from = (const char *)structure + member->at;
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	switch (member->size) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		memcpy(&v2, from, sizeof(v2));
		return v2;
	case 4:
		memcpy(&v4, from, sizeof(v4));
		return member->type == CTF_MEMBER_SIGNED ? (uint64_t)(int32_t)v4 : v4;
	default:
		memcpy(&v8, from, sizeof(v8));
		return v8;
	}
}

void ctf_member_set(struct event *ev, const struct ctf_member *member, uint64_t value)
{
	char *to = (char *)ev + member->at;
	uint8_t v1 = (uint8_t)value;
	uint16_t v2 = (uint16_t)value;
	uint32_t v4 = (uint32_t)value;

	switch (member->size) {
	case 1:
		memcpy(to, &v1, sizeof(v1));
		return;
	case 2:
		memcpy(to, &v2, sizeof(v2));
		return;
	case 4:
		memcpy(to, &v4, sizeof(v4));
		return;
	default:
		memcpy(to, &value, sizeof(value));
		return;
	}
}
