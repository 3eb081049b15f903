# SPDX-License-Identifier: GPL-2.0-or-later
# The seed's own patch: ceiling 32, compared with >=.
"$TLBTRACE" whatif --ceiling=32 --compare=ge "$DATA/slim_shm_c34.dat"
