#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# numbers.sh - the numbers on the screen are those of --format=json, also after the slider moved.
. "$(dirname "${BASH_SOURCE[0]}")/terminal.bash"

trace=slim_ranges_c33.dat # requests of many sizes: every ceiling costs something else
open_terminal 80x24 '"$TLBTRACE"' report "data/$trace"
wait_for 20 shows overview || die "it does not begin"

# expect_row NAME NUMBER…: a row of the screen with this name has these numbers, in this order.
expect_row() {
	local pattern="^$1"
	local n
	for n in "${@:2}"; do pattern+="[^0-9].*\\b$n\\b"; done
	row_shown() { screen | tr -d , | grep -Eq -- "$pattern"; }
	wait_for 5 row_shown || die "$pattern is not on the screen"
}

json() {
	"$TLBTRACE" "$1" --format=json "${@:3}" "$DATA/$trace" | jq -r "$2"
}

keys 2
# shellcheck disable=SC2046 # numbers
expect_row ranges/210 $(json report '.results[0].rows[0] | .flushes, .promoted, .pages, .tlbie, .tlbiel' --by=mm)

keys 4
whatif() {
	for counter in tlbie tlbie_va tlbie_pid tlbiel promoted ptesync; do
		expect_row $counter "$(json whatif ".results[0].policies[0].counters.$counter |
			if .likely then .likely else \"\(.lo)…\(.hi)\" end" "$@")"
	done
}
keys Left Left
whatif --ceiling=31
keys NPage Left
whatif --ceiling=20
keys PPage Right Right c
whatif --ceiling=32 --compare=ge
keys Down Down
whatif --ceiling=32 --compare=ge --local-ceiling=254
keys r m
whatif -p radix,tlbie=off
expect_row ipis "$(json whatif '.results[0].policies[0].counters.ipis.likely' -p radix,tlbie=off)"
keys q
expect_end 0

# What w writes is what the command line writes.
open_terminal 80x24 '"$TLBTRACE"' report "data/$trace"
wait_for 20 shows overview || die "it does not begin"
keys 2 w mms.csv Enter
wait_for 5 shows 'written: mms.csv' || die "nothing was written"
(cd "$scratch/cwd" && "$TLBTRACE" report --by=mm --format=csv "data/$trace") |
	diff "$scratch/cwd/mms.csv" - || die "the CSV is another"
keys 5 w cpus.txt Enter
wait_for 5 shows 'written: cpus.txt' || die "nothing was written"
grep -Eq '^CPU 3 +[^0-9 ] +300' "$scratch/cwd/cpus.txt" || die "the text is another"
keys 4 w x.csv Enter
wait_for 5 shows 'no table' || die "a CSV of what is no table"
[ ! -e "$scratch/cwd/x.csv" ] || die "x.csv was written"
keys q
expect_end 0
