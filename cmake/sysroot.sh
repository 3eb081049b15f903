#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sysroot.sh ARCH PACKAGE... - unpacks Debian packages of another architecture, and what they depend
# on, into build-sysroot-ARCH, where the toolchain files look for them.
#
# apt does the work with folders of its own, so nothing is installed: enabling a foreign architecture
# in dpkg would change the machine, and -dev packages of two architectures do not always go together.
# Nothing of the packages is run, and no root is needed.
set -eu
[ $# -ge 2 ] || {
	echo "usage: sysroot.sh ARCH PACKAGE..." >&2
	exit 2
}
arch=$1
shift
sysroot=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build-sysroot-$arch

# Complete is what holds the list of what was asked for.
if [ "$(cat "$sysroot/packages" 2>/dev/null)" = "$*" ]; then
	exit 0
fi
rm -rf "$sysroot"
mkdir -p "$sysroot"/apt/{state/lists/partial,cache/archives/partial} "$sysroot"/usr/{bin,sbin,lib,lib64}
: >"$sysroot/apt/status"
for folder in bin sbin lib lib64; do
	ln -s "usr/$folder" "$sysroot/$folder"
done

cat >"$sysroot/apt/conf" <<END
APT { Architecture "$arch"; Architectures { "$arch"; }; Sandbox::User "root"; };
Dir::State "$sysroot/apt/state";
Dir::State::status "$sysroot/apt/status";
Dir::Cache "$sysroot/apt/cache";
END
export APT_CONFIG=$sysroot/apt/conf
# A mirror that lacks one of several lists may still have every package.
apt-get -qq update || echo "sysroot.sh: not all lists of packages are there; going on with the others" >&2
apt-get -qq install --download-only --no-install-recommends -y "$@" >"$sysroot/apt/log" 2>&1 || {
	cat "$sysroot/apt/log" >&2
	exit 1
}
for package in "$sysroot"/apt/cache/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$package" |
		tar -x --keep-directory-symlink --no-same-owner -C "$sysroot"
done
rm -rf "$sysroot/apt"

# Links to absolute paths would leave the sysroot.
find "$sysroot" -type l -lname '/*' | while read -r link; do
	ln -snf "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot$(readlink "$link")")" "$link"
done
echo "$*" >"$sysroot/packages"
