# SPDX-License-Identifier: GPL-2.0-or-later
# A cut file is told from a whole one, and exit codes are those of cli.md.
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
try info --format=csv
try info absent.dat
head -c 100000 "$DATA/slim_shm_c34_v6.dat" >cut.dat
try info cut.dat
try info --strict cut.dat | tail -n 2
