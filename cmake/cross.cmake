# SPDX-License-Identifier: GPL-2.0-or-later
# cross.cmake - builds on Debian for another of its architectures; the file that includes it has set
# the architecture's name at Debian, its triplet, and what the kernel and QEMU call it.
#
# Libraries and headers come from build-sysroot-ARCH, which cmake/sysroot.sh makes; what is built is
# run by QEMU's user emulation, with the page size of the kernels of that architecture.
set(sysroot ${CMAKE_CURRENT_LIST_DIR}/../build-sysroot-${debian_arch})
cmake_path(NORMAL_PATH sysroot)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${machine})
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_SYSROOT ${sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${sysroot}/usr/lib/${triplet}/pkgconfig:${sysroot}/usr/share/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${machine}-static;-p;${page_bytes};-L;${sysroot})
