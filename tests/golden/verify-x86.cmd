# SPDX-License-Identifier: GPL-2.0-or-later
# Guests that really ran at the other ceiling: downwards exact, upwards exact with probes, else bounds.
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@"
	echo "exit $?"
}
try verify --ceiling=8 "$DATA/x86_det33_single.dat" --actual="$DATA/x86_det8_single.dat"
try verify --ceiling=33 "$DATA/x86_det8_single.dat" --actual="$DATA/x86_det33_single.dat"
try verify --ceiling=8 "$DATA/x86_shoot3_c33.dat" --actual="$DATA/x86_shoot3_c8.dat"
try verify --ceiling=33 "$DATA/x86_shoot3_c200.dat" --actual="$DATA/x86_shoot3_c33.dat"
try verify --ceiling=200 "$DATA/x86_shoot3_c33.dat" --actual="$DATA/x86_shoot3_c200.dat"
