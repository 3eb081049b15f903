# SPDX-License-Identifier: GPL-2.0-or-later
# ppc64el.cmake - toolchain file: Debian's ppc64el, POWER with little endian and 64K pages.
set(debian_arch ppc64el)
set(triplet powerpc64le-linux-gnu)
set(machine ppc64le)
set(page_bytes 65536)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
