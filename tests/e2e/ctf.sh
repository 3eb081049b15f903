#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ctf.sh - CTF made from a perf.data counts the same; our export reads back to the same answers; and
# babeltrace2, the program, sees the same events in both.
set -eu
command -v babeltrace2 >/dev/null || {
	echo "babeltrace2 is not installed"
	exit 77
}
. "$(dirname "$0")/../oracle/printed.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

answer() {
	"$TLBTRACE" whatif --ceiling=31 --format=json "$1" >"$2" || fail "$1: exit $?"
}

# What the two containers of one recording have in common: no names, which CTF does not tell.
counters='.results[0] | [.recorded, (.policies | map(.counters)), .fidelity, .scope,
	.quality.lost_events, (.input.events | to_entries | sort), .input.duration_ns]'

for name in ctf_ranges_c33 ctf_x86_fork; do
	gunzip -c "$DATA/$name.perf.data.gz" >"$folder/$name.perf.data"
	tar -C "$folder" -xzf "$DATA/$name.ctf.tar.gz"
	answer "$folder/$name.perf.data" "$folder/perf"
	answer "$folder/$name.ctf" "$folder/ctf"
	cmp <(jq -c "$counters" "$folder/perf") <(jq -c "$counters" "$folder/ctf") ||
		fail "$name: the counters of CTF are others"
	# Event by event, what babeltrace2 prints; of those that have no line here, how many.
	printed_by_babeltrace "$folder/$name.ctf" >"$folder/printed"
	[ -s "$folder/printed" ] || fail "$name: babeltrace2 prints nothing"
	diff "$folder/printed" <(printed_by_us "$folder/$name.ctf") || fail "$name: events are not babeltrace2's"
	diff <(babeltrace2 --no-delta "$folder/$name.ctf" 2>/dev/null | awk '{ n[$2]++ }
		END { for (name in n) print substr(name, 1, length(name) - 1), n[name] }' | sort) \
		<(jq -r '.results[0].input.events | to_entries[] | "\(.key) \(.value)"' "$folder/ctf" | sort) ||
		fail "$name: counts are not babeltrace2's"
done

# An export is the trace in another container: everything but its name and format is the same.
same='del(.results[0].input.path, .results[0].input.format)'

check_export() {
	local trace=$1
	rm -rf "$folder/export"
	"$TLBTRACE" export --format=ctf -o "$folder/export" "$trace" || fail "export $trace: exit $?"
	answer "$trace" "$folder/original"
	answer "$folder/export" "$folder/again"
	diff <(jq "$same" "$folder/original") <(jq "$same" "$folder/again") ||
		fail "$trace: the export answers otherwise"
	babeltrace2 "$folder/export" >"$folder/text" || fail "$trace: babeltrace2 cannot read it"
	"$TLBTRACE" export --format=jsonl "$trace" >"$folder/rows"
	[ "$(grep -c ' tlbtrace:flush: ' "$folder/text")" = "$(wc -l <"$folder/rows")" ] ||
		fail "$trace: babeltrace2 prints another number of flushes"
	[ "$(awk -F 'tlbie = ' '/ tlbtrace:flush: / { sum += $2 } END { print sum + 0 }' \
		"$folder/text")" = "$(jq -s 'map(.recorded.tlbie // 0) | add' "$folder/rows")" ] ||
		fail "$trace: babeltrace2 prints another sum of tlbie"
}

for name in slim_shm_c34.dat slim_ranges_c33.dat truth_p9_misc.dat masks_build_smp8.dat \
	x86_truth.dat x86_clk_counter.dat; do
	check_export "$DATA/$name"
done
check_export "$folder/ctf_x86_fork.perf.data"
check_export "$folder/ctf_ranges_c33.ctf"
mv "$folder/export" "$folder/first"
check_export "$folder/first"

# A directory is written whole or not at all, and never into what is there.
code=0
"$TLBTRACE" export --format=ctf -o "$folder/export" "$DATA/slim_shm_c34.dat" 2>"$folder/error" ||
	code=$?
[ $code = 4 ] || fail "an export over another: exit $code instead of 4"
code=0
"$TLBTRACE" export --format=ctf "$DATA/slim_shm_c34.dat" 2>"$folder/error" || code=$?
[ $code = 2 ] || fail "without --output: exit $code instead of 2"
mkdir "$folder/parts"
cp "$folder/ctf_x86_fork.ctf/metadata" "$folder/parts/metadata"
head -c 1000 "$folder/ctf_x86_fork.ctf/perf_stream_0" >"$folder/parts/perf_stream_0"
code=0
"$TLBTRACE" export --format=ctf -o "$folder/bad" "$folder/parts" 2>"$folder/error" || code=$?
[ $code = 3 ] || fail "a cut stream: exit $code instead of 3"
[ "$(wc -l <"$folder/error")" = 1 ] || fail "a cut stream: $(cat "$folder/error")"
[ -z "$(find "$folder" -name 'bad*')" ] || fail "a cut stream: something was written"
echo "ctf: all containers agree"
