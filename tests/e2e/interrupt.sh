#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# interrupt.sh - Ctrl-C while a pipe is read keeps what was read so far, and says so.
set -u

dir=$(mktemp -d)
feeder=
trap 'kill $feeder 2>/dev/null; rm -rf "$dir"' EXIT
mkfifo "$dir/fifo"
fail() {
	echo "$*"
	cat "$dir/out" "$dir/err"
	exit 1
}

# Runs the command line on a pipe that stops in the middle, and interrupts it there.
interrupted() {
	local name pid
	name=$1
	shift
	{ head -c "$bytes" "$trace"; exec sleep 100; } >"$dir/fifo" &
	feeder=$!
	"$TLBTRACE" "$@" "$dir/fifo" >"$dir/out" 2>"$dir/err" &
	pid=$!
	sleep 1.5
	kill -INT $pid
	wait $pid
	[ $? = 130 ] || fail "$name: not 130"
	kill $feeder
	wait $feeder 2>/dev/null
	grep -q 'interrupted: only what was read' "$dir/err" || fail "$name: it does not say so"
}

trace=$DATA/slim_shm_c34_v6.dat
bytes=$(($(stat -c %s "$trace") / 2))
"$TLBTRACE" report --format=json --by=mm "$trace" >"$dir/whole"

interrupted json report --format=json --by=mm
jq -e --slurpfile whole "$dir/whole" '.results[0] | .quality.interrupted and .total.instructions > 0 and
	.total.instructions < $whole[0].results[0].total.instructions' "$dir/out" >/dev/null || fail "json"
interrupted text report --stdio
grep -q '^  Reading was interrupted' "$dir/out" || fail "text"

"$TLBTRACE" whatif --format=json "$trace" >"$dir/whole"
interrupted "whatif json" whatif --format=json --budget='tlbie<=1M' --baseline="$dir/base" --update-baseline
jq -e --slurpfile whole "$dir/whole" '.results[0] | .quality.interrupted and .recorded.tlbie > 0 and
	.recorded.tlbiel < $whole[0].results[0].recorded.tlbiel' "$dir/out" >/dev/null || fail "whatif json"
jq -e '.checks[0].verdict == "undecided"' "$dir/out" >/dev/null || fail "a budget that holds for a part"
[ ! -e "$dir/base" ] || fail "a baseline of a part"
interrupted "whatif text" whatif --ceiling=8
grep -q '^  Reading was interrupted: only what was read is counted' "$dir/out" || fail "whatif text"

# Nobody ever writes.
"$TLBTRACE" report --stdio "$dir/fifo" >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 0.5
kill -INT $pid
wait $pid
[ $? -ge 3 ] && [ ! -s "$dir/out" ] || fail "an empty pipe"
