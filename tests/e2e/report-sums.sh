#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report-sums.sh - every table of a report adds up to what whatif says was recorded.
set -eu

# p10_shm_c34 has runs of several requests of different sizes.
for trace in slim_ranges_c33 slim_4k_ranges_c33 slim_shm_c34 p10_shm_c34 p9_shm_c31; do
	whatif=$("$TLBTRACE" whatif --format=json "$DATA/$trace.dat" |
		jq -c '.results[0] | [.recorded.tlbie, .recorded.tlbiel, .derived.flushes.likely]')
	for by in mm task cpu cause size time caller; do
		report=$("$TLBTRACE" report --by=$by --format=json "$DATA/$trace.dat" | jq -c '
			[.results[0].rows | map(.tlbie), map(.tlbiel), map(.flushes) | add]')
		[ "$whatif" = "$report" ] || { echo "$trace by $by: $report, not $whatif"; exit 1; }
	done
done

# A share of the duration takes a second reading, which must not count twice.
f=$DATA/slim_ranges_c33.dat
all=$("$TLBTRACE" report --by=mm --time=0%-100% --format=csv "$f")
[ "$all" = "$("$TLBTRACE" report --by=mm --format=csv "$f")" ]

# Output that cannot be written is no success; a reader that has enough is no failure.
code=0
"$TLBTRACE" report "$f" >/dev/full 2>/dev/null || code=$?
[ $code = 4 ]
"$TLBTRACE" report "$f" | head -1 | grep -q slim_ranges
