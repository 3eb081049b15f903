#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# guest-init.sh - init of the virtual machine: mounts, runs the job from the shared folder, powers off.
/bin/busybox mkdir -p /proc /sys /dev /tmp /mnt
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin HOME=/root TERM=linux
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs -o size=80% tmp /tmp
mount -t tmpfs tmp /dev/shm
mount -t tracefs tracefs /sys/kernel/tracing
# In any order: what needs another is tried again.
for try in 1 2 3 4; do
	for module in /mod/*.ko; do
		[ -f "$module" ] && insmod "$module" 2>/dev/null && rm "$module"
	done
done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 share /mnt || echo "no shared folder"
sh /mnt/guest-job.sh 2>&1
echo "=== guest done"
sync
umount /mnt
poweroff -f
