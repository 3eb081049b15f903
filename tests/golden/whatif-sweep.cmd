# SPDX-License-Identifier: GPL-2.0-or-later
# 2 MiB batches of 64K pages jump at 32; above the recorded ceiling promoted flushes leave an interval.
sweep() {
	"$TLBTRACE" whatif "$@" | sed -n '/^Sweep/,/^How well/p'
}
sweep --sweep=ceiling=1:512 "$DATA/slim_shm_c34.dat"
sweep --sweep=local-ceiling=0:300 --compare=ge "$DATA/slim_4k_ranges_c33.dat"
sweep --sweep=ceiling=1:100:3 "$DATA/x86_shoot3_c33.dat"
"$TLBTRACE" whatif --sweep=ceiling=31:32 --format=csv "$DATA/slim_shm_c34.dat" | grep -e ',tlbie,' -e promoted
"$TLBTRACE" whatif --sweep=ceiling=31:34:3 --format=json "$DATA/slim_shm_c34.dat" | sed -n '/"sweep"/,$p'
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
try whatif --sweep=ceiling=9
try whatif --sweep=ceiling=9:3
try whatif --sweep=compare=1:3
try whatif --sweep=ceiling=1:3 --sweep=ceiling=2:3
try whatif --sweep=local-ceiling=1:3 "$DATA/x86_shoot3_c33.dat"
