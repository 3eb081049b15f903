#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# summaries.sh [TRACE...] - a summary predicts what its trace predicts, to the byte.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/summaries.inc"

if [ $# -gt 0 ]; then
	for trace; do
		same_predictions "$trace"
	done
	exit
fi
for name in masks_612_build_truth masks_mig_truth p9_shm_c34 slim_4k_ranges_c33 truth_p10_ranges_c33 \
	truth_p9_local_thp vcpu_qemu x86_612_shoot3_c33 x86_det8_single x86_clk_counter; do
	same_predictions "$DATA/$name.dat"
done

# The same bytes on every run, wherever the trace lies, also onto a pipe.
cp "$DATA/p9_shm_c34.dat" "$dir/elsewhere.dat"
"$TLBTRACE" summarize "$dir/elsewhere.dat" | cmp - <("$TLBTRACE" summarize "$DATA/p9_shm_c34.dat")

# What was selected when it was made is what is counted.
"$TLBTRACE" summarize --cpu=0-1 --comm=shm "$DATA/p9_shm_c34.dat" -o "$dir/part.tlbsum"
[ "$(numbers --ceiling=31 "$dir/part.tlbsum")" = \
	"$(numbers --ceiling=31 --cpu=0-1 --comm=shm "$DATA/p9_shm_c34.dat")" ]
"$TLBTRACE" info "$dir/part.tlbsum" | grep -q 'made with --cpu=0-1 --comm=shm'
