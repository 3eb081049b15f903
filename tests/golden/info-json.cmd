# SPDX-License-Identifier: GPL-2.0-or-later
"$TLBTRACE" info --format=json "$DATA/slim_ranges_c33.dat"
