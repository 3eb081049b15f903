# SPDX-License-Identifier: GPL-2.0-or-later
# Other architectures' rules for the same requests, and time.
"$TLBTRACE" whatif -p arm64 -p arm64,pti=on -p arm64-range -p riscv -p radix,ceiling=31 --cost=seed \
	"$DATA/slim_shm_c34.dat"
"$TLBTRACE" whatif -p riscv --cost=tlbie=620ns,sfence=0.1us --format=json "$DATA/slim_shm_c34.dat" |
	sed -n '/"cost"/,/"quality"/p'
"$TLBTRACE" whatif -p arm64 -p radix,gtse=off --format=markdown "$DATA/slim_shm_c34.dat"
for bad in -parm64,compare=ge --cost=tlbie=1 --cost=nothing=1ns; do
	"$TLBTRACE" whatif "$bad" "$DATA/slim_shm_c34.dat" 2>&1
	echo "exit $?"
done
