# SPDX-License-Identifier: GPL-2.0-or-later
# Where the output goes: a file whole or not at all, a full disk is exit 4, a closed pipe is quiet.
trace=$DATA/slim_shm_c34.dat
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
"$TLBTRACE" whatif "$trace" >expected
try whatif -o out.txt "$trace"
cmp expected out.txt && echo same
chmod 600 out.txt
ln -s out.txt link.txt
try whatif --format=csv --output=link.txt "$trace"
stat -c '%F %a' link.txt out.txt
head -n 1 out.txt
: >empty.dat
try whatif -o out.txt empty.dat
head -n 1 out.txt
try whatif -o nowhere/out.txt "$trace"
try whatif -o /dev/full "$trace"
ls
"$TLBTRACE" whatif "$trace" >/dev/full
echo "exit $?"
"$TLBTRACE" --help >/dev/full
echo "exit $?"
{
	sleep 0.5 # until nobody reads any more
	"$TLBTRACE" whatif "$trace"
	echo "exit $?" >status
} | :
cat status
"$TLBTRACE" whatif --color=always "$trace" | head -n 1 | cat -v
NO_COLOR=1 "$TLBTRACE" whatif --color=auto "$trace" | head -n 1 | cat -v
# Not every terminal knows the sign between the ends of an interval.
LC_ALL=C "$TLBTRACE" whatif --ceiling=64 "$DATA/slim_ranges_c33.dat" | grep '^tlbie '
