#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh MACHINE DIRECTORY ROWS - whether what the virtual machine recorded is what it should be, and
# what the recordings predict of each other; the same as rows of Markdown into the file ROWS.
# Needs $TLBTRACE.
set -u
machine=$1
cd "$2" || exit 1
failed=0
kernel=$(cat uname)
read -ra parts <../parts
rows=$3
: >"$rows"
: >"$rows.overhead"

if [ "$machine" = x86_64 ]; then
	instruction=invlpg other=cr3_writes
else
	instruction=tlbie other=tlbiel
fi

# Passes if the command succeeds; says what was checked.
expect() {
	local what=$1
	shift
	if "$@"; then
		echo "ok: $what"
	else
		echo "FAILED: $what"
		failed=1
	fi
}

query() { # filter, file, options
	"$TLBTRACE" whatif --format=json "${@:3}" "$2.dat" | jq -r ".results[0] | $1"
}

# The option for what the workload flushed itself: what the rest of the machine does, the recorder of a
# recording inside another too, is another thing each time.
only() {
	case $1 in
	shm*) echo --comm=shm ;;
	*) echo --comm=ranges ;;
	esac
}

recorded_of() { # counter, file
	query ".recorded.$1" "$2" "$(only "$2")"
}

# The interval of counter $1 that file $2, with the options that follow, predicts or computes.
predicted() {
	query ".policies[0].counters.$1 | \"\(.lo) \(.hi)\"" "${@:2}" "$(only "$2")"
}

computed() {
	query ".derived.$1 | \"\(.lo) \(.hi)\"" "${@:2}" "$(only "$2")"
}

at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'
}

# Whether [$1, $2] meets the interval between $3 and $4, in whichever order, widened by $5 per cent.
meets() {
	awk -v lo="$1" -v hi="$2" -v a="$3" -v b="$4" -v part="$5" 'BEGIN {
		from = a < b ? a : b
		to = a < b ? b : a
		exit !(hi >= from * (1 - part / 100) && lo <= to * (1 + part / 100))
	}'
}

range() {
	if [ "$1" = "$2" ]; then
		echo "$1"
	else
		echo "$1 … $2"
	fi
}

# What is predicted, counter, file it is predicted from, interval, what was recorded.
row() {
	local what=$1 counter=$2 from=$3 lo=$4 hi=$5 least=$6 most=$7
	echo "| $machine, $kernel | $from | $what | $counter | $(range "$lo" "$hi") |" \
		"$(range "$least" "$most") |" >>"$rows"
}

# The same and per cent that the interval may be off: a check and a row.
held() {
	expect "$3: $1: $4 to $5 $2, recorded were $6 and $7" meets "$4" "$5" "$6" "$7" "$8"
	row "${@:1:7}"
}

events() {
	"$TLBTRACE" info --format=json "$1.dat" | jq "[.results[0].input.events[]] | add"
}

# Trace $1 predicts for ceiling $2 what $3 and $3_again recorded.
predict() {
	local lo hi
	read -r lo hi < <(predicted $instruction "$1" --ceiling="$2")
	held "ceiling $2" $instruction "$1" "$lo" "$hi" "$(recorded_of $instruction "$3")" \
		"$(recorded_of $instruction "$3_again")" 3
}

# The same of shm, where the trim clock, whose phase no trace tells, decides how many are local.
clock() {
	local json because lo hi from to
	json=$("$TLBTRACE" verify --format=json --comm=shm --ceiling=31 --actual=shm_low.dat --actual=shm_low_again.dat \
		"$1.dat")
	because=$(jq -r ".predicted.$instruction.because" <<<"$json")
	read -r lo hi < <(jq -r ".predicted.$instruction | \"\(.lo) \(.hi)\"" <<<"$json")
	read -r from to < <(jq -r "[.actual[].$instruction] | \"\(min) \(max)\"" <<<"$json")
	expect "$1: ceiling 31: $lo to $hi $instruction, recorded were $from and $to: $because" \
		[ "$(jq -r ".predicted.$instruction.ok" <<<"$json")" = true ]
	row "ceiling 31: $because" $instruction "$1" "$lo" "$hi" "$from" "$to"
}

# One run, recorded by its requests alone and with everything: the interval holds what was counted, and
# at another ceiling what the instructions predict.
same_run() {
	local counter lo hi a b
	for counter in $instruction $other; do
		read -r lo hi < <(computed "$counter" "$1_alone")
		a=$(recorded_of "$counter" "$1_both")
		held "the same run" "$counter" "$1_alone" "$lo" "$hi" "$a" "$a" 0
		read -r lo hi < <(predicted "$counter" "$1_alone" --ceiling=8)
		read -r a b < <(predicted "$counter" "$1_both" --ceiling=8)
		held "the same run, ceiling 8" "$counter" "$1_alone" "$lo" "$hi" "$a" "$b" 0
	done
}

# Requests alone ($2): what ran, against ordinary recordings of the same work ($1 and $1_off), and
# how many events that takes. How many flushes are local is decided by a clock, another in each run: of
# the same run only (same_run).
alone() {
	local lo hi few many
	read -r lo hi < <(computed $instruction "$2")
	held "other runs" $instruction "$2" "$lo" "$hi" "$(recorded_of $instruction "$1")" \
		"$(recorded_of $instruction "$1_off")" 3
	few=$(events "$2") many=$(events "$1_off")
	echo "$2: $few events, the ordinary recording has $many"
	[ "$machine" = x86_64 ] || # where each flush has an event of its own anyway
		expect "$2: at most 5 % of the events" at_least "$((many * 5 / 100))" "$few"
	echo "| $machine, $kernel | $2 | events | all | $few | $many |" >>"$rows"
}

recorded() {
	local name
	for name; do
		expect "$name: recorded" [ "$(cat $name.code)" = 0 ]
		expect "$name: nothing lost" [ "$(query .quality.lost_events "$name")" = 0 ]
	done
}

exact() {
	local name share
	for name; do
		share=$(query .fidelity.share "$name")
		expect "$name: fidelity $share" at_least "$share" 0.995
		row "groups of records that replay exactly" share "$name" "$share" "$share" 1 1
	done
}

told() {
	local n
	n=$("$TLBTRACE" export --format=jsonl "$1.dat" | jq -s 'map(select(.known == "told")) | length')
	expect "$1: $n requests are told" at_least "$n" "$2"
}

part_shm() {
	recorded shm_high shm_only shm_alone shm_low shm_low_again
	exact shm_high shm_both shm_low
	told shm_high 20
	clock shm_high
	clock shm_only
	same_run shm
}

part_ranges() {
	recorded ranges_high ranges_high_off ranges_only together_alone ranges_low ranges_low_again
	exact ranges_high ranges_high_off together_both ranges_low
	told ranges_high 300
	expect "the ceiling in force is read from the notes" \
		[ "$(query '.model.ceiling | "\(.value) \(.evidence)"' ranges_only)" = "512 metadata" ]
	predict ranges_high 8 ranges_low
	predict ranges_high_off 8 ranges_low
	predict ranges_only 8 ranges_low
	alone ranges_high ranges_only
	same_run together
	[ "$machine" = x86_64 ] || return 0
	local lo hi counted
	read -r lo hi < <(computed ipis together_alone)
	counted=$(cat ipis)
	held "what /proc/interrupts counted" ipis together_alone "$lo" "$hi" "$counted" "$counted" 0
}

part_recorders() {
	local name counter a b
	recorded tracefs perf tracecmd
	for name in perf tracecmd; do
		for counter in $instruction $other; do
			a=$(recorded_of "$counter" $name)
			b=$(recorded_of "$counter" tracefs)
			expect "$name: $a $counter, tracefs has $b" meets "$a" "$a" "$b" "$b" 3
			row "as tracefs records it" "$counter" $name "$a" "$a" "$b" "$b"
		done
	done
	expect "no probes, no instances" [ ! -s left ]
}

# The seconds that the workload took in mode $1: the least and the most of all rounds.
seconds() {
	awk -v mode="$1" '$1 == mode { print $2 / 100 }' overhead | sort -g | sed -n '1p; $p' | tr '\n' ' '
}

part_overhead() {
	local mode none from to
	read -r none _ < <(seconds none)
	for mode in none off on only perf trace-cmd; do
		read -r from to < <(seconds $mode)
		expect "overhead of $mode: measured" [ -n "$to" ]
		echo "| $machine, $kernel | $mode | $from … $to |" \
			"$(awk -v a="$from" -v b="$none" 'BEGIN { printf "%+.0f %%", (a / b - 1) * 100 }') |" \
			>>"$rows.overhead"
	done
	cat "$rows.overhead"
}

part_endings() {
	recorded after_kill
	expect "killed: there was something to remove" [ -s left_killed ]
	expect "killed: the next run removed it" [ ! -s left_after ]
	expect "SIGTERM: exit 130" [ "$(cat term.code)" = 130 ]
	expect "SIGTERM: nothing left" [ ! -s left_term ]
	expect "trace-cmd killed: exit 4" [ "$(cat child.code)" = 4 ]
	expect "trace-cmd killed: $(cat child.said)" grep -q '^tlbtrace: trace-cmd: ' child.said
	expect "trace-cmd killed: nothing left" [ ! -s left_child ]
	expect "tracefs unmounted: it ends" [ -s gone.code ]
}

recorded first
expect "the ceilings are noted without a mounted debugfs" grep -qv 'not noted' first.said
for part in "${parts[@]}"; do
	part_"$part"
done
exit $failed
