# SPDX-License-Identifier: GPL-2.0-or-later
# The hash MMU is counted and not modelled: nothing of it replays, and no check of that holds.
"$TLBTRACE" whatif -p radix,ceiling=31 --min-fidelity=90% "$DATA/hash_ranges.dat"
"$TLBTRACE" info "$DATA/hash_ranges.dat"
