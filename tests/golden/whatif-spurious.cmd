# SPDX-License-Identifier: GPL-2.0-or-later
# Seed 004's patch 7 has no key: which flushes are of spurious faults no trace tells. Of a kernel before it
# they may be among those of single pages; of a later one they are missing.
notes() { sed -n '/^What is uncertain/,$p'; }
"$TLBTRACE" whatif --recorded=era=v4.14 -p radix,era=v4.18 "$DATA/masks_build_smp8.dat" | notes
"$TLBTRACE" whatif --recorded=era=v4.14 -p radix,ceiling=8 "$DATA/masks_build_smp8.dat" | grep -c spurious
"$TLBTRACE" whatif -p radix,era=v4.13 "$DATA/masks_ctxsw.dat" | notes
"$TLBTRACE" whatif -p radix,era=v5.4 -p arm64 "$DATA/masks_ctxsw.dat" | grep -c spurious || true
