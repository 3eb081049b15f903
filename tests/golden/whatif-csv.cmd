# SPDX-License-Identifier: GPL-2.0-or-later
"$TLBTRACE" whatif --ceiling=31 --format=csv "$DATA/slim_shm_c34.dat"
# Where no reading is to be preferred, JSON has no likely value, and CSV an empty one.
"$TLBTRACE" whatif --ceiling=40 --format=csv "$DATA/slim_shm_c34.dat" | grep ',ceiling=40\|radix,ceiling=40' | grep ',tlbie,\|,promoted,'
"$TLBTRACE" whatif --policy=arm64 --format=csv "$DATA/slim_shm_c34.dat" | grep ',arm64,tlbi,'
