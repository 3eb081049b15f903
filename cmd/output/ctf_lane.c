/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_lane.c - one data stream of the CTF trace that export writes. */
#include "cmd/output/ctf_lane.h"

#define PACKET_EVENTS 4096

static const bt_message *begin_stream(struct ctf_lane *lane, bt_self_message_iterator *iterator)
{
	lane->stream = bt_stream_create_with_id(lane->class, lane->schema->trace, lane->id);
	lane->begun = true;
	return lane->stream ? bt_message_stream_beginning_create(iterator, lane->stream) : NULL;
}

static const bt_message *end_stream(struct ctf_lane *lane, bt_self_message_iterator *iterator)
{
	lane->over = true;
	return bt_message_stream_end_create(iterator, lane->stream);
}

static const bt_message *begin_packet(struct ctf_lane *lane, bt_self_message_iterator *iterator)
{
	bt_field *context;

	lane->packet = bt_packet_create(lane->stream);
	if (!lane->packet)
		return NULL;
	context = bt_packet_borrow_context_field(lane->packet);
	if (context)
		bt_field_integer_unsigned_set_value(
			bt_field_structure_borrow_member_field_by_index(context, 0), lane->cpu);
	lane->in_packet = 0;
	return bt_message_packet_beginning_create_with_default_clock_snapshot(
		iterator, lane->packet, lane->item.time_ns);
}

static const bt_message *end_packet(struct ctf_lane *lane, bt_self_message_iterator *iterator)
{
	const bt_message *message = bt_message_packet_end_create_with_default_clock_snapshot(
		iterator, lane->packet, lane->last_ns);

	bt_packet_put_ref(lane->packet);
	lane->packet = NULL;
	return message;
}

static int fill_later(bt_field *payload, const struct ctf_item *item)
{
	bt_field *later;

	bt_field_integer_signed_set_value(
		bt_field_structure_borrow_member_field_by_name(payload, CTF_OWN_STEP), item->step);
	bt_field_integer_unsigned_set_value(
		bt_field_structure_borrow_member_field_by_name(payload, CTF_OWN_LENGTH),
		item->n_later);
	later = bt_field_structure_borrow_member_field_by_name(payload, CTF_OWN_LATER);
	if (bt_field_array_dynamic_set_length(later, item->n_later))
		return -1;
	for (uint32_t i = 0; i < item->n_later; i++)
		bt_field_integer_unsigned_set_value(
			bt_field_array_borrow_element_field_by_index(later, i), item->later[i]);
	return 0;
}

static const bt_message *write_event(struct ctf_lane *lane, bt_self_message_iterator *iterator)
{
	const struct ctf_item *item = &lane->item;
	bt_message *message = bt_message_event_create_with_packet_and_default_clock_snapshot(
		iterator, item->class, lane->packet, item->time_ns);
	bt_event *event;

	if (!message)
		return NULL;
	event = bt_message_event_borrow_event(message);
	lane->has_item = false;
	lane->in_packet++;
	lane->last_ns = item->time_ns;
	if (ctf_schema_fill(bt_event_borrow_payload_field(event), item->members, item->from) ||
	    (item->of && ctf_schema_fill(bt_event_borrow_common_context_field(event),
					 ctf_own_context, item->of)) ||
	    (item->is_run && fill_later(bt_event_borrow_payload_field(event), item))) {
		bt_message_put_ref(message);
		return NULL;
	}
	return message;
}

static const bt_message *step(struct ctf_lane *lane, bt_self_message_iterator *iterator)
{
	if (!lane->begun)
		return begin_stream(lane, iterator);
	if (lane->packet && (!lane->has_item || lane->in_packet == PACKET_EVENTS))
		return end_packet(lane, iterator);
	if (!lane->has_item)
		return end_stream(lane, iterator);
	return lane->packet ? write_event(lane, iterator) : begin_packet(lane, iterator);
}

/* Later messages are never earlier. */
static int fetch(struct ctf_lane *lane)
{
	int got = lane->next(lane->arg, lane, &lane->item);

	if (got < 0)
		return -1;
	lane->has_item = got;
	lane->ended = !got;
	if (got && lane->item.time_ns < lane->last_ns)
		lane->item.time_ns = lane->last_ns;
	return 0;
}

int ctf_lane_next(struct ctf_lane *lane, bt_self_message_iterator *iterator,
		  const bt_message **message)
{
	if (lane->over)
		return 0;
	if (lane->begun && !lane->has_item && !lane->ended && fetch(lane))
		return -1;
	*message = step(lane, iterator);
	return *message ? 1 : -1;
}

void ctf_lane_free(struct ctf_lane *lane)
{
	bt_packet_put_ref(lane->packet);
	bt_stream_put_ref(lane->stream);
	lane->packet = NULL;
	lane->stream = NULL;
}
