# SPDX-License-Identifier: GPL-2.0-or-later
# Every slip is exit 2 with one line that names it and what is valid.
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
try whatf
try help whatf
try --ceiling=31
try whatif --celing=31
try whatif --ceil=31
try whatif --ceiling
try whatif --ceiling=lots
try whatif --ceiling=31,compare=ge
try whatif --ceiling=31 --ceiling=32
try whatif --compare=eq
try whatif --policy=arm
try whatif --policy=x86,local-ceiling=3
try whatif --policy=radix,celing=31 | cut -c 1-79
try whatif --policy=radix,ceiling=31,ceiling=32
try whatif --policy=radix,page-size=4K "$DATA/slim_shm_c34.dat"
try whatif --policy=radix,pti=on
try whatif --recorded=ceiling
try whatif --recorded=sets=0
try whatif --format=jsn
try whatif --ignore=switch
try whatif --time=10
try whatif --time=20%-10%
try whatif --time=10%-20% -
try whatif --cpu=3-1
try whatif --comm=a-name-of-16-char
try whatif --strict=yes
try whatif -Z
