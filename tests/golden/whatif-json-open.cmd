# SPDX-License-Identifier: GPL-2.0-or-later
# Intervals, several inputs, and the total.
"$TLBTRACE" whatif --ceiling=64 --format=json "$DATA/slim_ranges_c33.dat" "$DATA/slim_4k_ranges_c33.dat"
