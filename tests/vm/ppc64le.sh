#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ppc64le.sh - builds tlbtrace for ppc64el, records in a virtual machine that runs Debian's kernel,
# and checks what came out.
#
# usage: ppc64le.sh DIRECTORY [setup|build|boot|check]…
# DIRECTORY keeps packages and results. The libraries are those of build-sysroot-ppc64el, which
# ./run test-vm has made (cmake/sysroot.sh). Needs $TLBTRACE (of this machine) for the checks; CPU=POWER10
# and SMP=N choose another machine. Debian 12, root; nothing but apt is downloaded.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
[ $# -gt 0 ] || {
	echo "usage: $0 DIRECTORY [setup|build|boot|check]..." >&2
	exit 2
}
mkdir -p "$1"
top=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- setup build boot check
sysroot=$top/sysroot # the kernel's
libroot=$source_dir/build-sysroot-ppc64el
share=$top/share
cpu=${CPU:-POWER9}
libs=usr/lib/powerpc64le-linux-gnu

# apt for ppc64el packages, with lists of its own: this machine's apt is not touched.
foreign_apt() {
	mkdir -p "$top"/apt/{state/lists/partial,cache/archives/partial}
	apt-get -qq -o APT::Architecture=ppc64el -o APT::Architectures=ppc64el \
		-o Dir::State="$top/apt/state" -o Dir::State::status=/dev/null \
		-o Dir::Cache="$top/apt/cache" -o APT::Sandbox::User=root "$@"
}

# The newest kernel's package that the lists have.
kernel_package() {
	foreign_apt --print-uris -y install linux-image-powerpc64le |
		sed -n "s/.*[ /]\(linux-image-6[^_]*\)_.*/\1/p" | head -n 1
}

setup() {
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
		qemu-system-ppc gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross cpio jq >/dev/null
	mkdir -p "$top/debs" "$sysroot"
	# A mirror that is being updated has a list or two that do not match: the others will do.
	foreign_apt update || echo "not all package lists could be read" >&2
	local kernel
	kernel=$(kernel_package)
	(
		cd "$top/debs"
		for package in "$kernel" busybox-static; do
			ls "${package}"_*.deb >/dev/null 2>&1 || foreign_apt download "$package"
		done
	)
	for deb in "$top"/debs/*.deb; do
		dpkg -x "$deb" "$sysroot"
	done
}

# The libraries that a program needs, and those that they need, into the initramfs.
copy_libraries() {
	local queue=("$1") name found
	while [ ${#queue[@]} -gt 0 ]; do
		local file=${queue[0]}
		queue=("${queue[@]:1}")
		for name in $(powerpc64le-linux-gnu-readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
			[ ! -e "$root/$libs/$name" ] && [ "$name" != ld64.so.2 ] || continue
			found=$libroot/$libs/$name
			[ -e "$found" ] || { echo "no library $name" >&2; return 1; }
			cp -L "$found" "$root/$libs/$name"
			queue+=("$found")
		done
	done
}

build() {
	cmake -S "$source_dir" -B "$top/build" -G Ninja \
		-DCMAKE_TOOLCHAIN_FILE="$source_dir/cmake/ppc64el.cmake" -DTLBTRACE_TESTS=OFF --log-level=WARNING
	cmake --build "$top/build" --target tlbtrace
	root=$top/root
	rm -rf "$root"
	mkdir -p "$root"/{bin,usr/bin,lib64,mod,root,"$libs"}
	cp "$top/build/tlbtrace" "$root/usr/bin/"
	cp "$sysroot/bin/busybox" "$root/bin/"
	copy_libraries "$top/build/tlbtrace"
	cp -L "$libroot/$libs/ld64.so.2" "$root/lib64/"
	for workload in shm ranges; do
		powerpc64le-linux-gnu-gcc -O2 -D_GNU_SOURCE -static -pthread -o "$root/bin/$workload" \
			"$here/$workload.c"
	done
	local modules
	modules=$(echo "$sysroot"/lib/modules/*/kernel)
	for module in drivers/virtio/virtio drivers/virtio/virtio_ring \
		drivers/virtio/virtio_pci_legacy_dev drivers/virtio/virtio_pci_modern_dev \
		drivers/virtio/virtio_pci fs/netfs/netfs fs/fscache/fscache net/9p/9pnet \
		net/9p/9pnet_virtio fs/9p/9p; do
		cp "$modules/$module.ko" "$root/mod/" 2>/dev/null || :
	done
	cp "$here/guest-init.sh" "$root/init"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$top/initramfs.gz"
}

boot() {
	rm -rf "$share"
	mkdir -p "$share"
	cp "$here/guest-job.sh" "$share/"
	timeout "${LIMIT:-1500}" qemu-system-ppc64 -M pseries -cpu "$cpu" -accel tcg,thread=multi \
		-smp "${SMP:-4}" -m 3G -nographic -nodefaults -serial mon:stdio -no-reboot \
		-kernel "$(echo "$sysroot"/boot/vmlinux-*)" -initrd "$top/initramfs.gz" \
		-append "console=hvc0 quiet panic=-1 rdinit=/init" \
		-fsdev "local,id=f0,path=$share,security_model=none" \
		-device virtio-9p-pci,fsdev=f0,mount_tag=share </dev/null | tee "$top/console"
	grep -q '=== guest done' "$top/console"
}

failed=0
# Passes if the command succeeds; says what was checked.
expect() {
	local what=$1
	shift
	if "$@"; then
		echo "ok: $what"
	else
		echo "FAILED: $what"
		failed=1
	fi
}

query() {
	"$TLBTRACE" whatif --format=json "${@:2}" | jq -r "$1"
}

# Whether [$1, $2] meets the interval between $3 and $4, in whichever order, widened by 3 per cent.
meets() {
	awk -v lo="$1" -v hi="$2" -v a="$3" -v b="$4" 'BEGIN {
		from = a < b ? a : b
		to = a < b ? b : a
		exit !(hi >= from * 0.97 && lo <= to * 1.03)
	}'
}

at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'
}

# Whether trace $1 predicts for ceiling $2 what $3 and $3_again recorded: the interval meets theirs,
# widened by 3 per cent.
predict() {
	local lo hi from to
	lo=$(query '.results[0].policies[0].counters.tlbie.lo' "$1.dat" --ceiling="$2")
	hi=$(query '.results[0].policies[0].counters.tlbie.hi' "$1.dat" --ceiling="$2")
	from=$(query '.results[0].recorded.tlbie' "$3.dat")
	to=$(query '.results[0].recorded.tlbie' "$3_again.dat")
	expect "$1: $lo to $hi tlbie for ceiling $2, recorded were $from and $to" meets "$lo" "$hi" "$from" "$to"
}

check() {
	cd "$share/out"
	local name told share_of
	for name in shm_c34 shm_c31 shm_c31_again ranges_c33 ranges_c33_off ranges_c8 ranges_c8_again; do
		expect "$name: recorded" [ "$(cat $name.code)" = 0 ]
		share_of=$(query '.results[0].fidelity.share' "$name.dat")
		expect "$name: fidelity $share_of" at_least "$share_of" 0.995
		expect "$name: nothing lost" [ "$(query '.results[0].quality.lost_events' "$name.dat")" = 0 ]
	done
	for name in shm_c34 ranges_c33; do
		told=$("$TLBTRACE" export --format=jsonl "$name.dat" | jq -s 'map(select(.known == "told")) | length')
		expect "$name: $told requests are told" at_least "$told" 100
	done
	predict ranges_c33 8 ranges_c8
	predict ranges_c33_off 8 ranges_c8
	predict shm_c34 31 shm_c31
	expect "the ceilings are noted without a mounted debugfs" grep -qv 'not noted' first.said
	expect "no probes, no instances" [ ! -s left ]
	expect "killed: there was something to remove" [ -s left_killed ]
	expect "killed: the next run removed it" [ ! -s left_after ]
	expect "SIGTERM: exit 130" [ "$(cat term.code)" = 130 ]
	expect "SIGTERM: nothing left" [ ! -s left_term ]
	expect "requests only: no instruction" [ "$(trace-cmd report ranges_c33_only.dat 2>/dev/null | grep -c ' tlbie:')" = 0 ]
	expect "requests only: requests" at_least "$(trace-cmd report ranges_c33_only.dat 2>/dev/null | grep -c ' gather:')" 300
	echo "overhead (mode, hundredths of a second):"
	cat overhead
}

for step in "$@"; do
	"$step"
done
exit $failed
