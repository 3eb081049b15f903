# SPDX-License-Identifier: GPL-2.0-or-later
# What cannot be compared is refused, and what anything would agree with does not hold.
try() {
	echo "\$ $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
c34=$DATA/slim_shm_c34.dat
c31=$DATA/slim_shm_c31.dat
try verify --ceiling=31 --mm=nosuch --actual="$c31" "$c34"
try verify --ceiling=31 --time=1,2 --actual="$c31" "$c34"
try verify --ceiling=31 --per=event:sched:sched_switch --mm=shm --actual="$c31" "$c34"
try verify --ceiling=31 --actual="$DATA/x86_shoot3_c8.dat" "$c34"
try verify --ceiling=31 --actual="$c34" "$DATA/x86_shoot3_c8.dat"
try verify --ceiling=31 --actual="$DATA/truth_4k_misc.dat" "$c34"
try verify --ceiling=31 --actual="$DATA/hash_ranges.dat" "$c34"
try verify -p arm64 --actual="$c31" "$c34"
try verify -p e500mc,variant=v2 --actual="$c31" "$c34"
