#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inferred parameters and fidelity of every trace under TLBTRACE_TRACES.
set -eu
[ -n "${TLBTRACE_TRACES:-}" ] || {
	echo "TLBTRACE_TRACES names no folder of traces"
	exit 77
}
command -v python3 >/dev/null || {
	echo "needs python3"
	exit 77
}
exec python3 "$(dirname "${BASH_SOURCE[0]}")/manifest.py" "$TLBTRACE" "$TLBTRACE_TRACES"
