/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_field.h - values out of libbabeltrace2's structure fields; a missing one is no error. */
#ifndef TLBTRACE_CTF_FIELD_H
#define TLBTRACE_CTF_FIELD_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#define CTF_NO_FIELD UINT32_MAX

/* The index of the member of this name, CTF_NO_FIELD if there is none. structure may be NULL. */
uint32_t ctf_member_index(const bt_field_class *structure, const char *name);

/* An integer, enumeration or boolean, sign-extended where signed; false for others. */
bool ctf_number(const bt_field *field, uint64_t *value);

/* The member's number, or otherwise where there is none. structure may be NULL. */
uint64_t ctf_member_number(const bt_field *structure, uint32_t index, uint64_t otherwise);

/* The member's text, "" where there is none. Lives as long as the field. */
const char *ctf_member_text(const bt_field *structure, uint32_t index);

#endif
