#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# parallel.sh TRACES OUT [OPTION...] - the same as slurm.sh with GNU parallel, whose options may follow: the
# traces of the list TRACES to OUT/fleet.tlbsum. What fails is named, and nothing is merged then.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: parallel.sh TRACES OUT [OPTION...]" >&2; exit 2; }
traces=$1 out=$2
shift 2
mkdir -p "$out"
rm -f "$out"/*.tlbsum
tlbtrace=${TLBTRACE:-tlbtrace}
parallel "$@" "$tlbtrace" summarize -q -o "$out/{#}.tlbsum" {} :::: "$traces"
"$tlbtrace" merge -o "$out/fleet.tlbsum" "$out"/*.tlbsum
