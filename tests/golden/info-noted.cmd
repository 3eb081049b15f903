# SPDX-License-Identifier: GPL-2.0-or-later
# What was noted of the machine and its records exclude: a guest without GTSE has no broadcasts, and a
# lower ceiling no runs of 32 pages. The records win.
cp "$DATA/slim_shm_c34.dat" t.dat
echo "tlbtrace: version=1 arch=ppc64le cpu=POWER9 mmu=radix guest=yes gtse=off ceiling=8 tlbie=off" >t.dat.tlbmeta
"$TLBTRACE" info t.dat | sed -n '/Conflicts/,$p'
"$TLBTRACE" info -v t.dat | grep -e "^  gtse" -e "^  tlbie"
echo "tlbtrace: version=1 arch=ppc64le cpu=POWER9 mmu=radix guest=yes gtse=on ceiling=34 tlbie=on" >t.dat.tlbmeta
"$TLBTRACE" info t.dat | grep Conflicts
"$TLBTRACE" whatif -p radix,gtse=off t.dat | grep -A1 -e '^tlbie' -e hcalls
