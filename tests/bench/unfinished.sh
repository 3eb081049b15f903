#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# unfinished.sh GENERATE - an export that is interrupted, or has no room, leaves nothing behind.
set -eu

generate=$1
dir=$(mktemp -d)
mounted=
trap 'kill "${pid:-}" 2>/dev/null || :; [ -z "$mounted" ] || umount "$dir/small"; rm -rf "$dir"' EXIT
cd "$dir"
mkdir out
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# As from a terminal: a shell's jobs in the background ignore SIGINT.
start() {
	env --default-signal=INT,TERM,HUP "$TLBTRACE" export -q --format="$1" -o "out/$1" trace 2>said &
	pid=$!
}

# Ends once the export has begun to write, or has ended.
await_temporary() {
	while kill -0 $pid 2>/dev/null; do
		for name in out/*.??????; do
			[ ! -e "$name" ] || return 0
		done
	done
}

# FORMAT SIGNAL. Where the export was faster, there is another try.
interrupt() {
	local status tries
	for tries in 1 2 3 4 5 6 7 8; do
		rm -rf out/*
		start "$1"
		await_temporary
		kill "-$2" $pid 2>/dev/null || :
		status=0
		wait $pid 2>/dev/null || status=$?
		[ $status = 0 ] || break
	done
	[ $status = $((128 + $(kill -l "$2"))) ] || fail "$1: exit $status for SIG$2, after $tries tries"
	[ -z "$(ls out)" ] || fail "$1: SIG$2 leaves $(ls out)"
	grep -q "^tlbtrace: .*out/$1 is not written$" said && [ "$(wc -l <said)" = 1 ] || fail "$1: $(cat said)"
}

# verify reads what it predicts from twice, and each recording of what happened.
interrupt_verify() {
	local status tries
	env --default-signal=INT "$TLBTRACE" verify -q --actual=trace trace >out/verify 2>said &
	pid=$!
	for tries in {1..100}; do # until it reads: then SIGINT, signal 2, is blocked
		! grep -q '^SigBlk:.*[2367abef]$' "/proc/$pid/status" || break
		sleep 0.02
	done
	kill -INT $pid 2>/dev/null || fail "verify has ended already"
	status=0
	wait $pid || status=$?
	[ $status = 130 ] || fail "verify: exit $status"
	[ ! -s out/verify ] || fail "verify: there is a result"
	grep -q 'trace: interrupted: there is no result' said || fail "verify: $(cat said)"
}

events=1000000
[[ $TLBTRACE != */emulated/* ]] || events=100000
"$generate" v6 $events 4 300 p9 1 trace >/dev/null
# Each signal; unit/test_temporary has all of them for files.
interrupt csv INT
interrupt jsonl TERM
interrupt perfetto HUP
interrupt sqlite INT
interrupt_verify
interrupt ctf TERM
interrupt ctf HUP

# A file may not grow any further, and a disk is full: one line, exit 4, and nothing there.
"$generate" v6 100000 4 300 p9 1 trace >/dev/null
no_room() { # where, text of the message
	local format status
	for format in csv jsonl perfetto sqlite ctf; do
		status=0
		"$TLBTRACE" export -q --format=$format -o "$1/$format" trace 2>said || status=$?
		[ $status = 4 ] && [ "$(wc -l <said)" = 1 ] && grep -qE "$2" said ||
			fail "$format: exit $status: $(cat said)"
		[ -z "$(ls "$1")" ] || fail "$format: without room it leaves $(ls "$1")"
	done
}
rm -rf out/*
(ulimit -f 40 && no_room out 'too large|disk I/O|could not|large') || exit
mkdir small
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
	mounted=yes
	no_room small 'No space|full|could not'
fi
echo "unfinished: nothing is left"
