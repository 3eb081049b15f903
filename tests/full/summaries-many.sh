#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# summaries-many.sh - a sum of 1000 traces: exactly what is known of them, in as little room as docs/fleet.md says.
set -eu
generate=$BUILD/tests/bench/generate
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for seed in $(seq 1000); do
	"$generate" v6 10000 2 15 p9 "$seed" trace >>said
	"$TLBTRACE" summarize -q --recorded=ceiling=33,local-ceiling=256 -o "$seed.tlbsum" trace
done

# "seconds megabytes" of the command.
cost() {
	python3 -c 'import resource, subprocess, sys, time
began = time.time()
if subprocess.run(sys.argv[1:]).returncode:
    sys.exit("FAILED: " + " ".join(sys.argv[1:4]))
print(int(time.time() - began), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@"
}

for n in 10 100 1000; do
	read -r seconds megabytes < <(cost "$TLBTRACE" merge -o sum.$n $(seq -f '%.0f.tlbsum' $n))
	echo "$n traces: $(stat -c %s sum.$n) bytes, merged in $seconds s with $megabytes MB"
done
# 16 bytes a trace, which do not compress, and classes, of which there are ever fewer new ones.
[ "$(stat -c %s sum.1000)" -le $((16 * 1000 + 16384)) ] && [ "$megabytes" -le 64 ] && [ "$seconds" -le 60 ]

# What the generator says of all of them, and what it says of a ceiling of 31.
want=$(awk -F '[= ]' '{ tlbie += $4; tlbiel += $6; at += $8 } END { print tlbie, tlbiel, at, at }' said)
got=$("$TLBTRACE" whatif --ceiling=31 --format=json sum.1000 | jq -r '.results | length as $groups | .[0] |
	.policies[0].counters.tlbie as $at | "\(.recorded.tlbie) \(.recorded.tlbiel) \($at.lo) \($at.hi)" |
	if $groups == 1 then . else "\($groups) groups" end')
[ "$want" = "$got" ] || { echo "want $want, got $got"; exit 1; }
