#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-perf.sh - perf records the same flushes as tracefs, and its other readers agree.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
. "$(dirname "$0")/../record/common.sh"
. "$(dirname "$0")/../oracle/printed.sh"
need_backend perf
build_workload
cd "$folder"
before=$(settings)

"$TLBTRACE" record -q --with=perf -- ./$work 600
[ -s perf.data ] || fail "no perf.data"
grep -q "^tlbtrace: version=1 kernel=$(uname -r) " perf.data.tlbmeta || fail "no side file"

# perf script has the same number of each.
perf script -i perf.data 2>/dev/null >script
for name in tlb:tlb_flush powerpc:tlbie sched:sched_switch syscalls:sys_exit_munmap; do
	[ "$(grep -c " $name: " script || true)" = "$(events perf.data $name)" ] ||
		fail "perf script has $(grep -c " $name: " script || true) $name, we have $(events perf.data $name)"
done

# And what perf converts for babeltrace2 is the same event by event: time, CPU, task and fields.
if perf data convert --to-ctf=ctf -i perf.data >/dev/null 2>&1 && command -v babeltrace2 >/dev/null; then
	printed_by_babeltrace ctf >theirs
	[ "$(wc -l <theirs)" -ge 600 ] || fail "babeltrace2 has $(wc -l <theirs) flushes and switches"
	diff theirs <(printed_by_us perf.data) || fail "babeltrace2 (<) prints other events than we (>) read"
fi

# The same workload by both backends: equal counts, but for what start and end of a process add.
if "$TLBTRACE" record -q --with=tracefs --requests=off -o trace.dat -- ./$work 600; then
	a=$(flushes perf.data) b=$(flushes trace.dat)
	[ "$a" -ge 600 ] || fail "perf: $a flushes of 600"
	[ $((a > b ? a - b : b - a)) -le 6 ] || fail "perf has $a flushes, tracefs $b"
fi

# A command that is not there leaves no file.
"$TLBTRACE" record -q --with=perf -o none.data -- ./nothing 2>said && fail "a missing command is no error"
! ls none.data* >/dev/null 2>&1 || fail "a missing command: files are left: $(ls)"

code=0
"$TLBTRACE" record -q --with=perf -- sh -c 'exit 7' || code=$?
[ $code = 7 ] || fail "exit $code instead of the command's 7"

# perf is killed in the middle: said, and nothing left running.
code=0
timeout 60 "$TLBTRACE" record -q --with=perf -o cut.data -- \
	sh -c 'kill -KILL $(pgrep -P $PPID -x perf); sleep 5' 2>said || code=$?
[ $code = 4 ] || fail "perf was killed: exit $code instead of 4"
grep -q '^tlbtrace: perf: stopped recording: it was ended by signal 9: .* is cut' said || fail "perf was killed: $(cat said)"
[ "$(settings)" = "$before" ] || fail "a setting of tracefs has changed"
echo "record-perf: perf and tracefs agree"
