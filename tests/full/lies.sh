#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lies.sh - 200 traces of each kind whose fields, texts of formats or frames of zstd lie.
set -eu
command -v python3 >/dev/null || {
	echo "needs python3"
	exit 77
}
exec python3 "$(dirname "${BASH_SOURCE[0]}")/lies.py" "$TLBTRACE" "$DATA" "${TLBTRACE_LIES:-200}"
