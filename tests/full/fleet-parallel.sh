#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fleet-parallel.sh - docs/fleet/parallel.sh.
set -eu
command -v parallel >/dev/null || { echo "needs parallel"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/fleet.inc"
check_fleet "$(dirname "${BASH_SOURCE[0]}")/../../docs/fleet/parallel.sh"
