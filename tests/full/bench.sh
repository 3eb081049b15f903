#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bench.sh - the command lines of docs/performance.md, with small traces: each program that is measured ends well.
set -eu
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mapfile -t commands < <(python3 "$top/tests/docs/commands.py" "$top/docs/performance.md" | grep -E '^(cmake|tests/bench)')
[ ${#commands[@]} = 2 ]
[ "${commands[0]}" = 'cmake -S . -B build -G Ninja && ninja -C build' ]
[ "${commands[1]}" = 'tests/bench/bench.sh build /somewhere/with/room 50000000' ]

git -C "$top" -c safe.directory="$top" ls-files -z | tar -C "$top" --null -T - -c | tar -C "$dir" -x
cd "$dir"
(cmake -S . -B build -G Ninja && ninja -C build) >log 2>&1 || { tail log; exit 1; }
mkdir room
RUNS=1 tests/bench/bench.sh build room 200000 >table 2>&1 || { cat table; exit 1; }
# The last column is how the program ended.
awk -F '\t' 'NF > 8 && $1 != "what" { n++; if ($NF != 0) { print; bad = 1 } } END { exit bad || n < 20 }' table ||
	{ cat table; exit 1; }
echo "bench: $(wc -l <table) lines"
