#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# export-sqlite.sh - the database holds the rows of the other formats, and sums to what report says.
set -eu
command -v sqlite3 >/dev/null || {
	echo "needs sqlite3"
	exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
db=$folder/flushes.db

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

ask() {
	sqlite3 -batch -noheader "$db" "$1"
}

# same WHAT WANTED QUERY
same() {
	local got
	got=$(ask "$3")
	[ "$got" = "$2" ] || fail "$trace: $1: '$got', not '$2'"
}

# Rows of a JSON report, as mm|flushes|pages|sums of instructions, by name.
report_rows() {
	jq -r --arg one "$1" --arg other "$2" '.results[0].rows[] |
		[.mm, .flushes, .pages // 0, .[$one] // 0, .[$other] // 0] | join("|")' |
		LC_ALL=C sort
}

check_trace() {
	trace=$1
	shift
	local one=tlbie other=tlbiel
	[[ $trace != *x86* ]] || { one=invlpg other=cr3_writes; }
	rm -f "$db"
	"$TLBTRACE" export --format=sqlite -o "$db" "$@" "$trace"
	"$TLBTRACE" export --format=jsonl "$@" "$trace" >"$folder/rows"
	"$TLBTRACE" whatif --format=json "$@" "$trace" >"$folder/whatif"
	[ "$(ask 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ] || fail "$trace: not whole"

	# Row by row, what the JSON lines have.
	ask "SELECT time_ns, cpu, tid, entry, cause, page_size, pages, pages_min, pages_max, scope,
		known, ended_by, $one, $other, CASE WHEN start >= 0 THEN printf('0x%x', start) END,
		comm FROM flushes ORDER BY id" >"$folder/got"
	jq -r "[.time_ns, .cpu, .tid, .entry, .cause, .page_size, .pages, .pages_min, .pages_max,
		.scope, .known, .ended_by, .recorded.$one, .recorded.$other,
		(.start // empty | select(test(\"^0x[89a-f].{15}\$\") | not)) // null, .comm] |
		map(. // \"\" | tostring) | join(\"|\")" "$folder/rows" >"$folder/wanted"
	cmp -s "$folder/got" "$folder/wanted" ||
		fail "$trace $*: $(diff "$folder/wanted" "$folder/got" | head -5)"

	# The sums of every table are what was recorded.
	local table
	for table in flushes tasks flushes_by_mm flushes_by_cause flushes_by_second; do
		same "$one in $table" "$(jq ".results[0].recorded.$one" "$folder/whatif")" \
			"SELECT coalesce(sum($one), 0) FROM $table"
		same "$other in $table" "$(jq ".results[0].recorded.$other" "$folder/whatif")" \
			"SELECT coalesce(sum($other), 0) FROM $table"
	done
	same "$one in classes" "$(jq ".results[0].recorded.$one" "$folder/whatif")" \
		"SELECT coalesce(sum($one * count), 0) FROM classes"
	same "rows" "$(wc -l <"$folder/rows")" "SELECT sum(flushes) FROM flushes_by_cause"
	same "mms without a row" 0 "SELECT count(*) FROM flushes WHERE mm NOT IN (SELECT id FROM mms)"
	# Of each size, the rows that are longer.
	same "ceilings" "" "SELECT * FROM ceilings c WHERE longer <> (SELECT count(*) FROM flushes f
		WHERE f.scope = c.scope AND f.page_size = c.page_size AND f.pages > c.pages) LIMIT 1"
}

for name in truth_4k_misc slim_ranges_c33 x86_shoot3_c8; do
	check_trace "$DATA/$name.dat"
done
check_trace "$DATA/truth_p9_misc.dat" --cpu=0 --ignore=requests
check_trace "$DATA/slim_shm_c34.dat" --comm=shm

# What report says of each address space is what the view says.
for name in slim_ranges_c33 masks_build_smp8; do
	trace=$DATA/$name.dat
	rm -f "$db"
	"$TLBTRACE" export --format=sqlite -o "$db" "$trace"
	"$TLBTRACE" report --by=mm --format=json "$trace" | report_rows tlbie tlbiel >"$folder/wanted"
	ask "SELECT coalesce(name, '') || CASE WHEN tgid IS NULL THEN '' ELSE '/' || tgid END,
		flushes, coalesce(pages, 0), tlbie, tlbiel FROM flushes_by_mm" |
		LC_ALL=C sort >"$folder/got"
	cmp -s "$folder/got" "$folder/wanted" ||
		fail "$name: $(diff "$folder/wanted" "$folder/got" | head -5)"
done

# What the model was, and what the trace is.
trace=$DATA/p9_shm_c34.dat
rm -f "$db"
"$TLBTRACE" export --format=sqlite -o "$db" "$trace"
same "model" "33|default" "SELECT used, evidence FROM model WHERE key = 'ceiling'"
same "meta" "6.1.0-50-powerpc64le|4" "SELECT group_concat(value, '|') FROM
	(SELECT value FROM meta WHERE key IN ('kernel', 'cpus') ORDER BY key DESC)"
same "version" 1 "PRAGMA user_version"

# The questions of docs/export.md have answers.
sed -n '/^    -- /,/^#/s/^    //p' "$(dirname "$0")/../../docs/export.md" >"$folder/questions"
[ "$(grep -c '^--' "$folder/questions")" = 3 ] || fail "docs/export.md has other questions"
sqlite3 -batch -bail "$db" <"$folder/questions" >"$folder/got" || fail "docs/export.md: a bad question"
[ "$(grep -c '^seen|' "$folder/got")" = 1 ] && [ "$(wc -l <"$folder/got")" -gt 10 ] ||
	fail "docs/export.md: $(cat "$folder/got")"

# Never over a file that is there, never a piece of one.
refused() {
	local want=$1 code=0
	shift
	"$TLBTRACE" export --format=sqlite "$@" "$trace" 2>"$folder/said" || code=$?
	[ $code = "$want" ] || fail "$*: exit $code, not $want"
}
before=$(cksum <"$db")
refused 4 -o "$db"
grep -q "exists already" "$folder/said" || fail "$(cat "$folder/said")"
[ "$(cksum <"$db")" = "$before" ] || fail "the database that was there has changed"
refused 4 -o "$folder/no/such/folder"
refused 2
grep -q -- "needs --output" "$folder/said" || fail "$(cat "$folder/said")"
mkdir "$folder/empty"
refused 2 -o "$folder/empty/db" --recorded=nonsense=1
(
	ulimit -f 40 # kB: less than the database
	trap '' XFSZ
	refused 4 -o "$folder/empty/db"
	grep -q "$folder/empty/db: " "$folder/said" || fail "$(cat "$folder/said")"
)
[ -z "$(ls -A "$folder/empty")" ] || fail "left behind: $(ls "$folder/empty")"
echo "sqlite: the rows, their sums, and nothing half"
