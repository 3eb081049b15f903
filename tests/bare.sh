#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bare.sh - what a stranger does: a clone of the last commit on a Debian 12 that has nothing but apt,
# then ./run demo and ./run test, with nothing else typed. Needs root, debootstrap and the network.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/chroot.bash"
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

make_chroot
git -c safe.directory="$top" clone -q --no-hardlinks "$top" "$root/root/tlbtrace"
began=$SECONDS
in_chroot bash -c 'cd ~/tlbtrace && ./run demo && echo "demo: $SECONDS s" && ./run test'
echo "bare: $((SECONDS - began)) s, with what apt had to fetch"
