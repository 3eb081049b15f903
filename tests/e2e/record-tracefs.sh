#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-tracefs.sh - record with an own instance: the file holds what happened, and nothing is left.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
. "$(dirname "$0")/../record/common.sh"
need_backend tracefs
build_workload
cd "$folder"
before=$(settings)

# Asking changes nothing.
"$TLBTRACE" record --list >list
"$TLBTRACE" record --dry-run -- true >plan
grep -q sched:sched_switch list || fail "--list has no sched_switch"
grep -q 'Would record with' plan || fail "--dry-run does not say how"
[ ! -e trace.dat ] || fail "--dry-run recorded"
[ "$(settings)" = "$before" ] || fail "--dry-run changed a setting"

# The whole way, with the default names.
"$TLBTRACE" record --with=tracefs -- ./$work 300 2>said
"$TLBTRACE" whatif --ceiling=8 >answer
grep -q 'ceiling=8' answer || fail "whatif does not answer: $(cat answer)"
grep -q 'Next: tlbtrace whatif' said || fail "no next command: $(cat said)"

# The workload's 300 munmaps, and a flush for each where the event is one per flush.
n=$(trace-cmd report trace.dat 2>/dev/null | grep -c "^ *$work-.* sys_enter_munmap" || :)
[ "$n" -ge 300 ] && [ "$n" -le 320 ] || fail "$n munmaps of 300"
[ "$(flushes trace.dat)" -ge 300 ] || fail "$(flushes trace.dat) flushes of 300"

# Other readers see the same: libtracecmd record by record, trace-cmd by its counts.
oracle=$(dirname "$TLBTRACE")/tests/oracle/oracle_tracedat
check_readers() {
	[ ! -x "$oracle" ] || ASAN_OPTIONS=detect_leaks=0 "$oracle" "$1" >/dev/null ||
		fail "$1: libtracecmd reads something else"
	local name
	for name in sched:sched_switch syscalls:sys_enter_munmap task:task_newtask; do
		[ "$(trace-cmd report "$1" 2>/dev/null | grep -c " ${name#*:}[:(]")" = "$(events "$1" $name)" ] ||
			fail "$1: trace-cmd report has another number of $name"
	done
	trace-cmd report "$1" 2>/dev/null | grep -q "^ *$work-[0-9]" || fail "$1: names are lost"
}
check_readers trace.dat
"$TLBTRACE" record -q --with=tracefs --file-version=6 -o six.dat -- ./$work 300
check_readers six.dat
a=$(flushes trace.dat) b=$(flushes six.dat)
[ $((a > b ? a - b : b - a)) -le 6 ] || fail "version 7 has $a flushes, 6 has $b"

# What decides predictions is in the file.
trace-cmd report trace.dat 2>/dev/null | grep -o 'tlbtrace: version=1 .*' >notes
grep -q "kernel=$(uname -r) arch=$(uname -m)" notes || fail "the kernel is not noted"
grep -q "page-size=$(getconf PAGESIZE)" notes || fail "the page size is not noted"
grep -q "[=,]$$:$$:$$:" notes || fail "this shell is not among the tasks"
grep -q '[=,]2:2:0:kthreadd' notes || [ ! -e /proc/2 ] || [ "$(cat /proc/2/comm)" != kthreadd ] ||
	fail "kthreadd has an address space"

# Threads that were there before: the notes say whose they are.
cc -O1 -pthread -x c -o "t$work" - <<-'END'
	#include <pthread.h>
	#include <sys/mman.h>
	#include <unistd.h>
	static void *flush(void *arg)
	{
		for (;;) {
			char *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			*p = 1;
			munmap(p, 4096);
			usleep(2000);
		}
		return arg;
	}
	int main(void)
	{
		pthread_t t;
		pthread_create(&t, 0, flush, 0);
		pthread_join(t, 0);
	}
	END
./"t$work" &
threads=$!
until [ "$(ls /proc/$threads/task | wc -l)" = 2 ]; do sleep 0.05; done
"$TLBTRACE" record -q --with=tracefs --duration=0.5 -o threads.dat
kill $threads
"$TLBTRACE" export --format=jsonl --comm="t$work" threads.dat | jq -r .mm | sort -u >groups
[ "$(cat groups)" = "t$work/$threads" ] || fail "threads of $threads: $(cat groups)"
"$TLBTRACE" info threads.dat | grep -q 'recorded by tlbtrace ' || fail "info: $("$TLBTRACE" info threads.dat)"

# One process only; it waits until it is recorded.
sh -c 'until [ -e go ]; do sleep 0.05; done; exec ./'$work' 50' &
begin -p $! -o one.dat
touch go
wait "$pid" || fail "-p: $(cat said)"
[ "$(flushes one.dat)" -ge 50 ] || fail "-p misses its process"
trace-cmd report one.dat 2>/dev/null | grep ' sys_enter_munmap' | grep -vqE "^ *($work|sh|sleep)-" &&
	fail "-p has other processes"

# Small buffers lose events, say so, and say what would do.
"$TLBTRACE" record --with=tracefs -b 4 -o lost.dat -- sh -c "./$work 20000 & ./$work 20000; wait" 2>said
if grep -q LOST said; then
	grep -qE 'LOST: -b [0-9]+ |larger buffers: -b' said || fail "no buffer size: $(cat said)"
fi
[ "$(settings)" = "$before" ] || fail "a setting of tracefs has changed"
echo "record-tracefs: recorded, read by all, nothing left"
