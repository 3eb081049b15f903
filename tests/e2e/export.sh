#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# export.sh - rows are in order of time, sum up to what was recorded, and agree in both formats.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# Holds the rows of one trace against whatif's sums; $2 … are options for both.
check_trace() {
	local trace=$1
	shift
	"$TLBTRACE" export --format=jsonl "$@" "$trace" >"$folder/rows"
	"$TLBTRACE" export --format=csv "$@" "$trace" >"$folder/csv"
	"$TLBTRACE" whatif --format=json "$@" "$trace" >"$folder/whatif"
	local name want got
	for name in tlbie tlbiel; do
		want=$(jq ".results[0].recorded.$name" "$folder/whatif")
		got=$(jq -s "map(.recorded.$name) | add // 0" "$folder/rows")
		[ "$want" = "$got" ] || fail "$trace $*: $name is $got in the rows, $want in whatif"
	done
	jq -se 'map(.time_ns) | . == sort' "$folder/rows" >/dev/null || fail "$trace $*: not in order"
	[ "$(wc -l <"$folder/rows")" = $(($(wc -l <"$folder/csv") - 1)) ] ||
		fail "$trace $*: CSV has another number of rows"
	jq -se 'all(.[]; (has("pages") | not) or
		.pages * .page_size == ((.end[2:] | explode | reduce .[] as $c (0; . * 16 +
			(if $c > 96 then $c - 87 else $c - 48 end))) -
		 (.start[2:] | explode | reduce .[] as $c (0; . * 16 +
			(if $c > 96 then $c - 87 else $c - 48 end)))))' "$folder/rows" >/dev/null ||
		fail "$trace $*: pages do not fill start to end"
}

for name in truth_p9_misc truth_p9_local_thp truth_p10_ranges_c33 truth_4k_misc slim_shm_c34; do
	trace=$DATA/$name.dat
	check_trace "$trace"
	check_trace "$trace" --ignore=requests
	check_trace "$trace" --ignore=requests,syscalls
done
check_trace "$DATA/truth_p9_misc.dat" --cpu=0 --ignore=requests
check_trace "$DATA/truth_p10_shm_c34.dat" --comm=shm --ignore=requests

# One shmdt of 256 MB that begins amid a PMD: a row per PMD, in the order of their addresses.
"$TLBTRACE" export --format=jsonl --ignore=requests "$DATA/truth_p10_shm_c34.dat" >"$folder/rows"
jq -se 'map(select(.cause == "shmdt" and .entry == "gather" and .ended_by == "pmd")) |
	length > 1000 and all(.[]; .known == "ambiguous" and .pages <= 32)' "$folder/rows" \
	>/dev/null || fail "shmdt is not cut at PMDs"

# exec makes a task the leader of its group, also where nothing else tells its group.
"$TLBTRACE" export --format=jsonl "$DATA/x86_shoot3_c33.dat" | jq -se 'group_by(.tgid) |
	map([.[0].tgid, .[0].mm, length]) == [[null, "wl_tlb/154", 2], [154, "wl_tlb/154", 312]]' >/dev/null ||
	fail "x86: thread groups are not known from exec on"

code=0
"$TLBTRACE" export --format=csv - <"$DATA/slim_shm_c34.dat" 2>"$folder/error" || code=$?
[ $code = 2 ] || fail "standard input: exit $code instead of 2"
grep -q "twice" "$folder/error" || fail "standard input: $(cat "$folder/error")"
echo "export: all rows are there"
