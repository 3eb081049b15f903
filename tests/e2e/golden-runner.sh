#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# golden-runner.sh - the golden runner notices what it is there to notice.
set -eu

runner=$(cd "$(dirname "$0")/../golden" && pwd)/run.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export TLBTRACE=/bin/echo

must_fail() {
	if "$runner" "$dir/case.cmd" >"$dir/log"; then
		echo "not noticed: $1"
		exit 1
	fi
	grep -q 'FAILED: case' "$dir/log"
}

echo '"$TLBTRACE" "$DATA"; echo warning >&2; exit 3' >"$dir/case.cmd"
must_fail 'nothing is expected yet'

UPDATE=1 "$runner" "$dir/case.cmd"
[ "$(cat "$dir/case.stdout")" = data ]
[ "$(cat "$dir/case.stderr")" = warning ]
[ "$(cat "$dir/case.exit")" = 3 ]
"$runner" "$dir/case.cmd"

for part in stdout stderr exit; do
	mv "$dir/case.$part" "$dir/kept"
	echo other >"$dir/case.$part"
	must_fail "another $part"
	rm "$dir/case.$part"
	must_fail "no $part file, but not the usual $part"
	mv "$dir/kept" "$dir/case.$part"
done
"$runner" "$dir/case.cmd"

echo '"$TLBTRACE" quiet' >"$dir/case.cmd"
UPDATE=1 "$runner" "$dir/case.cmd"
[ ! -e "$dir/case.stderr" ]
[ ! -e "$dir/case.exit" ]
"$runner" "$dir/case.cmd"
