# SPDX-License-Identifier: GPL-2.0-or-later
# Every parameter and row; where nothing was recorded an open prediction has no change to show.
"$TLBTRACE" whatif -v --ceiling=64 "$DATA/slim_shm_c31.dat"
