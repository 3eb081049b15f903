#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm.sh TRACES OUT - summarizes the traces of the list TRACES (one path a line) as a Slurm job array, and
# then merges them to OUT/fleet.tlbsum. OUT is a folder that all nodes share. Waits for the merge, and ends
# as it ended. At most MOST tasks run at once (50).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 2 ] || { echo "usage: slurm.sh TRACES OUT" >&2; exit 2; }
TRACES=$(realpath -e "$1")
mkdir -p "$2"
OUT=$(realpath -e "$2")
n=$(wc -l <"$TRACES")
[ "$n" -gt 0 ] || { echo "slurm.sh: $TRACES is empty" >&2; exit 2; }
rm -f "$OUT"/*.tlbsum
export TRACES OUT
array=$(sbatch --parsable --chdir="$OUT" --array="1-$n%${MOST:-50}" "$here/summarize.sbatch")
exec sbatch --parsable --chdir="$OUT" --dependency="afterany:$array" --wait "$here/merge.sbatch"
