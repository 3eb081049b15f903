# SPDX-License-Identifier: GPL-2.0-or-later
# Two traces, two alternatives, one without a name that fits: tables, shares, total.
"$TLBTRACE" whatif -p radix,ceiling=8 -p radix,ceiling=16,local-ceiling=16,fixups=none \
	"$DATA/slim_shm_c34.dat" "$DATA/slim_ranges_c33.dat"
