#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf_script.sh - the times and CPUs of flushes and switches in perf.data are those that perf script
# prints, and there are as many samples as it finds. With EVERY_TRACE=1 also all below TLBTRACE_TRACES.
set -u

command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# What perf script has of the events that dump_events names: "nanoseconds cpu name".
by_perf() {
	perf script -F cpu,time,event --ns -i "$1" 2>/dev/null | sed -nE \
		-e 's/^ *\[0*([0-9]+)\] +0*([0-9]*)\.([0-9]{9}): +powerpc:tlbie:.*/\2\3 \1 tlbie/p' \
		-e 's/^ *\[0*([0-9]+)\] +0*([0-9]*)\.([0-9]{9}): +tlb:tlb_flush:.*/\2\3 \1 x86_flush/p' \
		-e 's/^ *\[0*([0-9]+)\] +0*([0-9]*)\.([0-9]{9}): +sched:sched_switch:.*/\2\3 \1 switch/p' |
		sort
}

by_us() {
	"$DUMP_EVENTS" -e "$1" |
		sed -nE 's/^([0-9]+) \[0*([0-9]+)\] -?[0-9]+ (tlbie|x86_flush|switch) .*/\1 \2 \3/p' | sort
}

samples() {
	perf script -D -i "$1" 2>/dev/null | grep -ac 'PERF_RECORD_SAMPLE(' || true
}

check() {
	local file=$1 n read
	n=$(samples "$file")
	read=$("$DUMP_EVENTS" "$file" | sed -nE 's/^events=([0-9]+) .*/\1/p')
	if [ "$n" != "$read" ]; then
		echo "$file: perf finds $n samples, we read $read"
		failures=$((failures + 1))
	fi
	by_perf "$file" >"$work/perf"
	by_us "$file" >"$work/us"
	# Of a group read perf shows the values of other events as if they were samples.
	[[ $file == *group* ]] && sed -i '/switch$/d' "$work/perf" "$work/us"
	# Without times perf script prints none.
	[[ $file == *notime* ]] && return
	if ! diff "$work/perf" "$work/us" >"$work/diff"; then
		echo "$file: perf script (<) and we (>) differ:"
		head -20 "$work/diff"
		failures=$((failures + 1))
	fi
}

checked=0
for file in "$DATA"/perf_*.perf.data; do
	check "$file"
	checked=$((checked + 1))
done
if [ "${EVERY_TRACE:-}" = 1 ]; then
	while IFS= read -r file; do
		check "$file"
		checked=$((checked + 1))
	done < <(find "$TLBTRACE_TRACES" -name '*.perf.data')
	while IFS= read -r file; do
		tar -xf "$file" -C "$work"
		file=$work/$(basename "$file" .tar)
		check "$file"
		checked=$((checked + 1))
	done < <(find "$TLBTRACE_TRACES" -name '*.perf.data.tar')
fi
echo "$checked files, $failures differences"
[ $failures -eq 0 ]
