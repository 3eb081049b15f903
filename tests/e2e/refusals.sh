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

# What is missing is said, whatever the format.
for command in 'info --format=json' 'whatif --format=csv' 'diff a.dat' 'report --format=json' summarize 'export --format=csv'; do
	# shellcheck disable=SC2086 # a command and its options
	(cd "$dir" && status 0 "$TLBTRACE" $command cut.dat)
	grep -q 'cut.dat: CPU 2: at offset 300000' "$dir/err" || { echo "$command says nothing"; exit 1; }
done
"$TLBTRACE" summarize -q "$dir/cut.dat" -o "$dir/cut.tlbsum"
status 1 "$TLBTRACE" whatif --ceiling=8 --budget='tlbie<=5000' "$dir/cut.tlbsum"
grep -q 'cut off' "$dir/out"

# No file that we open takes the place of standard output or error that we were started without.
got=0
"$TLBTRACE" whatif "$dir/a.dat" 2>"$dir/err" >&- || got=$?
[ $got = 4 ] && grep -q 'standard output: Bad file' "$dir/err"
"$TLBTRACE" export --format=sqlite -q -o "$dir/all.db" "$dir/cut.dat"
"$TLBTRACE" export --format=sqlite -o "$dir/none.db" "$dir/cut.dat" <&- >&- 2>&-
[ "$(stat -c %s "$dir/all.db")" = "$(stat -c %s "$dir/none.db")" ]

# Names that are none, and '-'.
status 2 "$TLBTRACE" info ''
status 2 "$TLBTRACE" info -o '' "$dir/a.dat"
(cd "$dir" && "$TLBTRACE" info -o - a.dat >said && [ ! -e ./- ])
grep -q '64K pages' "$dir/said"

# What a filter leaves out still says what the machine is.
status 0 "$TLBTRACE" whatif --comm=nope "$dir/a.dat"
grep -q 'radix MMU' "$dir/out"
