#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lazy TLB's atomics against an independent count of the same trace's text.
set -u
here=$(dirname "${BASH_SOURCE[0]}")
for tool in trace-cmd python3; do
	command -v "$tool" >/dev/null || {
		echo "needs $tool"
		exit 77
	}
done
files=("$DATA"/masks_*ctxsw*.dat "$DATA"/masks_*build*.dat)
if [ -n "${TLBTRACE_TRACES:-}" ]; then
	mapfile -t more < <(find "$TLBTRACE_TRACES" -path '*ppc64le*' \
		\( -name '*ctxsw*.dat' -o -name '*build*.dat' \))
	files+=("${more[@]}")
fi
failed=0
for file in "${files[@]}"; do
	want=$(trace-cmd report "$file" 2>/dev/null | python3 "$here/lazy_count.py")
	line=$("$FOLLOW" "$file") || failed=1
	[[ " $line " == *" $want "* ]] && continue
	echo "$file: counted $want"
	echo "$line"
	failed=1
done
exit $failed
