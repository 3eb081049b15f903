/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_own_event.c - events of our own exports. */
#include "analyze/ctf_own_event.h"

#include <string.h>

#include "analyze/ctf_field.h"

static void take_text(uint8_t *record, const struct ctf_member *member, const char *text,
		      struct event *ev)
{
	size_t len = strnlen(text, CTF_RECORD_MAX);

	if (member->type == CTF_MEMBER_COMM) {
		len = len < COMM_LEN ? len : COMM_LEN - 1;
		memcpy((char *)ev + member->at, text, len);
		return;
	}
	memcpy(record, text, len);
	ev->marker = (const char *)record;
	ev->marker_len = (uint16_t)len;
}

static void take_members(uint8_t *record, const struct ctf_class *class, const bt_field *payload,
			 struct event *ev)
{
	for (uint32_t i = 0; class->own->members[i].name; i++) {
		const struct ctf_member *member = &class->own->members[i];
		uint32_t index = class->members[i];

		if (member->type >= CTF_MEMBER_COMM)
			take_text(record, member, ctf_member_text(payload, index), ev);
		else
			ctf_member_set(ev, member, ctf_member_number(payload, index, 0));
	}
}

static bool is_valid(const struct event *ev)
{
	switch ((enum event_kind)ev->kind) {
	case EVENT_SYS_ENTER:
	case EVENT_SYS_EXIT:
		return ev->sys.nr < SYSCALL_COUNT;
	case EVENT_REQUEST:
		return ev->request.fn <= REQUEST_OTHER;
	default:
		return true;
	}
}

/* Sets up the records behind the first. False: they make no sense. */
static bool unfold(struct ctf_unfolded *u, const struct ctf_class *class, const bt_field *payload,
		   const struct event *ev)
{
	const bt_field *later;
	uint64_t n;

	if (class->later == CTF_NO_FIELD)
		return true;
	later = bt_field_structure_borrow_member_field_by_index_const(payload, class->later);
	if (!bt_field_class_type_is(bt_field_get_class_type(later), BT_FIELD_CLASS_TYPE_ARRAY))
		return false;
	n = bt_field_array_get_length(later);
	if (n > CTF_OWN_LATER_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!ctf_number(bt_field_array_borrow_element_field_by_index_const(later, i),
				&u->later[i]))
			return false;
	u->event = *ev;
	u->step = ctf_member_number(payload, class->step, 0);
	u->at = 0;
	u->n = (uint32_t)n;
	return true;
}

bool ctf_own_take(struct ctf_unfolded *u, uint8_t *text, const struct ctf_class *class,
		  const bt_event *event, uint64_t time_ns, struct event *ev)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	const bt_field *context = bt_event_borrow_common_context_field_const(event);

	*ev = (struct event){ .kind = (uint8_t) class->own->kind };
	ev->tid = (int32_t)ctf_member_number(context, class->context_tid, UINT64_MAX);
	ev->tgid = (int32_t)ctf_member_number(context, class->context_tgid, UINT64_MAX);
	ev->flags = (uint8_t)ctf_member_number(context, class->context_flags, 0);
	take_members(text, class, payload, ev);
	u->first_ns = time_ns;
	if (!is_valid(ev))
		return false;
	return ev->kind != EVENT_TLBIE || !payload || unfold(u, class, payload, ev);
}

bool ctf_own_next(struct ctf_unfolded *u, struct event *ev)
{
	if (u->at == u->n)
		return false;
	u->event.tlbie.rb += u->step;
	*ev = u->event;
	ev->time_ns = u->first_ns + u->later[u->at++];
	return true;
}
