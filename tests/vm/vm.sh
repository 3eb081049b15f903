#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm.sh - records in a virtual machine that runs Debian's kernel, and checks what came out.
#
# usage: vm.sh DIRECTORY MACHINE [fetch|build|boot|check]…
# MACHINE is power9, power10 (both ppc64el) or x86_64. DIRECTORY keeps packages and results. Needs
# $TLBTRACE, this machine's, for the checks, which the x86_64 guest runs too; SMP=N sets the number of
# CPUs, PARTS some of what is done (default: shm ranges recorders endings overhead), LIMIT the seconds
# that it may take. Debian 12; nothing but apt is downloaded, and for ppc64el what cmake/sysroot.sh
# unpacked.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
[ $# -ge 2 ] || {
	echo "usage: $0 DIRECTORY power9|power10|x86_64 [fetch|build|boot|check]..." >&2
	exit 2
}
machine=$2
mkdir -p "$1/$machine"
top=$(cd "$1" && pwd)
shift 2
[ $# -gt 0 ] || set -- fetch build boot check

case $machine in
power9 | power10)
	arch=ppc64el triplet=powerpc64le-linux-gnu flavour=powerpc64le console=hvc0
	qemu=(qemu-system-ppc64 -M pseries -cpu "${machine^^}")
	libraries=$source_dir/build-sysroot-ppc64el
	;;
x86_64)
	arch=amd64 triplet=x86_64-linux-gnu flavour=amd64 console=ttyS0
	qemu=(qemu-system-x86_64 -cpu max)
	libraries=
	;;
*)
	echo "$0: unknown machine $machine" >&2
	exit 2
	;;
esac
kernel=$top/kernel-$arch
tools=$top/tools-$arch
share=$top/$machine/share

# apt for packages of the machine's architecture, with lists of its own: this machine's is not touched.
guest_apt() {
	mkdir -p "$top/apt-$arch"/{state/lists/partial,cache/archives/partial}
	apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o Dir::State="$top/apt-$arch/state" -o Dir::State::status=/dev/null \
		-o Dir::Cache="$top/apt-$arch/cache" -o APT::Sandbox::User=root "$@"
}

# The newest kernel's package that the lists have.
kernel_package() {
	guest_apt --print-uris -y install "linux-image-$flavour" |
		sed -n "s/.*[ /]\(linux-image-6[^_]*\)_.*/\1/p" | head -n 1
}

unpack() {
	local to=$1 deb
	shift
	mkdir -p "$to.new"
	for deb; do
		dpkg -x "$deb" "$to.new"
	done
	mv "$to.new" "$to"
}

# The kernel with a shell for it, and the other recorders with all that they need.
fetch() {
	[ ! -d "$kernel/boot" ] || [ ! -d "$tools/usr" ] || return 0
	# A mirror that is being updated has a list or two that do not match: the others will do.
	guest_apt update || echo "not all package lists could be read" >&2
	mkdir -p "$top/debs-$arch"
	(cd "$top/debs-$arch" && guest_apt download "$(kernel_package)" busybox-static)
	[ -d "$kernel" ] || unpack "$kernel" "$top/debs-$arch"/*.deb
	guest_apt install --download-only --no-install-recommends -y trace-cmd linux-perf >/dev/null
	[ -d "$tools" ] || unpack "$tools" "$top/apt-$arch"/cache/archives/*.deb
}

# The program for the guest.
program() {
	if [ "$arch" = amd64 ]; then
		realpath -e "$TLBTRACE"
		return
	fi
	cmake -S "$source_dir" -B "$top/build-$arch" -G Ninja -DTLBTRACE_TESTS=OFF \
		-DCMAKE_TOOLCHAIN_FILE="$source_dir/cmake/$arch.cmake" --log-level=WARNING >&2 &&
		cmake --build "$top/build-$arch" --target tlbtrace >&2 &&
		echo "$top/build-$arch/tlbtrace"
}

tool() {
	[ "$arch" = amd64 ] && echo "$1" || echo "$triplet-$1"
}

find_library() {
	local folder
	for folder in "$libraries"{/usr,}/lib/"$triplet" "$tools"{/usr,}/lib/"$triplet"; do
		[ ! -e "$folder/$1" ] || { echo "$folder/$1" && return; }
	done
	echo "no library $1" >&2
	return 1
}

# A program into the guest's /usr/bin, with the libraries that it needs, those that they need, and
# the loader.
install_program() {
	local queue=("$1") name found loader
	cp -L "$1" "$root/usr/bin/$2"
	while [ ${#queue[@]} -gt 0 ]; do
		local file=${queue[0]}
		queue=("${queue[@]:1}")
		for name in $("$(tool readelf)" -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
			[ ! -e "$root/usr/lib/$triplet/$name" ] || continue
			found=$(find_library "$name") || return 1
			cp -L "$found" "$root/usr/lib/$triplet/$name"
			queue+=("$found")
		done
	done
	loader=$("$(tool readelf)" -l "$1" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	mkdir -p "$root$(dirname "$loader")"
	cp -L "$(find_library "$(basename "$loader")")" "$root$loader"
}

build() {
	local tlbtrace modules module perf workload
	tlbtrace=$(program)
	root=$top/root-$arch
	rm -rf "$root"
	mkdir -p "$root"/{bin,usr/bin,mod,root,"usr/lib/$triplet"}
	cp "$kernel/bin/busybox" "$root/bin/"
	install_program "$tlbtrace" tlbtrace
	install_program "$tools/usr/bin/trace-cmd" trace-cmd
	perf=$(echo "$tools"/usr/bin/perf*)
	install_program "${perf%% *}" perf
	for workload in shm ranges; do
		"$(tool gcc)" -O2 -D_GNU_SOURCE -static -pthread -o "$root/bin/$workload" "$here/$workload.c"
	done
	modules=$(echo "$kernel"/lib/modules/*/kernel)
	for module in drivers/virtio/virtio drivers/virtio/virtio_ring \
		drivers/virtio/virtio_pci_legacy_dev drivers/virtio/virtio_pci_modern_dev \
		drivers/virtio/virtio_pci fs/netfs/netfs fs/fscache/fscache net/9p/9pnet \
		net/9p/9pnet_virtio fs/9p/9p; do
		cp "$modules/$module.ko" "$root/mod/" 2>/dev/null || :
	done
	cp "$here/guest-init.sh" "$root/init"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$top/initramfs-$arch.gz"
}

boot() {
	rm -rf "$share"
	mkdir -p "$share"
	cp "$here/guest-job.sh" "$share/"
	echo "${PARTS:-shm ranges recorders endings overhead}" >"$share/parts"
	timeout --foreground "${LIMIT:-1800}" "${qemu[@]}" -accel tcg,thread=multi -smp "${SMP:-4}" -m 3G -nographic \
		-nodefaults -serial mon:stdio -no-reboot -kernel "$(echo "$kernel"/boot/vmlinu*)" \
		-initrd "$top/initramfs-$arch.gz" -append "console=$console quiet panic=-1 rdinit=/init" \
		-fsdev "local,id=f0,path=$share,security_model=none" \
		-device virtio-9p-pci,fsdev=f0,mount_tag=share </dev/null | tee "$top/$machine/console"
	grep -q '=== guest done' "$top/$machine/console"
}

check() {
	"$here/check.sh" "$machine" "$share/out" "$top/$machine/rows"
}

for step in "$@"; do
	"$step"
done
