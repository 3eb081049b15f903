#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mouse.sh - clicks and the wheel, in both ways in which they are sent: SGR, and three bytes.
. "$(dirname "${BASH_SOURCE[0]}")/terminal.bash"
set -e

left=0
wheel_up=64
wheel_down=65

# mouse BUTTON COLUMN ROW: pressed and released; columns and rows count from 1.
mouse() {
	local press release bytes
	printf -v press '\e[<%d;%d;%dM' "$@"
	printf -v release '\e[<%d;%d;%dm' "$@"
	if [ "$terminal" != xterm-256color ]; then # it knows three bytes from 32 on
		printf -v press '\e[M\\x%x\\x%x\\x%x' $(($1 + 32)) $(($2 + 32)) $(($3 + 32))
		printf -v release '\e[M\\x%x\\x%x\\x%x' 35 $(($2 + 32)) $(($3 + 32))
	fi
	[ "$1" = $left ] || release= # a wheel has none
	mapfile -t bytes < <(printf '%b' "$press$release" | od -An -v -tx1 -w1 | tr -d ' ')
	keys -H "${bytes[@]}"
}

# The row of the screen under the cursor, whose colours are reversed, begins so.
on() {
	in_tmux capture-pane -e -p | tail -n +2 | grep -aqE $'^\e\\[([0-9]+;)*7m(\e\\[[0-9]+m)* *'"$1"
}

# shown TEXT: it is on the screen, or will be.
shown() {
	wait_for 5 shows "$1" || die "$1 is not on the screen"
}

cursor_on() {
	wait_for 5 on "$1" || die "the cursor is not on $1"
}

for terminal in xterm-256color screen-256color; do
	open_terminal 80x24 env TERM=$terminal '"$TLBTRACE"' report data/slim_4k_ranges_c33.dat
	wait_for 20 shows 'ended by' || die "it does not begin"

	# Each name in the title, at its first and last column: " 1 overview  2 mms  3 flushes …".
	for at in 13:ipis 19:ipis 20:'141 requests' 30:'141 requests' 31:'tlbtrace whatif' \
		41:'tlbtrace whatif' 42:'by IPI' 49:'by IPI' 1:'ended by' 12:'ended by'; do
		keys '?'
		shown 'go into what'
		mouse $left "${at%%:*}" 1
		shown "${at#*:}"
	done
	mouse $left 60 1 # nothing is there
	shown 'ended by'

	# Rows of mms: the first line is the title, the second the head.
	mouse $left 14 1
	cursor_on ranges/250
	mouse $left 5 4
	cursor_on trace-cmd/250
	mouse $left 5 20 # below all rows
	cursor_on trace-cmd/250
	mouse $wheel_up 5 10
	cursor_on ranges/250
	mouse $wheel_down 5 10
	cursor_on trace-cmd/250

	# A list longer than the screen.
	mouse $left 22 1
	cursor_on 0.011057
	mouse $left 40 22
	cursor_on 0.079001
	mouse $wheel_down 1 1
	mouse $wheel_down 1 1
	cursor_on 0.081392
	mouse $left 1 3 # two rows have gone
	cursor_on 0.020459

	# In what-if, the wheel is the local ceiling.
	mouse $left 33 1
	shown 'local-ceiling 256'
	mouse $wheel_up 40 10
	shown 'local-ceiling 257'
	mouse $wheel_down 40 10
	mouse $wheel_down 40 10
	shown 'local-ceiling 255'
	keys q
	expect_end 0
done
