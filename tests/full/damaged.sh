#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# damaged.sh - 200 cuts, 200 flips and 200 zeroed blocks on each file of the unit tests.
set -u
failures=0
for kind in tracedat perf ctf; do
	TLBTRACE_MUTATIONS=200 "$BUILD/tests/test_${kind}_damage" || failures=$((failures + 1))
done
[ $failures = 0 ]
