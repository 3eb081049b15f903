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
}

# What was cut short, by trace-cmd too.
readable_to_all() {
	readable "$1"
	trace-cmd report "$1" >/dev/null 2>&1 || fail "$1: trace-cmd cannot read it"
}

# A command line of record that is refused: exit code, and a word of the one line that says why.
refused() {
	local code=0 want=$1 word=$2
	shift 2
	"$@" 2>said || code=$?
	[ $code = "$want" ] && [ "$(wc -l <said)" = 1 ] && grep -q -e "$word" said ||
		fail "$*: exit $code, not $want: $(cat said)"
}

# The command's own status.
for want in 0 3; do
	code=0
	"$TLBTRACE" record -q --with=tracefs -o status.dat -- sh -c "exit $want" || code=$?
	[ $code = $want ] || fail "exit $code instead of the command's $want"
done
readable status.dat
code=0
"$TLBTRACE" record -q --with=tracefs -o signal.dat -- sh -c 'kill -KILL $$' || code=$?
[ $code = 137 ] || fail "a command killed by SIGKILL: exit $code"
readable_to_all signal.dat

# Time is over.
"$TLBTRACE" record -q --with=tracefs -o time.dat --duration=0.2
readable time.dat

# Asked to end, with and without a command; the command ends too.
for signal in INT TERM HUP; do
	begin -o "$signal.dat" --duration=60
	kill -$signal "$pid"
	expect 130 "SIG$signal"
	readable "$signal.dat"
done
begin -o command.dat -- sleep 61.25
kill -TERM "$pid"
expect 130 "SIGTERM with a command"
! pgrep -f 'sleep 61.25' >/dev/null || fail "the command still runs"
readable command.dat

# Asked again while it finishes the file: it gives up, and leaves none. That it was still at it when
# the second came is not for certain, so the file is large, and there are several tries.
for try in 1 2 3 4 5; do
	begin -o again.dat --duration=60
	./$work 30000
	while kill -INT "$pid" 2>/dev/null; do
		sleep 0.002
	done
	expect 130 "SIGINT and SIGINT again"
	[ -e again.dat ] || break
	rm again.dat
done
[ $try != 5 ] || fail "it never gives up"
grep -q 'given up' said || fail "it does not say that it gave up: $(cat said)"

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

# One line each, and no file.
refused 4 'nothing: cannot be run' "$TLBTRACE" record -q -o none.dat -- ./nothing
refused 4 'nowhere/none.dat' "$TLBTRACE" record -q -o nowhere/none.dat -- true
refused 2 'not a regular file' "$TLBTRACE" record -q -o . -- true
refused 2 'name a file' "$TLBTRACE" record -q -o - -- true
refused 2 'name a file' "$TLBTRACE" record -q --with=perf -o - -- true
refused 4 'requests: ' "$TLBTRACE" record -q --requests=only -o none.dat -- true
[ ! -e none.dat ] && [ ! -e - ] || fail "a refused recording leaves a file: $(ls)"
if command -v setpriv >/dev/null; then
	chmod 755 .
	cp "$TLBTRACE" own
	# libtracefs 1.6 forgets a string for each look at a folder that it may not read.
	ASAN_OPTIONS=detect_leaks=0 refused 4 'run it as root' \
		setpriv --reuid=65534 --regid=65534 --clear-groups ./own record -q -- true
fi

# A recording that is there stays until there is another.
cp time.dat there.dat
refused 4 'cannot be run' "$TLBTRACE" record -q -o there.dat -- ./nothing
cmp -s time.dat there.dat || fail "a recording is gone, and there is no other"
"$TLBTRACE" record -q --with=tracefs -o there.dat -- true
! cmp -s time.dat there.dat || fail "a recording was not replaced"

# A file that may not grow, and a disk that is full: what was recorded is kept.
(ulimit -f 8000 && exec "$TLBTRACE" record -q --with=tracefs --file-version=6 -b 2048 -o limit.dat -- \
	./$work 40000) 2>said &
pid=$!
expect 4 "a file size limit"
readable_to_all limit.dat
[ "$("$TLBTRACE" whatif --format=json limit.dat | jq '.results[0].input.events["sched:sched_switch"]')" -gt 0 ] ||
	fail "a file size limit: nothing was kept"
mkdir small
if mount -t tmpfs -o size=8m none small 2>/dev/null; then
	code=0
	"$TLBTRACE" record -q --with=tracefs --file-version=6 -b 2048 -o small/full.dat -- ./$work 40000 2>said || code=$?
	[ $code = 4 ] && grep -q 'No space left' said || fail "a full disk: exit $code: $(cat said)"
	readable_to_all small/full.dat
	rm small/full.dat
	head -c 8300000 /dev/zero >small/fill
	code=0
	"$TLBTRACE" record -q -o small/none.dat -- true 2>said || code=$?
	[ $code = 4 ] && [ ! -e small/none.dat ] || fail "no room at all: exit $code: $(cat said)"
fi

# tracefs is unmounted under it (for it alone). libtracefs then forgets a string that it had.
if unshare -m true 2>/dev/null; then
	ASAN_OPTIONS=detect_leaks=0 unshare -m sh -c 'exec "$TLBTRACE" record -q --with=tracefs -o gone.dat -- \
		sh -c "umount -l /sys/kernel/tracing && ./$work 300"' 2>said &
	pid=$!
	expect 0 "tracefs is gone"
	readable_to_all gone.dat
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
