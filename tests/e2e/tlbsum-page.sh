#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tlbsum-page.sh - tlbsum(5) names every part and field that replay/summary_fields.c writes.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
page=$BUILD/generated/docs/tlbsum.5
source=$here/../../replay/summary_fields
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# "info->lost_events" is lost_events, "s->fits[i]" is fits, "g->info.page_size" is page_size.
names() {
	sed -E 's/\[[^]]*\]//g; s/.*(->|\.)//'
}

# Those of classes are in the table of columns.
fields() {
	grep -oE 'CODE(_ANY|_FLAG|_TEXT|_SIGNED)?\(c, [^,)]+' "$source.c" | sed 's/.*(c, //' | names
	grep -oE 'code_per_cpu\(c, &[^,)]+' "$source.c" | sed 's/.*&//' | names
	grep -oE '^	X\([^,]+' "$source.h" | sed 's/.*X(//; s/\[.*//'
}

grep -oE 'code_begin\(c, "....' "$source.c" | sed 's/.*"//' >"$dir/parts"
[ "$(wc -l <"$dir/parts")" = 8 ]
while read -r part; do
	grep -q "\\b$part\\b" "$page" || { echo "tlbsum.5 lacks part $part"; exit 1; }
done <"$dir/parts"

sed -n '/^\.SS SRC_/,/^\.SH WHAT/p' "$page" | sed -n 's/^\.B //p' | tr -d ' ' | tr ',' '\n' |
	sed 's/^x86\.//' | grep . | sort -u >"$dir/described"
fields | grep -vxE 'any|mmu' | sed 's/^x86\.//' | sort -u >"$dir/written"
[ "$(wc -l <"$dir/written")" -gt 100 ]
diff "$dir/written" "$dir/described"
! command -v mandoc >/dev/null || mandoc -Tlint "$page"
