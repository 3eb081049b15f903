#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tour.sh - what docs/tour.md shows is what the program shows.
#
# A block after <!-- screen: NAME --> is that golden screen (tests/tui/screens.sh holds those to the
# program); in a block ```console, what follows `$ tlbtrace …` is its output. UPDATE=1 writes both.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tour=$here/../../docs/tour.md
TLBTRACE=$(realpath -e "${TLBTRACE:-$here/../../build/tlbtrace}") || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$(realpath -e "${DATA:-$here/../data}")" "$dir/data"

run_command() {
	local words
	read -ra words <<<"$1"
	(cd "$dir" && env LC_ALL=C.UTF-8 "$TLBTRACE" "${words[@]:2}" 2>&1)
}

screen=
skipping=
while IFS= read -r line; do
	if [ -n "$skipping" ]; then
		[ "$line" = '```' ] || continue
		skipping=
	fi
	printf '%s\n' "$line"
	case $line in
	'<!-- screen: '*) screen=${line#<!-- screen: } screen=${screen% -->} ;;
	'```text')
		[ -n "$screen" ] || continue
		cat "$here/../tui/screens/$screen"
		screen=
		skipping=1
		;;
	'$ tlbtrace '*)
		run_command "$line"
		skipping=1
		;;
	esac
done <"$tour" >"$dir/tour.md"

if [ "${UPDATE:-}" = 1 ]; then
	cp "$dir/tour.md" "$tour"
else
	diff -u --label docs/tour.md --label 'as it is' "$tour" "$dir/tour.md"
fi
