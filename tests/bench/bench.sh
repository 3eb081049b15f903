#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench.sh BUILD DIR [EVENTS [PERF_EVENTS]] - all measurements of docs/performance.md, in one go.
#
# BUILD is a build directory with tlbtrace and the programs of tests/bench; traces are made in DIR
# and stay there: about 70 bytes an event for trace.dat, 130 for perf.data. What takes minutes runs
# once (SLOW_RUNS), all else five times (RUNS), after the files were read once.
set -euo pipefail

build=$1
dir=$2
events=${3:-50000000}
perf_events=${4:-$((events / 5))}
runs=${RUNS:-5}
slow=${SLOW_RUNS:-1}
tlbtrace=$build/tlbtrace
generate=$build/tests/bench/generate
loops=$build/tests/bench/loops
measure=$(dirname "$0")/measure.py

# make FORMAT EVENTS CPUS PROCESSES MACHINE: makes the trace that is not there yet, prints its path.
make() {
	local file=$dir/$1-$2-$3-$4-$5
	[ -e "$file" ] || "$generate" "$@" 1 "$file" >"$file.said"
	cat "$file" >/dev/null
	echo "$file"
}

made() { sed -E 's/events=([0-9]+) .*/\1/' "$1.said"; }

# row RUNS NAME FILE COMMAND...
row() {
	local times=$1 name=$2 file=$3
	shift 3
	python3 "$measure" "$times" "$name" "$(made "$file")" "$@"
}

heading() {
	printf '\n%s (load %s)\n' "$1" "$(cut -d' ' -f1 /proc/loadavg)"
	printf 'what\tseconds\tlowest\thighest\tcpu s\tM events/s\tpeak MB\town MB\texit\n'
}

ours() {
	row "$runs" "tlbtrace whatif" "$1" "$tlbtrace" whatif --ceiling=31 "$1"
	row "$runs" "tlbtrace info" "$1" "$tlbtrace" info "$1"
	row "$runs" "tlbtrace report --by=mm" "$1" "$tlbtrace" report --stdio --by=mm "$1"
}

policies() {
	for ceiling in $(seq 1 20); do
		printf -- '--policy=radix,ceiling=%d\n' "$ceiling"
	done
}

plain() {
	heading "trace.dat, not compressed: $(made "$1") events"
	ours "$1"
	mapfile -t twenty < <(policies)
	row "$runs" "tlbtrace whatif, 20 policies" "$1" "$tlbtrace" whatif "${twenty[@]}" "$1"
	row "$runs" "tlbtrace whatif, sweep of 4096" "$1" "$tlbtrace" whatif --sweep=ceiling=1:4096 "$1"
	row "$runs" "cat" "$1" cat "$1"
	row "$runs" "loop with kbuffer" "$1" "$loops" kbuffer "$1"
	row "$slow" "loop with libtracecmd" "$1" "$loops" tracecmd "$1"
	row "$slow" "trace-cmd report" "$1" trace-cmd report "$1"
}

cold() {
	heading "not in the page cache: $(made "$1") events"
	COLD=$1 row "$runs" "cat" "$1" cat "$1"
	COLD=$1 row "$runs" "tlbtrace whatif" "$1" "$tlbtrace" whatif --ceiling=31 "$1"
}

packed() {
	heading "trace.dat, zstd: $(made "$1") events"
	ours "$1"
	row "$runs" "inflating alone, $(nproc) threads" "$1" "$loops" inflate "$1" "$(nproc)"
}

perf_plain() {
	heading "perf.data: $(made "$1") events"
	ours "$1"
	row "$runs" "cat" "$1" cat "$1"
	row "$slow" "perf report --stdio" "$1" perf report --stdio -i "$1"
	row "$slow" "perf script" "$1" perf script -i "$1"
}

perf_cold() {
	heading "not in the page cache: $(made "$1") events"
	COLD=$1 row "$runs" "cat" "$1" cat "$1"
	COLD=$1 row "$runs" "tlbtrace whatif" "$1" "$tlbtrace" whatif --ceiling=31 "$1"
}

packed() {
	heading "perf.data, zstd: $(made "$1") events"
	ours "$1"
	row "$runs" "inflating alone, 1 thread" "$1" "$loops" inflate-perf "$1"
}

ctf() {
	rm -rf "$dir/ctf"
	perf data convert -i "$1" --to-ctf "$dir/ctf" >/dev/null 2>&1 || {
		echo "perf cannot convert to CTF here"
		return
	}
	heading "the same as CTF: $(made "$1") events"
	row "$slow" "tlbtrace whatif" "$1" "$tlbtrace" whatif --ceiling=31 "$dir/ctf"
	row "$slow" "babeltrace2 -o dummy" "$1" babeltrace2 -o dummy "$dir/ctf"
}

# A line through the points of rows "N M": processor seconds against millions of events.
fit() {
	python3 -c '
import statistics, sys
rows = [line.split("\t") for line in sys.stdin]
x, y = [float(row[0].split()[0]) for row in rows], [float(row[4]) for row in rows]
line = statistics.linear_regression(x, y)
print(f"line: {line.slope * 1000:.1f} ns an event + {line.intercept * 1000:.0f} ms, "
      f"correlation {statistics.correlation(x, y):.4f}")'
}

# How whatif grows: with events, CPUs, processes.
scaling() {
	local file
	heading "tlbtrace whatif by events, 4 CPUs, one process in 1000"
	for n in 1 2 5 10 20 50; do
		[ $((n * 1000000)) -le "$events" ] || continue
		file=$(make v6 $((n * 1000000)) 4 $((n * 1000)) p9)
		row "$runs" "$n M" "$file" "$tlbtrace" whatif --ceiling=31 "$file"
	done | tee "$dir/by-events"
	fit <"$dir/by-events"
	heading "by CPUs, 10 M events"
	for n in 1 2 4 16 64 256; do
		file=$(make v6 10000000 "$n" 10000 p9)
		row "$runs" "$n CPUs" "$file" "$tlbtrace" whatif --ceiling=31 "$file"
	done
	heading "by short processes on POWER10, 5 M events"
	for n in 1000 10000 100000; do
		file=$(make v6 5000000 4 "$n" p10)
		row "$runs" "$n processes" "$file" "$tlbtrace" whatif --ceiling=31 "$file"
	done
}

# How long the terminal takes to answer keys, with many processes and with many classes.
keys() {
	local file=$dir/wide
	[ -e "$file" ] || "$generate" v6 10000000 4 100000 p10 1 "$file" wide >"$file.said"
	for file in "$(make v6 5000000 4 100000 p10)" "$file"; do
		heading "keys of tlbtrace report: $(basename "$file")"
		row "$slow" "tlbtrace report --by=mm" "$file" "$tlbtrace" report --stdio --by=mm "$file"
		python3 "$(dirname "$0")/keys.py" "$tlbtrace" "$file"
	done
}

mkdir -p "$dir"
plain "$(make v6 "$events" 4 $((events / 1000)) p9)"
cold "$(make v6 "$events" 4 $((events / 1000)) p9)"
packed "$(make v7 "$events" 4 $((events / 1000)) p9)"
perf_plain "$(make perf "$perf_events" 4 $((perf_events / 1000)) p9)"
perf_packed "$(make perfz "$perf_events" 4 $((perf_events / 1000)) p9)"
ctf "$(make perf $((perf_events / 10)) 4 $((perf_events / 10000)) p9)"
scaling
keys
