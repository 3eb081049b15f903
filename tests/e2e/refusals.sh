#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# refusals.sh - what would lose a recording, or let a check pass for want of data, is refused.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$DATA/p9_shm_c34.dat" "$dir/a.dat"
sum=$(cksum <"$dir/a.dat")

status() { # expected status, command
	local want=$1 got=0
	shift
	"$@" >"$dir/out" 2>"$dir/err" || got=$?
	[ "$got" = "$want" ] || { echo "$*: exit $got, not $want"; cat "$dir/out" "$dir/err"; exit 1; }
}

# Results never replace a recording.
for command in info whatif report 'export --format=csv'; do
	# shellcheck disable=SC2086 # a command and its option
	status 2 "$TLBTRACE" $command -o "$dir/a.dat" "$dir/a.dat"
	grep -q 'is a recording' "$dir/err"
done
status 2 "$TLBTRACE" whatif --ceiling=8 --baseline="$dir/a.dat" --update-baseline "$dir/a.dat"
[ "$sum" = "$(cksum <"$dir/a.dat")" ]

# Nor the baseline; and no check asks for what cannot be.
"$TLBTRACE" whatif -q --ceiling=8 --baseline="$dir/base.json" --update-baseline "$dir/a.dat" >/dev/null
base=$(cksum <"$dir/base.json")
ln -s base.json "$dir/link.json"
for output in base.json link.json; do
	status 2 "$TLBTRACE" whatif --ceiling=8 --baseline="$dir/base.json" -o "$dir/$output" "$dir/a.dat"
	grep -q 'is the baseline' "$dir/err"
done
[ "$base" = "$(cksum <"$dir/base.json")" ]
status 2 "$TLBTRACE" whatif --min-fidelity=101% "$dir/a.dat"
grep -q 'at most 100%' "$dir/err"

# A check that holds for what is there does not hold where something is missing.
status 1 "$TLBTRACE" whatif --mm=nope --ceiling=8 --budget='tlbie<=5' "$dir/a.dat"
grep -q 'UNDECIDED.*' "$dir/out"
head -c 300000 "$DATA/slim_shm_c34_v6.dat" >"$dir/cut.dat"
status 0 "$TLBTRACE" whatif --ceiling=8 --budget='tlbie<=5000' "$DATA/slim_shm_c34_v6.dat"
status 1 "$TLBTRACE" whatif --ceiling=8 --budget='tlbie<=5000' "$dir/cut.dat"
grep -q 'cut off' "$dir/out"
status 1 "$TLBTRACE" whatif --ceiling=8 --budget='tlbie<=5' "$dir/cut.dat"
grep -q 'EXCEEDED' "$dir/out"

# A pipe beside a trace is no side file to wait for.
mkfifo "$dir/a.dat.tlbmeta"
status 3 timeout 10 "$TLBTRACE" info "$dir/a.dat"

# What the trace contradicts is said before the numbers.
rm "$dir/a.dat.tlbmeta"
status 0 "$TLBTRACE" whatif --recorded=fixups=none --ceiling=8 "$dir/a.dat"
grep -q 'CAREFUL: replayed with this, only 1' "$dir/out"
status 0 "$TLBTRACE" whatif --ceiling=8 "$dir/a.dat"
if grep -q CAREFUL "$dir/out"; then exit 1; fi

# A message quotes a file, but a terminal obeys none of it.
{
	head -c 10 "$DATA/slim_shm_c34.dat"
	printf '7\033[2J\377\n\0more'
} >"$dir/escape.dat"
status 3 "$TLBTRACE" info "$dir/escape.dat"
[ "$(wc -l <"$dir/err")" = 1 ]
grep -qF 'version "7?[2J'$'\xef\xbf\xbd''?"' "$dir/err"

# More CPUs than a kernel can have are damage, and cost no memory.
cp "$DATA/x86_inst.dat" "$dir/cpus.dat"
printf '\376\377' | dd of="$dir/cpus.dat" bs=1 seek=45306 conv=notrunc 2>"$dir/err"
status 3 "$TLBTRACE" info --strict "$dir/cpus.dat"
grep -q 'CPU 65534' "$dir/err"
