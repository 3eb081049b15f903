#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lies.sh - lies.py with 200 files of each kind, and with some under ASan and UBSan where that is built.
set -eu
lies=$(dirname "${BASH_SOURCE[0]}")/lies.py
python3 "$lies" "$TLBTRACE" "$DATA" "${TLBTRACE_LIES:-200}"
asan=$BUILD/../build-asan/tlbtrace
[ ! -x "$asan" ] || TLBTRACE_SLOW=1 python3 "$lies" "$asan" "$DATA" 25
