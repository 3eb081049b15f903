#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf_damaged.sh - 200 cuts, 200 flips and 200 zeroed blocks of each container of perf.data.
TLBTRACE_MUTATIONS=200 exec "$(dirname "$TLBTRACE")/tests/test_perf_damage"
