#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf_manifest.sh - every perf.data below TLBTRACE_TRACES has the events that its MANIFEST.tsv says.
#
# The manifests were made from the text of perf script. Two things are in that text and not in the
# samples, or the other way round: values of a group read look like samples of their events, and the
# last switch of a task that is dead already (prev_state 16) was not counted where its name was ":-1".
set -u

[ -n "${TLBTRACE_TRACES:-}" ] || { echo "TLBTRACE_TRACES is not set"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checked=0
failures=0

# expect FILE WHAT WANTED FOUND
expect() {
	[ "$3" = "$4" ] && return
	echo "$1: $2: $3 wanted, $4 found"
	failures=$((failures + 1))
}

count() {
	awk -v name="$1" '$1 == "count" && $2 == name { n = $3 } END { print n + 0 }' "$work/counts"
}

lines() {
	grep -cE "$1" "$work/events"
}

check_events() {
	local file=$1 pair name
	for pair in $2; do
		name=${pair%=*}
		[[ $file == *group* && $name != tlb:tlb_flush ]] && continue
		expect "$file" "$name" "${pair##*=}" "$(count "$name")"
	done
}

check_tlbie() {
	local file=$1
	expect "$file" tlbie "$2" "$(lines ' tlbie .* local=0 ')"
	expect "$file" tlbiel "$3" "$(lines ' tlbie .* local=1 ')"
	[[ $file == *group* ]] && return
	local all dead
	all=$(count sched:sched_switch)
	dead=$(lines ' switch .* \[16\] ==>')
	[ "$4" -ge $((all - dead)) ] || expect "$file" sched_switch "$4" "$all - $dead"
	[ "$4" -le "$all" ] || expect "$file" sched_switch "$4" "$all"
}

# The columns of a manifest by name, of the rows about perf.data: file, events or three counts.
rows() {
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 ~ /perf\.data(\.tar)?$/ {
			if ("events" in at)
				print $1 "\tevents\t" $at["events"]
			else
				print $1 "\ttlbie\t" $at["tlbie_local0"] "\t" $at["tlbiel_local1"] \
					"\t" $at["sched_switch"]
		}' "$1"
}

while IFS= read -r manifest; do
	while IFS=$'\t' read -r file how a b c; do
		path=$(dirname "$manifest")/$file
		if [[ $file == *.tar ]]; then
			tar -xf "$path" -C "$work"
			path=$work/$(basename "$file" .tar)
		fi
		"$DUMP_EVENTS" "$path" >"$work/counts"
		"$DUMP_EVENTS" -e "$path" >"$work/events"
		case $how in
		events) check_events "$file" "$a" ;;
		tlbie) check_tlbie "$file" "$a" "$b" "$c" ;;
		esac
		checked=$((checked + 1))
	done < <(rows "$manifest")
done < <(find "$TLBTRACE_TRACES" -name MANIFEST.tsv)
echo "$checked files, $failures differences"
[ $checked -gt 0 ] && [ $failures -eq 0 ]
