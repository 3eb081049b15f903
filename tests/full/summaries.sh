#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# summaries.sh - every recording of the collection, and what its summary predicts.
set -eu
if [ ! -d "${TLBTRACE_TRACES:-}" ]; then
	echo "TLBTRACE_TRACES does not name a directory of traces"
	exit 77
fi
find "$TLBTRACE_TRACES" -type f \( -name '*.dat' -o -name '*.data' \) -print0 | sort -z |
	xargs -0 bash "$(dirname "${BASH_SOURCE[0]}")/../e2e/summaries.sh"
