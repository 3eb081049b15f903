# SPDX-License-Identifier: GPL-2.0-or-later
# With tlbie off a call costs what its own CPU and the handlers of the others flush. The probes of this
# recording saw 130 flushes by IPI to three CPUs in each call: 390. And the way back.
"$TLBTRACE" verify -p radix,tlbie=off --per=event:sys_exit_ipc \
	--actual="$DATA/noipi_shm_c34_truth.dat" "$DATA/p9_shm_c34.dat" --format=json
"$TLBTRACE" verify -p radix,tlbie=on,fixups=erat+stq --per=event:sys_exit_ipc \
	--actual="$DATA/p9_shm_c34.dat" "$DATA/noipi_shm_c34_truth.dat"
