# SPDX-License-Identifier: GPL-2.0-or-later
# The question of seed 000: at 32 the batches of 32 pages stay, and the text says so.
"$TLBTRACE" whatif --ceiling=32 "$DATA/slim_shm_c34.dat"
