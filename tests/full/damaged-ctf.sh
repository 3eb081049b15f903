#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# damaged-ctf.sh - 200 cuts, 200 flips and 200 zeroed blocks on each CTF directory of the unit test.
TLBTRACE_MUTATIONS=200 exec "$(dirname "$TLBTRACE")/tests/test_ctf_damage"
