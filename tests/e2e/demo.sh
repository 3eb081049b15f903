#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# demo.sh - the demo shows what it is there for: predictions beside what those kernels really did.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$("$top/docs/demo.sh")

expect() {
	grep -qF -- "$1" <<<"$out" || { printf 'missing: %s\n%s\n' "$1" "$out"; exit 1; }
}

# POWER10, then POWER9: the recordings' own numbers (PER_SHMDT) and what is predicted from one.
expect 'recorded at ceiling 34                       4097 in 9 calls'
expect 'predicted from it for ceiling 31             160 in 9 calls'
expect 'recorded when that kernel really ran at 31   160 in 4 calls, 191 in 5 calls'
expect 'recorded at ceiling 34                       4357 in 8 calls, 4361 in 1'
expect 'predicted from it for ceiling 31             420 in 8 calls, 486 in 1'
expect 'recorded when that kernel really ran at 31   420 in 9 calls'
expect 'tlbie                  40113            3936   -90.2 %'

# One screen.
test "$(wc -l <<<"$out")" -le 30
