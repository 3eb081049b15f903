# SPDX-License-Identifier: GPL-2.0-or-later
# Options that name what is not there, or that would silently win over an earlier one.
try() {
	echo "\$ $*"
	"$TLBTRACE" "$@" 2>&1 </dev/null
	echo "exit $?"
}
power=$DATA/slim_shm_c34.dat
x86=$DATA/x86_shoot3_c8.dat
try whatif --mm= "$power"
try whatif --mm=a_name_of_16_cha "$power"
try whatif --cpu=2-4 "$power"
try report --cpu=99 "$power"
try export --format=csv --cpu=99 "$power"
try whatif -p radix,tlbie=off --isolated=2-4 "$power"
try whatif --recorded=pti=on "$power"
try whatif --recorded=lazzy=combined "$power"
try whatif --recorded=trim=none "$x86"
try whatif --recorded=ceilling=8 "$x86"
try whatif --recorded=variant=v2 "$power"
try whatif --format=json --format=csv "$power"
try report --by=mm --by=cpu "$power"
try whatif -o a -o b "$power"
try diff - -
try whatif -i - -
try whatif -p raddix "$power"
try whatif -p radix,lazy=combine "$power"
try whatif --cost=tlbei=620ns "$power"
try verify --ceiling=31 --per=event:sched_swich --actual="$power" "$power"
