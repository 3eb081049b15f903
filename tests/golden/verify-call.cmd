# SPDX-License-Identifier: GPL-2.0-or-later
# 256 MB shared memory on POWER10, per shmdt: 160 to 191 tlbie, calls with a trim apart.
"$TLBTRACE" verify --ceiling=31 --per=event:sys_exit_ipc --actual="$DATA/p10_shm_c31.dat" \
	--ignore=requests "$DATA/truth_p10_shm_c34.dat"
