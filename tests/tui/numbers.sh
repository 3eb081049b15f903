#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# numbers.sh - the numbers on the screen are those of --format=json, of a filter and a moved slider too.
. "$(dirname "${BASH_SOURCE[0]}")/terminal.bash"
set -e

# begin WxH TRACE: opens it.
begin() {
	trace=$2
	open_terminal "$1" '"$TLBTRACE"' report "data/$trace"
	wait_for 20 shows overview || die "it does not begin"
}

finish() {
	keys q
	expect_end 0
}

# set_filter WORD: in place of the one before.
set_filter() {
	keys f C-u "$1" Enter
	wait_for 5 shows "filter: $1" || die "no filter $1"
}

# expect_row NAME NUMBER…: behind NAME, a row of the screen has these numbers and none between them.
expect_row() {
	local pattern="(^|  )$1"
	local n
	for n in "${@:2}"; do pattern+="[^0-9]+$n"; done
	row_shown() { screen | tr -d , | grep -Eq -- "$pattern([^0-9.]|\$)"; }
	wait_for 5 row_shown || die "$pattern is not on the screen"
}

# expect_rows: the same of each line of the input.
expect_rows() {
	local count=0
	local row
	while read -ra row; do
		expect_row "${row[@]}"
		count=$((count + 1))
	done
	[ $count -gt 0 ] || die "no rows to expect"
}

# json COMMAND FILTER [OPTION…]
json() {
	"$TLBTRACE" "$1" --format=json "${@:3}" "$DATA/$trace" | jq -r "$2"
}

# requests FILTER: of all requests, one by one.
requests() {
	"$TLBTRACE" export --format=jsonl "$DATA/$trace" | jq -rs "$1"
}

# table BY FIELD…: the rows of a table of report.
table() {
	local fields=("${@:2}")
	local IFS=,
	json report ".results[0].rows[] | [${fields[*]}] | join(\" \")" "--by=$1"
}

# most SELECT NAME VALUE: what the screen says is the most in one of its periods.
most() {
	local shown whole
	wait_for 5 shows "$2: at most" || die "no chart of $2"
	shown=$(screen | sed -n "s/^$2: at most .* in \(.*\) s\$/\1/p")
	whole=$(json report '.results[0].rows[0] | .end_ns - .start_ns' --by=time)
	# Periods double: those of the table are the screen's, doubled some times.
	expect_row "$2: at most" "$(requests "
		($whole | until((. / 1e6 | round) <= ($shown * 1e3 | round); . / 2)) as \$period |
		map(select($1)) | group_by(.time_ns / \$period | floor) | map(map($3) | add) | max")"
}

# overview SELECT: the charts, of the requests that jq selects.
overview() {
	most "$1" tlbie .recorded.tlbie
	most "$1" tlbiel .recorded.tlbiel
	most "$1" flushes 1
}

# matrix SELECT: who hits whom. A tlbie hits all; for what handlers of interrupts do, which has no task,
# another CPU has asked.
matrix() {
	requests "map(select($1)) as \$all |
		def row(name; f): name, (range(4) as \$on | \$all | map(select(f) | .recorded.tlbie +
			(if .cpu == \$on then .recorded.tlbiel else 0 end)) | add // 0 |
			if . == 0 then \"-\" else . end);
		[range(4) as \$by | [row(\"CPU \(\$by)\"; .comm and .cpu == \$by)]] +
		[[row(\"by IPI\"; .comm | not)]] | .[] | map(tostring) | join(\" \")" | expect_rows
}

# list SELECT: all requests, each with all that is on its line.
list() {
	requests "def pages: if .pages_max then \"\(.pages_min)-\(.pages_max)\"
			elif .pages_min then \">=\(.pages_min)\" else .pages // \"all\" end;
		.[] | select($1) | [(.time_ns / 1e3 | floor | \"\(. / 1e6 | floor).\" +
			\"\(. % 1000000 + 1000000)\"[1:]), .cpu, \"\(.comm // \"(ipi)\")/\(.tid)\", .cause,
			(if .comm then .scope else \"ipi\" end), pages, .recorded.tlbie + .recorded.tlbiel,
			.entry, .known, .ended_by, .start] | map(values | tostring) | join(\" \")" \
		>"$scratch/expected"
	same_list() {
		screen | grep -E '^ +[0-9]+\.' | tr -s ' ' | sed 's/^ //' | cmp -s - "$scratch/expected"
	}
	if ! wait_for 5 same_list; then
		screen | tr -s ' ' | diff - "$scratch/expected"
		exit 1
	fi
	expect_row "$(wc -l <"$scratch/expected") requests"
}

# whatif [OPTION…]: both columns of the what-if view.
whatif() {
	local show='if .likely then .likely else "\(.lo)…\(.hi)" end'
	local counter recorded
	for counter in tlbie tlbie_va tlbie_pid tlbiel promoted ptesync; do
		recorded=$(json whatif ".results[0] |
			.recorded.$counter // (.derived.$counter | $show)" "${selected[@]}")
		expect_row $counter "$recorded" \
			"$(json whatif ".results[0].policies[0].counters.$counter | $show" \
				"${selected[@]}" "$@")"
	done
}
selected=() # what whatif is to count

# Every view, of the whole trace and of what a filter selects.
begin 160x200 slim_4k_ranges_c33.dat
expect_row flushes "$(json report '.results[0].total | [.flushes, .promoted, .pages, .tlbie, .tlbiel,
	.ipis] | join("[^0-9]+")' --by=mm)"
expect_row 'replaying the recorded policy:' \
	"$(json info '.results[0].fidelity | "\(.exact)[^0-9]+\(.flushes)"')"
json info '.results[0].boundaries | to_entries[] | select(.value > 0) | "\(.key) \(.value)"' |
	while read -r end count; do shows " $end $count" || die "$end $count is not on the screen"; done
overview true
keys 2
table mm .mm .flushes .promoted .pages .tlbie .tlbiel .ipis | expect_rows
keys 3
list true
keys 5
matrix true

set_filter cause=munmap
matrix '.cause == "munmap"'
keys 3
list '.cause == "munmap"'
keys 1
overview '.cause == "munmap"'
keys 2
requests 'map(select(.cause == "munmap")) | group_by(.mm)[] | [.[0].mm, length] | join(" ")' | expect_rows

set_filter cpu=1
keys 1
overview '.cpu == 1'
keys 5
matrix '.cpu == 1'
keys 3
list '.cpu == 1'

# One mm, after the cursor has gone to it.
keys f C-u Enter 2 Home Enter
wait_for 5 shows 'filter: mm=ranges/250' || die "no mm"
requests 'def task: if .comm then "\(.comm)/\(.tid)" else ".interrupts." end;
	def lists(f): group_by(f)[] | [(.[0] | f), length, (map(.recorded | .tlbie + .tlbiel) | add)];
	map(select(.mm == "ranges/250")) | lists(.cause), lists(task) | join(" ")' | expect_rows
requests 'map(select(.mm == "ranges/250")) | [1, 2] as $sizes | $sizes[] as $n |
	[$n, (map(select(.pages == $n)) | length)] | join(" ")' | expect_rows
finish

# Sizes of all are those of the table.
begin 160x50 slim_ranges_c33.dat
keys f 'mm=ranges/210' Enter 2 Enter
"$TLBTRACE" report --by=size --mm=210 --format=json "$DATA/$trace" |
	jq -r '.results[0].rows[] | "\(.size) \(.flushes)"' | while read -r row; do
	expect_row "${row% *}" "${row##* }"
done

# What if, of one mm.
keys 4
selected=(--mm=210)
keys Left Left
whatif --ceiling=31
keys f C-u Enter
selected=()
whatif --ceiling=31
keys NPage Left
whatif --ceiling=20
keys PPage Right Right c
whatif --ceiling=32 --compare=ge
keys Down Down
whatif --ceiling=32 --compare=ge --local-ceiling=254
keys r m
whatif -p radix,tlbie=off
expect_row ipis "$(json whatif '.results[0].recorded.ipis // .results[0].derived.ipis.likely')" \
	"$(json whatif '.results[0].policies[0].counters.ipis.likely' -p radix,tlbie=off)"
finish

# What w writes is what the command line writes.
begin 80x24 slim_ranges_c33.dat
keys 2 w mms.csv Enter
wait_for 5 shows 'written: mms.csv' || die "nothing was written"
(cd "$scratch/cwd" && "$TLBTRACE" report --by=mm --format=csv "data/$trace") |
	diff "$scratch/cwd/mms.csv" - || die "the CSV is another"
keys 5
matrix true
keys w cpus.txt Enter
wait_for 5 shows 'written: cpus.txt' || die "nothing was written"
screen | grep '^CPU' | diff <(grep '^CPU' "$scratch/cwd/cpus.txt") - || die "the text is another"
keys 4 w x.csv Enter
wait_for 5 shows 'no table' || die "a CSV of what is no table"
[ ! -e "$scratch/cwd/x.csv" ] || die "x.csv was written"
finish
