#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lazy TLB's atomics against an independent count of the same trace's text.
set -u
here=$(dirname "${BASH_SOURCE[0]}")
for tool in trace-cmd python3 jq; do
	command -v "$tool" >/dev/null || {
		echo "needs $tool"
		exit 77
	}
done
files=("$DATA"/masks_*ctxsw*.dat "$DATA"/masks_*build*.dat)
if [ -n "${TLBTRACE_TRACES:-}" ]; then
	mapfile -t more < <(find "$TLBTRACE_TRACES" -path '*ppc64le*' \
		\( -name '*ctxsw*.dat' -o -name '*build*.dat' \))
	files+=("${more[@]}")
fi
failed=0
for file in "${files[@]}"; do
	want=$(trace-cmd report "$file" 2>/dev/null | python3 "$here/lazy_count.py")
	line=$("$FOLLOW" "$file") || failed=1
	[[ " $line " == *" $want "* ]] && continue
	echo "$file: counted $want"
	echo "$line"
	failed=1
done

# What whatif prints: "likely lo hi" of a counter under a policy.
predicted() {
	"$TLBTRACE" whatif -p "$2" --format=json "$1" |
		jq -r --arg key "$3" '.results[0].policies[0].counters[$key] |
			"\(.likely // .lo) \(.lo) \(.hi)"'
}

# That whatif's likely value of a counter is within 5 % of a number, or the number within its bounds.
holds() {
	local file=$1 policy=$2 key=$3 true=$4 likely lo hi
	read -r likely lo hi < <(predicted "$file" "$policy" "$key")
	[ $((20 * likely)) -ge $((19 * true)) ] && [ $((20 * likely)) -le $((21 * true)) ] && return
	[ "$lo" -le "$true" ] && [ "$hi" -ge "$true" ] && return
	echo "$file: $policy: $key is $likely ($lo to $hi), and was $true"
	failed=1
}

# The recorded policy, replayed: IPIs that trim and IPIs at the last mmdrop, as probes counted them.
holds "$DATA/masks_612_build_truth.dat" radix ipis 108
holds "$DATA/masks_612_build_truth.dat" radix shoot_ipis 7
holds "$DATA/masks_612_ctxsw_truth.dat" radix ipis 3
holds "$DATA/masks_612_ctxsw_truth.dat" radix shoot_ipis 0
# Atomics that a kernel which counts references would have made, by the count of the text.
for file in "$DATA"/masks_*ctxsw*.dat "$DATA"/masks_*build*.dat; do
	want=$(trace-cmd report "$file" 2>/dev/null | python3 "$here/lazy_count.py")
	holds "$file" radix,lazy=refcount lazy_atomics "${want##*=}"
done
# A build on 6.1 under what 6.12 does: no end of an mm is a broadcast any more.
holds "$DATA/masks_build_smp8.dat" radix tlbie 90
holds "$DATA/masks_build_smp8.dat" radix,lazy=combined tlbie 0
holds "$DATA/masks_612_build_truth.dat" radix tlbie 0
exit $failed
