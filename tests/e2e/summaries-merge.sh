#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# summaries-merge.sh - sums of summaries are the sums of the predictions, in whatever order they are made;
# what a summary cannot answer is refused.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/summaries.inc"

# Merging: every order and grouping gives the same bytes.
n=0
for name in p9_shm_c31 p9_shm_c34 slim_shm_c34 slim_shm_c31 masks_612_build_truth masks_build_smp8 \
	truth_p9_ranges_thp truth_612_ranges_c33; do
	n=$((n + 1))
	cp "$DATA/$name.dat" "$dir/$n.dat"
	"$TLBTRACE" summarize "$dir/$n.dat" -o "$dir/$n.tlbsum"
done
# Of one kernel: they are added, not only put side by side.
for i in 3 4; do
	n=$((n + 1))
	"$TLBTRACE" summarize --recorded=ceiling=34,local-ceiling=256 "$dir/$i.dat" -o "$dir/$n.tlbsum"
done
all=("$dir"/[0-9]*.tlbsum)
"$TLBTRACE" merge --again -o "$dir/all" "${all[@]}"
"$TLBTRACE" info "$dir/all" | grep -q 'of 2 traces'
for seed in 1 2 3 4 5; do
	mapfile -t some < <(printf '%s\n' "${all[@]}" | shuf --random-source=<(yes $seed))
	half=$((seed + 2))
	"$TLBTRACE" merge --again -o "$dir/left" "${some[@]:0:half}"
	"$TLBTRACE" merge --again "${some[@]:half}" >"$dir/right"
	"$TLBTRACE" merge --again -o "$dir/both" "$dir/left" "$dir/right"
	cmp "$dir/all" "$dir/both"
done

# The total of the sum is the total of the traces run together.
policies=(-p radix,ceiling=1 -p radix,ceiling=64 -p radix,trim=none -p radix,tlbie=off -p radix,lazy=combined,trim=v6.6
	-p radix,era=v4.13 -p arm64)
"$TLBTRACE" merge -o "$dir/sum" "$dir"/[1-8].tlbsum
"$TLBTRACE" merge -o "$dir/two" "$dir/9.tlbsum" "$dir/10.tlbsum"
want=$(total "${policies[@]}" "$dir"/[1-8].dat)
[ "$(jq '.policies | length' <<<"$want")" = 7 ]
[ "$want" = "$(total "${policies[@]}" "$dir"/[1-8].tlbsum)" ]
[ "$want" = "$(total "${policies[@]}" "$dir/sum")" ]
want=$(total "${policies[@]}" --recorded=ceiling=34,local-ceiling=256 "$dir"/[34].dat)
[ "$(jq '.policies | length' <<<"$want")" = 7 ]
[ "$want" = "$(total "${policies[@]}" "$dir/9.tlbsum" "$dir/10.tlbsum")" ]
[ "$want" = "$(total "${policies[@]}" "$dir/two")" ]
"$TLBTRACE" summarize "$dir"/[1-8].dat | cmp - "$dir/sum"
"$TLBTRACE" whatif --ceiling=31 "$dir/two" | grep -q 'sums of 2 traces'

# A trace in two summaries would count twice.
refused 2 'added already' merge -o "$dir/x" "$dir/1.tlbsum" "$dir/sum"
refused 2 'added already' summarize -o "$dir/x" "$dir/1.dat" "$DATA/p9_shm_c31.dat"
"$TLBTRACE" merge --again -o "$dir/x" "$dir/1.tlbsum" "$dir/sum"
"$TLBTRACE" summarize "$DATA/x86_det8_single.dat" -o "$dir/x86.tlbsum"
refused 2 'nothing in common' merge -o "$dir/x" "$dir/1.tlbsum" "$dir/x86.tlbsum"

# What a summary cannot answer.
s=$dir/1.tlbsum
refused 2 'keep which CPU' whatif --cpu=0 "$s"
refused 2 'keep when' whatif --time=1,2 "$s"
refused 2 'keep when' whatif --time=10%-20% "$s"
refused 2 'keep which task' whatif --comm=shm "$s"
refused 2 'joined its evidence' info --ignore=syscalls "$s"
refused 2 'ask the trace' report --by=time "$s"
refused 2 'ask the trace' report --interval=10 "$s"
refused 2 'ask the trace' report --by=cpu --format=csv "$s"
refused 2 'ask the trace' report --format=html "$s"
refused 2 'ask the trace' diff --by=task "$s" "$s"
refused 3 'has no events' export --format=csv "$s"
refused 2 'one by one' verify --ceiling=31 --per=event:sys_exit_ipc "$s" --actual="$dir/1.dat"
refused 2 'is a summary' summarize -o "$dir/x" "$s"
refused 2 'keeps all address spaces' summarize --mm=shm -o "$dir/x" "$dir/1.dat"
refused 2 'added up' whatif --mm=408 "$dir/two"
refused 2 'name one, as' verify --ceiling=31 "$s" --actual="$dir/sum"
refused 2 'name one, as' diff "$dir/sum" "$s"
refused 2 'has only' whatif "$dir/sum#99"
refused 3 'not a summary' merge -o "$dir/x" "$dir/1.dat"
refused 2 'whole files' merge -o "$dir/x" "$dir/sum#1"
head -c 100 "$s" >"$dir/cut"
refused 3 'cut off' whatif "$dir/cut"

# What it can: tables, groups by name, programs, differences, and what a prediction is held against.
[ "$("$TLBTRACE" report --by=mm --format=csv "$s" | cut -d, -f2-)" = \
	"$("$TLBTRACE" report --by=mm --format=csv "$dir/1.dat" | cut -d, -f2-)" ]
[ "$(numbers --ceiling=31 --mm=shm "$s")" = "$(numbers --ceiling=31 --mm=shm "$dir/1.dat")" ]
"$TLBTRACE" whatif --ceiling=31 "$dir/sum#1" | head -1 | grep -q 'sum#1$'
[ "$("$TLBTRACE" diff --format=csv "$dir"/[12].tlbsum)" = "$("$TLBTRACE" diff --format=csv "$dir"/[12].dat)" ]
# Without the trim clock, of which a summary does not tell, nothing is outside: it is undecided.
because() {
	"$TLBTRACE" verify --ceiling=31 --per=seconds --format=json "$1" --actual="$s" >"$dir/out" || [ $? = 1 ]
	jq -r '.predicted | map([.because, has("clock")]) | @json' "$dir/out"
}
[ "$(because "$dir/2.dat")" = '[["outside",true],["outside",true]]' ]
[ "$(because "$dir/2.tlbsum")" = '[["undecided",false],["undecided",false]]' ]
"$TLBTRACE" verify --ceiling=31 "$dir/2.tlbsum" --actual="$s" --per=seconds >"$dir/out" || [ $? = 1 ]
grep -q 'may have moved, which a summary does' "$dir/out"
