#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# interrupt.sh - Ctrl-C while a pipe is read: commands that can answer for a part do, and say so; from
# the others there is nothing.
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

# As from a terminal: a shell's jobs in the background ignore SIGINT.
ctrl_c() {
	env --default-signal=INT "$TLBTRACE" "$@" >"$dir/out" 2>"$dir/err" &
	pid=$!
}

# interrupted NAME MESSAGE ARGUMENT…: on a pipe that stops in the middle, it is interrupted there.
interrupted() {
	local name=$1
	local message=$2
	shift 2
	rm -f "$dir/fed"
	{ head -c "$bytes" "$trace"; : >"$dir/fed"; exec sleep 100; } >"$dir/fifo" &
	feeder=$!
	ctrl_c "$@" "$dir/fifo"
	until [ -e "$dir/fed" ]; do sleep 0.05; done
	sleep 0.5 # for what the pipe still has
	kill -INT $pid
	wait $pid
	[ $? = 130 ] || fail "$name: not 130"
	kill $feeder
	wait $feeder 2>/dev/null
	grep -q "fifo: interrupted: $message" "$dir/err" || fail "$name: it does not say so"
}

# The same, where a part is worth something.
part() {
	interrupted "$1" 'only what was read until then is counted' "${@:2}"
}

# The same, where it is not.
nothing() {
	interrupted "$@"
	[ ! -s "$dir/out" ] || fail "$1: there is a result"
}

trace=$DATA/slim_shm_c34_v6.dat
bytes=$(($(stat -c %s "$trace") / 2))
"$TLBTRACE" report --format=json --by=mm "$trace" >"$dir/all"

part json report --format=json --by=mm
jq -e --slurpfile whole "$dir/all" '.results[0] | .quality.interrupted and .total.instructions > 0 and
	.total.instructions < $whole[0].results[0].total.instructions' "$dir/out" >/dev/null || fail "json"
part text report --stdio
grep -q '^  Reading was interrupted' "$dir/out" || fail "text"

"$TLBTRACE" whatif --format=json "$trace" >"$dir/whole"
part "whatif json" whatif --format=json --budget='tlbie<=1M' --baseline="$dir/base" --update-baseline
jq -e --slurpfile whole "$dir/whole" '.results[0] | .quality.interrupted and .recorded.tlbie > 0 and
	.recorded.tlbiel < $whole[0].results[0].recorded.tlbiel' "$dir/out" >/dev/null || fail "whatif json"
jq -e '.checks[0].verdict == "undecided"' "$dir/out" >/dev/null || fail "a budget that holds for a part"
[ ! -e "$dir/base" ] || fail "a baseline of a part"
grep -q 'the baseline is not written' "$dir/err" || fail "it does not say so of the baseline"
part "whatif text" whatif --ceiling=8
grep -q '^  Reading was interrupted: only what was read is counted' "$dir/out" || fail "whatif text"

part "info text" info
grep -q 'Damage *reading was interrupted' "$dir/out" || fail "info text"
part "info json" info --format=json
jq -e '.results[0] | .quality.interrupted and .has.flush_records > 0' "$dir/out" >/dev/null ||
	fail "info json"

nothing diff 'there is no result' diff "$trace"
nothing "diff to a file" "$dir/file is not written" diff -o "$dir/file" "$trace"
nothing summarize "$dir/file is not written" summarize -o "$dir/file"
for left in "$dir"/file*; do
	[ ! -e "$left" ] || fail "$left is left"
done

# Nobody ever writes.
ctrl_c report --stdio "$dir/fifo"
sleep 0.5
kill -INT $pid
wait $pid
[ $? = 130 ] && [ ! -s "$dir/out" ] || fail "an empty pipe"

# Who ignores it, as a shell's jobs in the background do, is not interrupted.
{ cat "$trace"; sleep 1; } >"$dir/fifo" &
feeder=$!
env --ignore-signal=INT "$TLBTRACE" report --format=json --by=mm "$dir/fifo" >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 0.5
kill -INT $pid
wait $pid || fail "it did not ignore SIGINT"
jq -e --slurpfile all "$dir/all" '.results[0].total == $all[0].results[0].total' "$dir/out" >/dev/null ||
	fail "a part, without an interrupt"
