# SPDX-License-Identifier: GPL-2.0-or-later
# The same in total: the trim clock turned other calls local, which the comparison allows for.
"$TLBTRACE" verify --ceiling=31 --actual="$DATA/p10_shm_c31.dat" --ignore=requests --format=json \
	"$DATA/truth_p10_shm_c34.dat"
