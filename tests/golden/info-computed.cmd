# SPDX-License-Identifier: GPL-2.0-or-later
"$TLBTRACE" info --ignore=instructions "$DATA/truth_p10_ranges_c33.dat"
"$TLBTRACE" report --ignore=instructions --stdio "$DATA/truth_p10_ranges_c33.dat" | head -n 14
"$TLBTRACE" export --ignore=instructions --format=jsonl "$DATA/truth_p10_ranges_c33.dat" | sed -n '1p;40p'
"$TLBTRACE" export --ignore=instructions --format=csv "$DATA/truth_p10_ranges_c33.dat" | sed -n '1,2p;41p'
