# SPDX-License-Identifier: GPL-2.0-or-later
# s390x.cmake - toolchain file: Debian's s390x, the big-endian host that the tests run on.
set(debian_arch s390x)
set(triplet s390x-linux-gnu)
set(machine s390x)
set(page_bytes 4096)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
