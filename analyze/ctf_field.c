/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_field.c - values out of libbabeltrace2's structure fields. */
#include "analyze/ctf_field.h"

#include <string.h>

uint32_t ctf_member_index(const bt_field_class *structure, const char *name)
{
	uint64_t n = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < n && i < CTF_NO_FIELD; i++) {
		const bt_field_class_structure_member *
			member = bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (!strcmp(bt_field_class_structure_member_get_name(member), name))
			return (uint32_t)i;
	}
	return CTF_NO_FIELD;
}

bool ctf_number(const bt_field *field, uint64_t *value)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*value = bt_field_integer_unsigned_get_value(field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*value = (uint64_t)bt_field_integer_signed_get_value(field);
	else if (type == BT_FIELD_CLASS_TYPE_BOOL)
		*value = bt_field_bool_get_value(field) ? 1 : 0;
	else
		return false;
	return true;
}

uint64_t ctf_member_number(const bt_field *structure, uint32_t index, uint64_t otherwise)
{
	uint64_t value;

	if (!structure || index == CTF_NO_FIELD ||
	    !ctf_number(bt_field_structure_borrow_member_field_by_index_const(structure, index),
			&value))
		return otherwise;
	return value;
}

const char *ctf_member_text(const bt_field *structure, uint32_t index)
{
	const bt_field *field;

	if (!structure || index == CTF_NO_FIELD)
		return "";
	field = bt_field_structure_borrow_member_field_by_index_const(structure, index);
	return bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_STRING
		       ? bt_field_string_get_value(field)
		       : "";
}
