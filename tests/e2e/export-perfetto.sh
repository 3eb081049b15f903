#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# export-perfetto.sh - what is written obeys the rules of the Trace Event Format, has a slice for each
# row, and counters that end at what was recorded.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# By phase, what an event must have. Viewers drop what lacks it, without a word.
rules='def named: (.name | type == "string" and length > 0);
def ids: (.pid | type == "number") and (.tid | type == "number");
def at: (.ts | type == "number" and . >= 0);
(.displayTimeUnit == "ns") and (.traceEvents | type == "array") and
all(.traceEvents[]; named and ids and (
	if .ph == "X" then at and (.dur >= 0) and (.args | type == "object") and (.cat | type == "string")
	elif .ph == "C" then at and (.args | length > 0 and all(.[]; type == "number"))
	elif .ph == "M" then
		if .name == "thread_sort_index" then .args.sort_index | type == "number"
		else (.name == "process_name" or .name == "thread_name") and
			(.args.name | type == "string") end
	else false end))'

# Slices of one thread lie one after the other or one within the other: ts, dur in ns.
nested() {
	jq -r '.traceEvents[] | select(.ph == "X") |
		[.tid, (.ts * 1000 | round), (.dur * 1000 | round)] | @tsv' "$1" |
		sort -k1,1n -k2,2n -k3,3nr | awk '
		$1 != thread { thread = $1; depth = 0 }
		{
			while (depth && ends[depth] <= $2) depth--
			if (depth && $2 + $3 > ends[depth]) { print "overlap: " $0; bad = 1 }
			ends[++depth] = $2 + $3
		}
		END { exit bad }'
}

check_trace() {
	local trace=$1 one=tlbie other=tlbiel out=$folder/out.json
	shift
	[[ $trace != *x86* ]] || { one=invlpg other=cr3_writes; }
	"$TLBTRACE" export --format=perfetto -o "$out" "$@" "$trace"
	"$TLBTRACE" export --format=jsonl "$@" "$trace" >"$folder/rows"
	[ "$(jq "$rules" "$out")" = true ] || fail "$trace $*: breaks a rule of the format"
	nested "$out" || fail "$trace $*: slices of a track overlap"

	# Times, in ns, and what is known of each row.
	jq -r '.traceEvents[] | select(.ph == "X") | [(.ts * 1000 | round), .args.tid, .args.entry,
		.args.cause, .args.start, .args.pages, .args.known, .args.'$one', .args.'$other'] |
		@tsv' "$out" >"$folder/got"
	jq -r '[.time_ns, .tid, .entry, .cause, .start, .pages, .known, .recorded.'$one',
		.recorded.'$other'] | @tsv' "$folder/rows" >"$folder/wanted"
	cmp -s "$folder/got" "$folder/wanted" ||
		fail "$trace $*: $(diff "$folder/wanted" "$folder/got" | head -5)"

	# The last value of each CPU's counter is all of that CPU; every track that is used has a name.
	jq -c '[.traceEvents[] | select(.ph == "C")] | group_by(.name) |
		map({(.[0].name): .[-1].args}) | add' "$out" >"$folder/got"
	jq -sc 'group_by(.cpu) | map({("CPU \(.[0].cpu)"): {
		"'$one'": map(.recorded.'$one') | add, "'$other'": map(.recorded.'$other') | add}}) |
		add' "$folder/rows" >"$folder/wanted"
	[ "$(jq -Sc . "$folder/got")" = "$(jq -Sc . "$folder/wanted")" ] ||
		fail "$trace $*: counters end at $(cat "$folder/got"), not $(cat "$folder/wanted")"
	[ "$(jq '[.traceEvents[] | select(.ph == "X") | .tid] | unique' "$out")" = \
		"$(jq '[.traceEvents[] | select(.name == "thread_name") | .tid] | sort' "$out")" ] ||
		fail "$trace $*: tracks without a name, or named twice"
}

for name in truth_4k_misc slim_ranges_c33 masks_build_smp8 x86_shoot3_c8; do
	check_trace "$DATA/$name.dat"
done
check_trace "$DATA/truth_p9_misc.dat" --cpu=0 --ignore=requests

# One slice as the trace has it: the second shmdt's page tables, on CPU 1 of 4.
"$TLBTRACE" export --format=perfetto "$DATA/p9_shm_c34.dat" >"$folder/out.json"
jq -e '[.traceEvents[] | select(.name == "shmdt: gather, 32 pages")] | length == 1268' \
	"$folder/out.json" >/dev/null || fail "not the 1268 flushes of 32 pages"
jq -e '.otherData.start_ns == "14925466828"' "$folder/out.json" >/dev/null || fail "start_ns"

# Without times there is no timeline.
code=0
"$TLBTRACE" export --format=perfetto -o "$folder/none" "$DATA/x86_clk_counter.dat" 2>"$folder/said" ||
	code=$?
[ $code = 3 ] && grep -q "does not tell the time" "$folder/said" || fail "$code $(cat "$folder/said")"
[ ! -e "$folder/none" ] || fail "a file was left"
echo "perfetto: every row a slice"
