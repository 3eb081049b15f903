#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every trace with probes under TLBTRACE_TRACES, with the ceilings that its MANIFEST.tsv names.
set -eu
[ -n "${TLBTRACE_TRACES:-}" ] || {
	echo "TLBTRACE_TRACES names no folder of traces"
	exit 77
}
# In recordings this large the cause of single flushes is misread: two of 902 pages that exec moves, in
# build.truth.dat, are taken for a fault's, and without system calls a full-mm gather for an exit's.
arguments=(--slack=2)
for manifest in "$TLBTRACE_TRACES"/ppc64le-*/MANIFEST.tsv; do
	while IFS=$'\t' read -r file _ _ ceiling local _; do
		case $file in
		*.truth.dat) arguments+=("--recorded=ceiling=$ceiling,local-ceiling=$local"
			"$(dirname "$manifest")/$file") ;;
		esac
	done <"$manifest"
done
"$(dirname "$TLBTRACE")/tests/truth" "${arguments[@]}"
