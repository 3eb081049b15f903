# SPDX-License-Identifier: GPL-2.0-or-later
# x86: one that probes tell the size of, one without; the shorthand takes the machine's policy.
"$TLBTRACE" whatif --ceiling=8 "$DATA/x86_det33_single.dat"
echo
"$TLBTRACE" whatif --ceiling=200 "$DATA/x86_shoot3_c33.dat"
echo
"$TLBTRACE" whatif -v --policy=x86,pti=on --policy=x86,invlpgb=8,lazy-skip=off "$DATA/x86_612_shoot3_c33.dat"
echo
"$TLBTRACE" whatif --ceiling=8 --format=json "$DATA/x86_612_single_c8.dat"
"$TLBTRACE" whatif --ceiling=8 --format=csv "$DATA/x86_612_shoot3_c33.dat"
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
# Policies and inputs of another machine are refused.
try whatif --policy=radix,ceiling=31 "$DATA/x86_612_single_c8.dat"
try whatif --policy=x86,ceiling=31 "$DATA/slim_shm_c31.dat"
try whatif --local-ceiling=31 "$DATA/x86_612_single_c8.dat"
try whatif "$DATA/slim_shm_c31.dat" "$DATA/x86_612_single_c8.dat"
