# SPDX-License-Identifier: GPL-2.0-or-later
# Two recordings of ceiling 34 are not what ceiling 1 would have cost; and what cannot be divided.
"$TLBTRACE" verify --ceiling=1 --actual="$DATA/slim_shm_c34.dat" \
	--actual="$DATA/slim_shm_c34_v7none.dat" "$DATA/slim_shm_c34.dat"
echo "exit $?"
"$TLBTRACE" verify --ceiling=31 --actual="$DATA/slim_shm_c31.dat" --per=seconds \
	--tolerance=100% "$DATA/slim_shm_c34.dat"
echo "exit $?"
