# SPDX-License-Identifier: GPL-2.0-or-later
"$TLBTRACE" whatif --ceiling=31 --format=csv "$DATA/slim_shm_c34.dat"
