#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fleet-parallel.sh - docs/fleet/parallel.sh.
set -eu
command -v parallel >/dev/null || { echo "needs parallel"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/fleet.inc"
check_fleet "$(dirname "${BASH_SOURCE[0]}")/../../docs/fleet/parallel.sh"

# The page's own command lines. Other machines are this one: ssh is a stand-in that runs what it is given.
make_fleet
run_of_page 'docs/fleet/parallel.sh traces.txt summaries'
cmp "$dir/summaries/fleet.tlbsum" "$dir/both"
echo : >"$dir/nodes.txt"
run_of_page 'docs/fleet/parallel.sh traces.txt /shared/summaries --sshloginfile nodes.txt'
cmp "$dir/shared/summaries/fleet.tlbsum" "$dir/both"
run_of_page 'tlbtrace whatif --ceiling=31 /shared/summaries/fleet.tlbsum'
grep -q '^tlbie .* 7808' "$dir/said" || { cat "$dir/said"; exit 1; }
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$dir/bin/ssh"
chmod +x "$dir/bin/ssh"
printf 'node7\nnode8\n' >"$dir/nodes.txt"
run_of_page 'while read'
"$TLBTRACE" summarize -q "$dir/node/trace.dat" | cmp - "$dir/node8.tlbsum"
