#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fast ways of reading give what the plain one gives, on every trace under TLBTRACE_TRACES.
set -eu

if [ ! -d "${TLBTRACE_TRACES:-}" ]; then
	echo "TLBTRACE_TRACES does not name a directory of traces"
	exit 77
fi
find "$TLBTRACE_TRACES" -type f \( -name '*.dat' -o -name '*.data' \) -print0 | sort -z |
	xargs -0 -n 64 "$(dirname "$TLBTRACE")/tests/fast/fast"
