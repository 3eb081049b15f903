/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c - looks keys up. */
#include "cmd/tui/keys.h"

#define KEY_ROW(id, code, other, shown, what) { id, code, other, shown, what },
const struct tui_key tui_keys[] = { TUI_KEYS_X(KEY_ROW) };
#undef KEY_ROW
const size_t n_tui_keys = sizeof(tui_keys) / sizeof(*tui_keys);

enum tui_do tui_key_meaning(int code)
{
	if (code == '\n')
		return DO_ENTER;
	if (code == '\b')
		return DO_BACK;
	for (size_t i = 0; i < n_tui_keys; i++)
		if (code == tui_keys[i].code || (tui_keys[i].other && code == tui_keys[i].other))
			return tui_keys[i].what_to_do;
	return DO_NOTHING;
}
