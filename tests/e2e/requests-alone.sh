#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# requests-alone.sh - where only requests were recorded, no output has a number of instructions that
# looks recorded, and the file predicts, but proves nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trace=$DATA/only_p9_ranges.dat
requests=943

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

export_as() {
	"$TLBTRACE" export --format="$1" -o "$folder/$1" "$trace"
}

for format in jsonl csv sqlite perfetto ctf; do
	export_as $format
done
jq -se "length == $requests and all(.[]; has(\"recorded\") or has(\"hw_pid\") | not)" \
	"$folder/jsonl" >/dev/null || fail "jsonl: instructions or a hardware PID"
[ "$(grep -c ',,,,$' "$folder/csv")" = $requests ] || fail "csv: instructions"
for table in flushes classes tasks; do
	[ "$(sqlite3 "$folder/sqlite" "SELECT count(*) > 0, sum(tlbie IS NOT NULL OR tlbiel IS NOT NULL
		OR invlpg IS NOT NULL OR cr3_writes IS NOT NULL) FROM $table")" = "1|0" ] ||
		fail "sqlite: instructions in $table"
done
[ "$(sqlite3 "$folder/sqlite" 'SELECT sum(hw_pid IS NOT NULL) FROM flushes')" = 0 ] ||
	fail "sqlite: a hardware PID that nothing told"
jq -e ".traceEvents | (map(select(.ph == \"X\")) | length == $requests) and
	all(.[]; .ph != \"C\" and (.args | has(\"tlbie\") or has(\"hw_pid\") | not))" \
	"$folder/perfetto" >/dev/null || fail "perfetto: instructions"
babeltrace2 "$folder/ctf" >"$folder/text"
[ "$(grep -c 'tlbtrace:flush:.*tlbie = -1, tlbiel = -1, invlpg = -1, cr3_writes = -1' "$folder/text")" = $requests ] ||
	fail "ctf: instructions"

# The CTF trace answers as the original does.
answer() {
	"$TLBTRACE" whatif --format=json --ceiling=8 "$1" |
		jq -S '.results[0] | del(.input.path, .input.format)'
}
[ "$(answer "$trace")" = "$(answer "$folder/ctf")" ] || fail "ctf: another answer"

# A kernel that ran at 8 made 3309 and 3498 tlbie of the same work; a recording at 512, 68394 and 68907.
tlbie() {
	"$TLBTRACE" whatif --format=json --ceiling=8 "$trace" | jq -r ".results[0].$1 | \"\(.lo) \(.hi)\""
}
[ "$(tlbie derived.tlbie)" = "68945 68945" ] || fail "at 512: $(tlbie derived.tlbie)"
[ "$(tlbie policies[0].counters.tlbie)" = "3569 3569" ] || fail "at 8: $(tlbie policies[0].counters.tlbie)"

# It can be held against recordings that have instructions, and is none of these.
code=0
"$TLBTRACE" verify --ceiling=8 --actual="$DATA/truth_p9_shm_c34.dat" "$trace" >"$folder/text" 2>/dev/null || code=$?
[ $code = 1 ] && grep -q '^tlbie  *3569 ' "$folder/text" || fail "verify: exit $code: $(cat "$folder/text")"
code=0
"$TLBTRACE" verify --ceiling=8 --actual="$trace" "$DATA/truth_p9_shm_c34.dat" 2>"$folder/text" || code=$?
[ $code = 3 ] && grep -q 'only requests were recorded' "$folder/text" || fail "verify: exit $code: $(cat "$folder/text")"
