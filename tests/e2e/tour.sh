#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tour.sh - what README.md and the pages of docs/ show is what the program shows.
#
# A block after <!-- screen: NAME --> is that golden screen (tests/tui/screens.sh holds those to the
# program), one after <!-- excerpt: NAME --> has only lines of it, in their order; in a block ```console,
# what follows `$ tlbtrace …` is its output. UPDATE=1 writes screens and outputs.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
docs=$here/../../docs
TLBTRACE=$(realpath -e "${TLBTRACE:-$here/../../build/tlbtrace}") || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$(realpath -e "${DATA:-$here/../data}")" "$dir/data"

run_command() {
	local words
	read -ra words <<<"$1"
	(cd "$dir" && env LC_ALL=C.UTF-8 "$TLBTRACE" "${words[@]:2}" 2>&1)
}

# The lines of a block that a screen has, in the order in which it has them, with what stands in no such
# place marked.
excerpt() {
	awk 'NR == FNR { screen[++n] = $0; next }
		{ for (i = at + 1; i <= n && screen[i] != $0; i++); }
		i <= n { at = i; print; next }
		{ print "NOT ON THE SCREEN: " $0 }' "$here/../tui/screens/$1" -
}

# The page $1 with what the program shows now.
render() {
	local line screen='' part='' skipping='' block=''
	while IFS= read -r line; do
		if [ -n "$block" ] && [ "$line" = '```' ]; then
			excerpt "$part" <"$block"
			block=
		elif [ -n "$block" ]; then
			printf '%s\n' "$line" >>"$block"
			continue
		fi
		if [ -n "$skipping" ]; then
			[ "$line" = '```' ] || continue
			skipping=
		fi
		printf '%s\n' "$line"
		case $line in
		'<!-- screen: '*) screen=${line#<!-- screen: } screen=${screen% -->} ;;
		'<!-- excerpt: '*) part=${line#<!-- excerpt: } part=${part% -->} ;;
		'```text')
			if [ -n "$part" ] && [ -z "$screen" ]; then
				block=$dir/block
				: >"$block"
			fi
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
	done <"$1"
}

failed=0
for page in "$here/../../README.md" "$docs"/*.md; do
	name=$(basename "$page")
	render "$page" >"$dir/$name"
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$dir/$name" "$page"
	elif ! diff -u --label "$name" --label 'as it is' "$page" "$dir/$name"; then
		failed=1
	fi
done
exit $failed
