#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# damaged.sh - 200 cuts, 200 flips and 200 zeroed blocks on each trace.dat of the unit test.
TLBTRACE_MUTATIONS=200 exec "$(dirname "$TLBTRACE")/tests/test_tracedat_damage"
