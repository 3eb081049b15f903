#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# package.sh - two builds in different places are the same bytes, and the .deb works on a Debian that
# has nothing else.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/../chroot.bash"
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# What git knows of this tree, as it stands, in another place.
copy_tree() {
	mkdir -p "$1"
	git -C "$top" -c safe.directory="$top" ls-files -z | tar -C "$top" --null -T - -c | tar -C "$1" -x
}

export SOURCE_DATE_EPOCH=1700000000
copy_tree "$scratch/a"
copy_tree "$scratch/elsewhere/and deeper/b"
# As README.md says: one by ./run, with another umask; the other in a place with a longer name.
(umask 077 && cd "$scratch/a" && ./run package >"$scratch/log" 2>&1) || fail "$(tail -20 "$scratch/log")"
mv "$scratch/a/build-release/packages" "$scratch/one"
"$scratch/elsewhere/and deeper/b/packaging/make.sh" "$scratch/two" >"$scratch/log" 2>&1 ||
	fail "$(tail -20 "$scratch/log")"
cmp "$scratch/a/build-release/tlbtrace" "$scratch/elsewhere/and deeper/b/build-release/tlbtrace" ||
	fail "the programs differ"
(cd "$scratch/one" && sha256sum -- *.deb *.tar.gz) >"$scratch/sums"
[ "$(wc -l <"$scratch/sums")" = 2 ] || fail "not two packages: $(cat "$scratch/sums")"
(cd "$scratch/two" && sha256sum --quiet -c "$scratch/sums") || fail "the packages differ"
! grep -q "$scratch" "$scratch/a/build-release/tlbtrace" || fail "the program knows where it was built"
lintian --allow-root --fail-on error,warning "$scratch"/one/*.deb || fail "lintian complains"

# From the source, as README.md says.
(cd "$scratch/a" && cmake --preset release && cmake --build --preset release &&
	cmake --install build-release --prefix="$scratch/prefix") >"$scratch/log" 2>&1 || fail "$(tail -5 "$scratch/log")"
for file in bin/tlbtrace share/man/man1/tlbtrace.1.gz share/man/man7/tlbtrace-policies.7.gz \
	share/bash-completion/completions/tlbtrace share/doc/tlbtrace/docs/ci.md; do
	[ -s "$scratch/prefix/$file" ] || fail "cmake --install does not install $file"
done

# The tarball installs by being unpacked.
mkdir "$scratch/unpacked"
tar -C "$scratch/unpacked" --strip-components=1 -xzf "$scratch"/one/tlbtrace-*.tar.gz
version=$(sed -n 's/^	VERSION \([0-9.]*\).*/\1/p' "$top/CMakeLists.txt")
[ "$("$scratch/unpacked/bin/tlbtrace" --version)" = "tlbtrace $version" ] || fail "not version $version"

make_chroot
cp "$scratch"/one/*.deb "$root/tmp/"
in_chroot sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends \
	/tmp/tlbtrace_*.deb' >"$scratch/log" 2>&1 || fail "$(tail -5 "$scratch/log")"
[ "$(in_chroot tlbtrace --version)" = "tlbtrace $version" ] || fail "not version $version"
mkdir -p "$root/tmp/docs"
cp "$top/docs/demo.sh" "$root/tmp/docs/"
cp -r "$top/tests/data" "$root/tmp/data"
in_chroot TLBTRACE=/usr/bin/tlbtrace DATA=/tmp/data bash /tmp/docs/demo.sh >"$scratch/demo" ||
	fail "the demo fails"
TLBTRACE=$TLBTRACE DATA=$DATA bash "$top/docs/demo.sh" | diff - "$scratch/demo" ||
	fail "the demo is another"
# One of each kind of input, with the libraries that the package asked for.
mkdir "$root/tmp/ctf"
tar -C "$root/tmp/ctf" -xzf "$DATA/ctf_ranges_c33.ctf.tar.gz"
gunzip -c "$DATA/ctf_ranges_c33.perf.data.gz" >"$root/tmp/perf.data"
for input in ctf/ctf_ranges_c33.ctf perf.data data/p9_shm_c34.dat; do
	in_chroot tlbtrace whatif --ceiling=8 "/tmp/$input" | grep -q 'ceiling=8' || fail "$input"
done
in_chroot tlbtrace export --format=sqlite -o /tmp/flushes.db /tmp/perf.data
for file in man/man1/tlbtrace.1.gz man/man1/tlbtrace-whatif.1.gz bash-completion/completions/tlbtrace \
	zsh/site-functions/_tlbtrace fish/vendor_completions.d/tlbtrace.fish doc/tlbtrace/README.md; do
	[ -s "$root/usr/share/$file" ] || fail "$file is not installed"
done
in_chroot sh -c 'apt-get -qq remove -y tlbtrace' >/dev/null 2>&1 || fail "it cannot be removed"
[ -z "$(in_chroot find /usr -name '*tlbtrace*')" ] || fail "something stays when it is removed"
echo "package: reproducible; installs, works, leaves"
