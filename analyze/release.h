/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * release.h - the release of a kernel, as uname has it.
 */
#ifndef TLBTRACE_RELEASE_H
#define TLBTRACE_RELEASE_H

/*
 * "6.1.0-50-amd64" as major * 1000 + minor, which can be compared; 0 where the text does not begin
 * with a release.
 */
unsigned release_number(const char *text);

#endif
