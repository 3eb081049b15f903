# SPDX-License-Identifier: GPL-2.0-or-later
# chroot.bash - a Debian 12 with nothing in it but apt, thrown away afterwards. To be sourced.
#
# TLBTRACE_MIRROR is where it comes from, TLBTRACE_CHROOT a folder that keeps it for the next time.
mirror=${TLBTRACE_MIRROR:-http://deb.debian.org/debian}

for needed in debootstrap mountpoint; do
	command -v $needed >/dev/null || {
		echo "needs $needed"
		exit 77
	}
done
[ "$(id -u)" = 0 ] || {
	echo "needs root, for debootstrap and chroot"
	exit 77
}

scratch=$(mktemp -d)
root=$scratch/root

# Only what is mounted here, the last first; nothing is removed through a mount that stays.
leave() {
	local at
	for at in dev/pts dev proc; do
		! mountpoint -q "$root/$at" || umount "$root/$at" || return
	done
	rm -rf --one-file-system "$scratch"
}
trap leave EXIT

make_chroot() {
	local kept=${TLBTRACE_CHROOT:-}
	if [ -z "$kept" ] || [ ! -d "$kept/etc" ]; then
		debootstrap --variant=minbase bookworm "${kept:-$root}" "$mirror" >"$scratch/log" 2>&1 || {
			tail -5 "$scratch/log"
			exit 1
		}
	fi
	[ -z "$kept" ] || cp -a "$kept" "$root"
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	mount -t proc proc "$root/proc"
	mount --bind /dev "$root/dev"
	mount --bind /dev/pts "$root/dev/pts"
}

# in_chroot COMMAND…, with an environment of its own.
in_chroot() {
	chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
