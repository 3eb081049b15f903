#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# html-chromium.sh - the page in a browser: its numbers arrive, at two widths, and nothing is fetched.
set -eu

command -v chromium >/dev/null || {
	echo "chromium is not installed"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
page=$dir/page.html
"$TLBTRACE" report --format=html -o "$page" "$DATA/slim_4k_ranges_c33.dat"

browse() {
	timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--disable-background-networking --disable-component-update --no-first-run \
		--user-data-dir="$dir/profile" --log-net-log="$dir/net.json" "$@" "file://$page" \
		2>/dev/null
}

browse --dump-dom >"$dir/dom"
values() {
	grep -o 'data-value="[0-9]*"' "$1"
}
[ "$(values "$page" | wc -l)" -gt 100 ]
diff <(values "$page") <(values "$dir/dom")
# The browser's own requests go to its maker; the page makes none but for itself.
if grep -o '"url":"[^"]*"' "$dir/net.json" | grep -v -e 'file:///' -e google -e gstatic -e gvt1 -e '"url":""'; then
	echo "something was fetched"
	exit 1
fi

for width in 420 1200; do
	browse --hide-scrollbars --window-size=$width,2000 --screenshot="$dir/$width.png" >/dev/null
	[ "$(stat -c %s "$dir/$width.png")" -gt 20000 ]
done
