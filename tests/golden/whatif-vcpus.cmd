# SPDX-License-Identifier: GPL-2.0-or-later
# e500mc from the switches of hosts that ran no e500mc; a policy of flushes has nothing to say there.
"$TLBTRACE" whatif -v -p e500mc,variant=old -p e500mc,variant=v2 -p e500mc "$DATA/vcpu_standin.dat"
"$TLBTRACE" whatif -p e500mc,variant=v2 --format=json "$DATA/vcpu_qemu.dat" | sed -n '/"policies"/,/"quality"/p'
"$TLBTRACE" whatif -p e500mc --budget='missed_invalidations<=0' -q "$DATA/vcpu_qemu.dat" | sed -n '/^Checks/,$p'
"$TLBTRACE" whatif -p e500mc --ceiling=8 "$DATA/vcpu_qemu.dat" 2>&1
echo "exit $?"
