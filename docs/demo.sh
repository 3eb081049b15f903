#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# demo.sh - the experiment of the August 2021 mail on radix TLB flushes, from traces.
#
# The mail (seed 000 of docs/): a loop of shmat, touch, shmdt of 256 MB issues 4143 tlbie per shmdt
# at the kernel's ceiling, and 162 with a patch that promotes from 32 pages on. Here the same loop
# was recorded at ceiling 34, tlbtrace predicts ceiling 31 (more than 31 pages is the patch's ">= 32"
# in an unpatched kernel), and a recording of that very kernel at 31 stands beside it.
set -eu
tlbtrace=${TLBTRACE:?the program, as ./run demo sets it}
data=${DATA:?the folder of the traces, as ./run demo sets it}

# Each shmdt of a trace: first and last time in ns after the start, tlbie and tlbiel. Freeing the
# page tables is the last thing that one does.
calls() {
	"$tlbtrace" export --format=csv "$1" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		$col["cause"] != "shmdt" { next }
		n++ == 0 { first = $col["time_ns"]; tlbie = tlbiel = 0 }
		{ tlbie += $col["tlbie"]; tlbiel += $col["tlbiel"] }
		$col["entry"] == "pwc" { print first, $col["time_ns"], tlbie, tlbiel; n = 0 }'
}

# What ceiling 31 makes of each shmdt of a trace: tlbie, one a line.
predict() {
	local start
	start=$("$tlbtrace" whatif --format=json "$1" | sed -n 's/.*"start": "\([0-9]*\)".*/\1/p')
	calls "$1" | while read -r first last _ _; do
		"$tlbtrace" whatif --ceiling=31 --format=csv --time="$(seconds $((start + first))),$(seconds $((start + last + 1)))" "$1"
	done | awk -F, '/ceiling=31/ && /,tlbie,/ { print $(NF - 1) }'
}

seconds() { printf '%d.%09d' $(($1 / 1000000000)) $(($1 % 1000000000)); }

# "160 in 4 calls, 191 in 5": of the calls that a trim did not turn local. About once in ten shmdt
# the clock by which the kernel trims an mm's CPU mask fires, and the rest of that call is tlbiel.
summary() {
	sort -n | uniq -c | awk '{ printf "%s%d in %d call%s", (NR > 1 ? ", " : ""), $2, $1, ($1 > 1 ? "s" : "") } END { print "" }'
}

row() { printf '  %-44s %s\n' "$1" "$2"; }

machine() { # name, trace at 34, trace at 31
	local before after
	before=$(calls "$2")
	after=$(calls "$3")
	printf '\n%s, Linux 6.1, 64K pages, 4 threads: tlbie per shmdt of 256 MB\n' "$1"
	row "recorded at ceiling 34" "$(awk '$4 == 0 { print $3 }' <<<"$before" | summary)"
	row "predicted from it for ceiling 31" "$(paste -d' ' <(awk '{ print $4 }' <<<"$before") <(predict "$2") | awk '$1 == 0 { print $2 }' | summary)"
	row "recorded when that kernel really ran at 31" "$(awk '$4 == 0 { print $3 }' <<<"$after" | summary)"
}

cat <<'TEXT'
Seed 000 asks: what if a flush of 32 pages took the whole PID? Its machine:
4143 tlbie per shmdt before, 162 with the patch (">= 32", in an unpatched kernel
a ceiling of 31). The same loop on two other machines:
TEXT
machine "POWER10" "$data/p10_shm_c34.dat" "$data/p10_shm_c31.dat"
machine "POWER9" "$data/p9_shm_c34.dat" "$data/p9_shm_c31.dat"
cat <<'TEXT'
  (a POWER9 adds two tlbie to each broadcast, which no ceiling takes away; the
  few calls that the kernel's trim clock turned local are left out)

The recording as a whole, as `tlbtrace whatif --ceiling=31` shows it:

TEXT
"$tlbtrace" whatif --ceiling=31 --color=never "$data/p9_shm_c34.dat" | sed -n '/recorded  /,/^$/p'
echo "Ask your own trace: tlbtrace whatif --ceiling=31 trace.dat"
