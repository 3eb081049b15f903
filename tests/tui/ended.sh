#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ended.sh - address spaces that ended and are counted together, whose places others have taken; and
# readings that were interrupted.
. "$(dirname "${BASH_SOURCE[0]}")/terminal.bash"
set -e

generate=$BUILD/emulated/generate
[ -x "$generate" ] || generate=$BUILD/tests/bench/generate
"$generate" v6 360000 3 16000 p10 1 "$scratch/cwd/many" >/dev/null
"$TLBTRACE" report --by=mm --format=json "$scratch/cwd/many" >"$scratch/json"
row() {
	jq -r "[.results[0].rows[] | select($1)][0] | $2" "$scratch/json"
}
ended=$(row .mms .mm) # "build.sh (10743 ended)"
youngest=$(jq -r '[.results[0].rows[] | select(.tgid) | .tgid] | max' "$scratch/json")
shown() {
	wait_for 60 shows "$1" || die "$1 is not on the screen"
}
requests() {
	screen | sed -n 's/^\([0-9,]*\) requests.*/\1/p' | tr -d ,
}
listed() {
	[ "$(requests)" ]
}

open_terminal 120x40 '"$TLBTRACE"' report many
shown 'ended by'

# The row of those that ended: into it, its flushes, its filter as text, what if.
keys 2 / ended Enter Enter
shown "filter: mm=$ended"
keys 3
wait_for 60 listed || die "no list"
[ "$(requests)" = "$(row .mms .flushes)" ] || die "$(row .mms .flushes) flushes have ended"
keys f Enter 2
shown "filter: mm=$ended"
keys 4
shown "tlbtrace whatif"
screen | tr -d , | grep -Eq "^flushes +$(row .mms .flushes) +$(row .mms .flushes) " || die "another what if"
keys 2 f C-u 'mm=build.sh' Space Space 'cause=exec' Enter
shown 'have this name; this is the largest'
keys 2
shown "filter: mm=$ended cause=exec"

# One that took the place of some that ended has its own flushes alone.
keys f C-u "mm=build.sh/$youngest" Enter 3
shown "$(row ".tgid == $youngest" .flushes) requests"
! screen | grep -E '^ +[0-9]+\.' | grep -v "/$youngest " ||
	die "flushes of others"

# The same where reading again is interrupted before its time.
keys 2 f C-u "mm=build.sh/$((youngest - 1))" Enter
keys 3 q
shown 'interrupted: there are more'
[ "$(requests)" = 0 ] || die "flushes of those that had its place before"
keys q
expect_end 0

# What is read again of a reading that was interrupted is no more than was read.
open_terminal 120x40 sh -c "'stty -icanon; sleep 0.5; \"\$TLBTRACE\" report many; stty icanon'"
sleep 0.2
keys q
shown 'reading was interrupted'
flushes=$(screen | tr -d , | sed -n 's/^flushes \([0-9]*\) .*/\1/p')
all=$(jq '.results[0].total.flushes' "$scratch/json")
[ "$flushes" -gt 0 ] && [ "$flushes" -lt "$all" ] || die "$flushes flushes of $all"
keys 3
wait_for 60 listed || die "no list"
[ "$(requests)" = "$flushes" ] || die "$(requests) flushes instead of $flushes"
keys q
expect_end 0
