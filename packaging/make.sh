#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make.sh FOLDER - builds the packages of this tree into FOLDER: a .deb, a binary tarball and, in a
# clone, the source tarball of its last commit.
set -eu
[ $# = 1 ] || {
	echo "usage: make.sh FOLDER" >&2
	exit 2
}
mkdir -p "$1"
to=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commit() {
	git -c safe.directory="$PWD" "$@"
}

# A source tarball is dated by the file that the version is in.
in_clone=$([ -e .git ] && echo yes || :)
if [ -n "$in_clone" ]; then
	epoch=$(commit log -1 --format=%ct)
else
	epoch=$(stat -c %Y CMakeLists.txt)
fi
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$epoch}
umask 022

cmake --preset release --log-level=WARNING
cmake --build --preset release
cpack --preset release -B "$to"
rm -rf "$to/_CPack_Packages"
if [ -n "$in_clone" ]; then
	version=$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")$/\1/p' \
		build-release/CPackConfig.cmake)
	commit archive --format=tar --prefix="tlbtrace-$version/" HEAD |
		gzip -9n >"$to/tlbtrace-$version.tar.gz"
fi
(cd "$to" && sha256sum -- *.deb *.tar.gz)
