# SPDX-License-Identifier: GPL-2.0-or-later
# Policies that change who is in the mask, and whom their IPIs reach. A build of 30 global final flushes.
"$TLBTRACE" whatif -p radix,lazy=combined -p radix,tlbie=off -p radix,gtse=off -p radix,trim=none \
	--isolated=2,3 "$DATA/masks_build_smp8.dat"
"$TLBTRACE" whatif -v -p radix,lazy=shootdown "$DATA/masks_ctxsw.dat"
# An era is all of it; here the trace's 6.12 goes back to before S3's series, and to the one after.
"$TLBTRACE" whatif -p radix,era=v4.13 -p radix,era=v5.14 "$DATA/masks_612_ctxsw_truth.dat"
