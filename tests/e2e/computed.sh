#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# computed.sh - what requests alone predict for the policy that ran is what its records are.
#
# The traces have both: with --ignore=instructions only the requests are read. Counts are held against
# those of the records. Where a probe in a handler was missed, or a record, it says how many tlbiel.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

query() { # filter, options and file
	"$TLBTRACE" whatif --format=json "${@:2}" | jq -r "$1"
}

expect() { # what, one, other
	[ "$2" = "$3" ] || { echo "$1: $2, recorded were $3"; failed=1; }
}

# name, what it ran with, tlbiel of missed probes (or, negative, of missed records), and how many tlbie
# of flushes whose scope the masks leave open
power() {
	local file=$DATA/$1.dat said=$2 missed=$3 open=${4:-0} counts='"\(.tlbie) \(.tlbiel)"'
	local recorded computed
	recorded=$(query ".results[0].recorded | $counts" "$file")
	computed=$(query ".results[0].derived | {tlbie: .tlbie, tlbiel: .tlbiel} | map_values(.likely // .lo) | $counts" \
		--ignore=instructions --recorded="$said" "$file")
	expect "$1" "${computed% *} $((${computed#* } + missed))" "$recorded"
	# Other policies too: the same from requests alone as with the instructions beside them.
	recorded=$(query ".results[0].policies[0].counters.tlbie | \"\(.lo) \(.hi + $open)\"" --ceiling=8 "$file")
	computed=$(query '.results[0].policies[0].counters.tlbie | "\(.lo) \(.hi)"' --ceiling=8 \
		--ignore=instructions --recorded="$said" "$file")
	expect "$1, ceiling 8" "$computed" "$recorded"
}

p9=fixups=erat+stq,sets=128,local-ceiling=256
p10=fixups=none,sets=1,local-ceiling=256
power truth_p9_shm_c34 "$p9,ceiling=34" 0
power truth_p10_shm_c34 "$p10,ceiling=34" 0
power truth_p10_ranges_c33 "$p10,ceiling=33" 0
power truth_612_ranges_c33 "$p9,ceiling=33" 0
power truth_4k_misc "$p9,ceiling=33" 0
power truth_p9_misc "$p9,ceiling=33" 0
power truth_p9_local_thp "$p9,ceiling=33" 0
power truth_p9_ranges_thp "$p9,ceiling=33" -256
power truth_p9_ctxsw2 "$p9,ceiling=33" 1
# Before v5.12 no probe tells the scope: the masks do.
power truth_510_p9_misc "$p9,ceiling=33" 0 3
power truth_510_p9_ranges_c33 "$p9,ceiling=33" 0 3
power masks_mig_truth "$p9,ceiling=33" 0
power masks_612_ctxsw_truth "$p9,ceiling=33" 0
power masks_612_build_truth "$p9,ceiling=33" 640

# Nothing says what it ran with, and it is not POWER9's most likely: that is told.
"$TLBTRACE" whatif --ignore=instructions "$DATA/truth_p10_ranges_c33.dat" >"$dir/out"
grep -q 'Which processor it was is not noted' "$dir/out"

# x86: events say nothing of addresses, so the own count is an interval that contains the truth.
for counter in invlpg cr3_writes; do
	recorded=$(query ".results[0].recorded.$counter" "$DATA/x86_truth.dat")
	query ".results[0].derived.$counter | \"\(.lo) \(.hi)\"" --ignore=instructions \
		"$DATA/x86_truth.dat" >"$dir/interval"
	read -r lo hi <"$dir/interval"
	[ "$lo" -le "$recorded" ] && [ "$recorded" -le "$hi" ] && [ $((hi - lo)) -le 100 ] ||
		{ echo "x86 $counter: $lo to $hi, recorded were $recorded"; failed=1; }
done

# A check of a computed count; a recording cannot be judged by it.
"$TLBTRACE" whatif --ignore=instructions --recorded="$p10,ceiling=33" --budget='tlbie<=2041' \
	"$DATA/truth_p10_ranges_c33.dat" >"$dir/out"
exit $failed
