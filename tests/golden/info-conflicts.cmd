# SPDX-License-Identifier: GPL-2.0-or-later
# What the user says against the trace's evidence is named; -v has every parameter and event.
"$TLBTRACE" info -v --recorded=ceiling=12,sets=1 "$DATA/slim_shm_c34.dat"
"$TLBTRACE" info --ignore=syscalls,switches "$DATA/slim_shm_c34.dat" | sed -n '/Lacks/,/Flushes/p'
