#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh [CASE.cmd…] - runs command lines and compares what they print with what stands beside them.
#
# A case is NAME.cmd (shell, with $TLBTRACE and $DATA), NAME.stdout, and where they differ from the
# usual NAME.stderr (usually nothing) and NAME.exit (usually 0). It runs in an empty directory whose
# `data` is tests/data: $DATA is that relative name, so that no path of this machine is printed.
# UPDATE=1 writes the expected files instead of comparing. Without a CASE: all that stand here.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
data=${DATA:-$here/../data}
TLBTRACE=$(realpath -e "${TLBTRACE:-$here/../../build/tlbtrace}") || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Runs $1 and leaves out, err and code in the scratch directory.
run_case() {
	rm -rf "$scratch/cwd"
	mkdir "$scratch/cwd"
	ln -s "$data" "$scratch/cwd/data"
	(
		cd "$scratch/cwd" || exit 1
		env -u TLBTRACE_TRACES TLBTRACE="$TLBTRACE" DATA=data LC_ALL=C.UTF-8 TZ=UTC TERM=dumb \
			bash "$1"
	) </dev/null >"$scratch/stdout" 2>"$scratch/stderr"
	echo $? >"$scratch/exit"
}

# The expected content of file $1, or the default $2 where it does not exist.
expected() {
	if [ -e "$1" ]; then cat "$1"; else printf '%s' "$2"; fi
}

compare_case() {
	local base=$1 failed=0 part
	if [ ! -e "$base.stdout" ]; then
		echo "$base.stdout does not exist; UPDATE=1 writes it"
		failed=1
	fi
	for part in stdout stderr exit; do
		local default=
		[ $part = exit ] && default=$'0\n'
		if ! diff -u --label "expected $part" --label "$part" \
			<(expected "$base.$part" "$default") "$scratch/$part"; then
			failed=1
		fi
	done
	return $failed
}

update_case() {
	local base=$1
	cp "$scratch/stdout" "$base.stdout"
	cp "$scratch/stderr" "$base.stderr"
	cp "$scratch/exit" "$base.exit"
	[ -s "$base.stderr" ] || rm "$base.stderr"
	[ "$(cat "$base.exit")" != 0 ] || rm "$base.exit"
}

[ $# -gt 0 ] || set -- "$here"/*.cmd
failures=0
for case in "$@"; do
	case=$(realpath -e "$case") || exit 1
	run_case "$case"
	if [ "${UPDATE:-}" = 1 ]; then
		update_case "${case%.cmd}"
	elif ! compare_case "${case%.cmd}"; then
		echo "FAILED: $(basename "${case%.cmd}")"
		failures=$((failures + 1))
	fi
done
[ $failures -eq 0 ]
