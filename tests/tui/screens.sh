#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# screens.sh [NAME…] - what each view shows after scripted keys, at two sizes.
#
# screens.tsv has the scripts, screens/NAME.SIZE what is expected. UPDATE=1 writes that.
. "$(dirname "${BASH_SOURCE[0]}")/terminal.bash"

same_screen() {
	screen >"$scratch/screen"
	cmp -s "$scratch/screen" "$1"
}

# Two looks at the screen that agree.
settled() {
	screen >"$scratch/screen"
	sleep 0.2
	screen | cmp -s - "$scratch/screen"
}

check_screen() {
	local expected=$tui/screens/$1.$2
	open_terminal "$2" '"$TLBTRACE"' report "data/$3"
	wait_for 20 shows 'overview' || die "$1: it does not begin"
	# shellcheck disable=SC2086 # keys are words
	[ -z "$4" ] || keys $4
	if [ "${UPDATE:-}" = 1 ]; then
		sleep 0.3
		wait_for 10 settled
		cp "$scratch/screen" "$expected"
	elif ! wait_for 5 same_screen "$expected"; then
		diff -u --label "expected $1 at $2" --label "$1 at $2" "$expected" "$scratch/screen"
		failures=$((failures + 1))
	fi
	keys q
	expect_end 0
}

failures=0
while IFS=$'\t' read -r name trace script; do
	[[ $name != \#* && (" $* " == *" $name "* || $# = 0) ]] || continue
	check_screen "$name" 80x24 "$trace" "$script"
	check_screen "$name" 120x40 "$trace" "$script"
done <"$tui/screens.tsv"
[ $failures -eq 0 ]
