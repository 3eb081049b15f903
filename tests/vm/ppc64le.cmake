# SPDX-License-Identifier: GPL-2.0-or-later
# ppc64le.cmake - toolchain: Debian's cross compiler, and ppc64el packages unpacked in $TLBTRACE_SYSROOT.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(CMAKE_C_COMPILER powerpc64le-linux-gnu-gcc)
set(sysroot $ENV{TLBTRACE_SYSROOT})
set(libraries ${sysroot}/usr/lib/powerpc64le-linux-gnu)

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig)
set(CMAKE_FIND_ROOT_PATH ${sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE powerpc64le-linux-gnu)
# The C library itself is the cross compiler's.
set(CMAKE_C_FLAGS_INIT "-isystem ${sysroot}/usr/include -isystem ${sysroot}/usr/include/powerpc64le-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT
	"-L${libraries} -L${sysroot}/lib/powerpc64le-linux-gnu -Wl,-rpath-link,${libraries} -Wl,-rpath-link,${sysroot}/lib/powerpc64le-linux-gnu")
