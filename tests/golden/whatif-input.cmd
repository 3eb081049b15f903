# SPDX-License-Identifier: GPL-2.0-or-later
# What is no usable trace is exit 3 with one line that says why; the default input is found.
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
try whatif
try whatif absent.dat
mkdir directory
try whatif directory
: >empty.dat
try whatif empty.dat
try whatif "$DATA/MANIFEST.tsv"
try whatif "$DATA/vcpu_standin.dat"
head -c 100000 "$DATA/slim_shm_c34_v6.dat" >cut.dat
try whatif cut.dat
try whatif --strict --format=csv cut.dat
try whatif -q --format=csv cut.dat
cp "$DATA/slim_shm_c31.dat" trace.dat
"$TLBTRACE" whatif | head -n 1
"$TLBTRACE" whatif -i "$DATA/slim_shm_c34.dat" | head -n 1
