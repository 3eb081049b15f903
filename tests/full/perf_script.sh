#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf_script.sh - every perf.data below TLBTRACE_TRACES, against what perf script prints of it.
[ -n "${TLBTRACE_TRACES:-}" ] || {
	echo "TLBTRACE_TRACES names no folder of traces"
	exit 77
}
EVERY_TRACE=1 exec bash "$(dirname "$0")/../e2e/perf_script.sh"
