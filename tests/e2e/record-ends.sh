#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-ends.sh - however a recording ends, tracefs is as it was, and what was recorded is readable.
set -eu
folder=$(mktemp -d)
trap 'umount "$folder/small" 2>/dev/null || :; rm -rf "$folder"' EXIT
. "$(dirname "$0")/../record/common.sh"
need_backend tracefs
build_workload
cd "$folder"
before=$(settings)

# Waits for it and compares its exit code.
expect() {
	local code=0
	wait "$pid" || code=$?
	[ $code = "$1" ] || fail "$2: exit $code instead of $1: $(cat said)"
	check_clean "$pid" "$before"
}

readable() {
	"$TLBTRACE" whatif --ceiling=8 "$1" >/dev/null || fail "$1: not readable"
	trace-cmd report "$1" >/dev/null 2>&1 || fail "$1: trace-cmd cannot read it"
}

# The command's own status.
for want in 0 3; do
	code=0
	"$TLBTRACE" record -q --with=tracefs -o status.dat -- sh -c "exit $want" || code=$?
	[ $code = $want ] || fail "exit $code instead of the command's $want"
done
readable status.dat
begin -o signal.dat -- sh -c 'sleep 0.3; kill -KILL $$'
expect 137 "a command killed by SIGKILL"
readable signal.dat

# Time is over.
begin -o time.dat --duration=0.5
expect 0 "--duration"
readable time.dat

# Asked to end, with and without a command; the command ends too.
for signal in INT TERM HUP; do
	begin -o "$signal.dat" --duration=60
	sleep 0.2
	kill -$signal "$pid"
	expect 130 "SIG$signal"
	readable "$signal.dat"
done
begin -o command.dat -- sleep 61.25
sleep 0.2
kill -TERM "$pid"
expect 130 "SIGTERM with a command"
! pgrep -f 'sleep 61.25' >/dev/null || fail "the command still runs"
readable command.dat

# Killed: the next recording removes what it left, and a live one is left alone.
begin -o killed.dat --duration=60
killed=$pid
kill -KILL "$pid"
wait "$pid" 2>/dev/null || :
begin -o live.dat --duration=60
live=$pid
[ ! -e "$instances/tlbtrace-$killed" ] || fail "the next run does not remove tlbtrace-$killed"
"$TLBTRACE" record -q --with=tracefs -o next.dat -- true
[ -e "$instances/tlbtrace-$live" ] || fail "a live recording's instance was removed"
kill -INT "$live"
expect 130 "a recording beside others"
[ ! -e killed.dat ] || fail "half a file has a name"

# A program that is not there, a place that is not there: one line, exit 4.
for arguments in '-o none.dat -- ./nothing' '-o nowhere/none.dat -- true'; do
	code=0
	# shellcheck disable=SC2086
	"$TLBTRACE" record -q $arguments 2>said || code=$?
	[ $code = 4 ] && [ "$(wc -l <said)" = 1 ] || fail "$arguments: exit $code: $(cat said)"
	[ ! -e none.dat ] || fail "$arguments: a file was written"
done

# A file that may not grow, and a disk that is full: what was recorded is kept.
(ulimit -f 3000 && exec "$TLBTRACE" record -q --with=tracefs -b 2048 -o limit.dat -- ./flushes 120000) 2>said &
pid=$!
expect 4 "a file size limit"
readable limit.dat
[ "$("$TLBTRACE" whatif --format=json limit.dat | jq '.results[0].input.events["sched:sched_switch"]')" -gt 0 ] ||
	fail "a file size limit: nothing was kept"
mkdir small
if mount -t tmpfs -o size=4m none small 2>/dev/null; then
	code=0
	"$TLBTRACE" record -q --with=tracefs -b 2048 -o small/full.dat -- ./flushes 150000 2>said || code=$?
	[ $code = 4 ] && grep -q 'No space left' said || fail "a full disk: exit $code: $(cat said)"
	readable small/full.dat
	rm small/full.dat
	head -c 3900000 /dev/zero >small/fill
	code=0
	"$TLBTRACE" record -q -o small/none.dat -- true 2>said || code=$?
	[ $code = 4 ] && [ ! -e small/none.dat ] || fail "no room at all: exit $code: $(cat said)"
fi

# tracefs is unmounted under it (for it alone). libtracefs then forgets a string that it had.
if unshare -m true 2>/dev/null; then
	ASAN_OPTIONS=detect_leaks=0 unshare -m sh -c 'exec "$TLBTRACE" record -q --with=tracefs -o gone.dat -- \
		sh -c "umount -l /sys/kernel/tracing && ./flushes 300"' 2>said &
	pid=$!
	expect 0 "tracefs is gone"
	readable gone.dat
fi

# trace-cmd records the same way, or one line says why it cannot.
code=0
"$TLBTRACE" record -q --with=trace-cmd -o tc.dat -- sh -c 'exit 5' 2>said || code=$?
if [ $code = 5 ]; then
	readable tc.dat
else
	[ $code = 4 ] && [ "$(wc -l <said)" = 1 ] && grep -q '^tlbtrace: trace-cmd: ' said ||
		fail "trace-cmd: exit $code: $(cat said)"
fi
[ "$(settings)" = "$before" ] || fail "a setting of tracefs has changed"
echo "record-ends: all ends leave tracefs as it was"
