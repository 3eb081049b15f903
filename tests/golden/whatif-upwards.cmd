# SPDX-License-Identifier: GPL-2.0-or-later
# Upwards: promoted flushes have no known length, so only bounds are given.
"$TLBTRACE" whatif --ceiling=64 "$DATA/slim_ranges_c33.dat"
