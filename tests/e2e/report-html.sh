#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report-html.sh - the page needs nothing but itself, and its numbers are those of the JSON.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for trace in slim_4k_ranges_c33 slim_shm_c34 x86_v7_zstd; do
	page=$dir/$trace.html
	"$TLBTRACE" report --format=html -o "$page" "$DATA/$trace.dat"
	if grep -nEi '<script|src=|href=|url\(|@import|https?:|javascript:' "$page"; then
		echo "$trace: something would be fetched or run"
		exit 1
	fi
	grep -q '</html>' "$page"
	# The first sentence and the figures below it have the totals, with what they are between.
	total=$("$TLBTRACE" report --by=mm --format=json "$DATA/$trace.dat" | jq '.results[0].total')
	grep -o '<p class="lead">.*</p>' "$page" | tr -d , >"$dir/lead"
	for n in $(jq 'if .tlbie then .tlbie, .tlbiel else .invlpg, .cr3_writes end, .flushes' <<<"$total"); do
		grep -qw "$n" "$dir/lead" || { echo "$trace: $n is not in the first sentence"; exit 1; }
	done
	grep -A1 '<dt title="pages' "$page" | grep -q "or any number more" ||
		{ echo "$trace: pages have no upper limit, and it does not say so"; exit 1; }
	for by in mm cause size task cpu caller; do
		sed -n "/<table id=\"$by\">/,/<\/tbody>/p" "$page" | grep '^<tr><td>' |
			grep -o 'data-value="[0-9]*"' | tr -dc '0-9\n' >"$dir/page"
		fields=flushes,promoted,pages,tlbie,tlbiel,ipis
		[ $trace != x86_v7_zstd ] || fields=flushes,promoted,pages,invlpg,cr3_writes,ipis
		"$TLBTRACE" report --by=$by --format=json "$DATA/$trace.dat" |
			jq -r --arg fields "$fields" '.results[0].rows[] | . as $row |
				($fields / ",")[] | $row[.], empty' >"$dir/json"
		# The page has two shares more a row.
		awk 'NR % 8 != 0 && NR % 8 != 7' "$dir/page" | diff - "$dir/json" ||
			{ echo "$trace by $by: the page is another"; exit 1; }
	done
done
