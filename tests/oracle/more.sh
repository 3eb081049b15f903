#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# more.sh ORACLE - runs the oracle on every trace.dat below $TLBTRACE_TRACES.
if [ -z "$TLBTRACE_TRACES" ]; then
	echo "TLBTRACE_TRACES is not set: nothing to compare"
	exit 77
fi
find "$TLBTRACE_TRACES" -name '*.dat' ! -name '*.perf.data' -exec "$1" {} +
