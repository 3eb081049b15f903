#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# valgrind.sh - the unit tests under valgrind: no bad access, nothing uninitialised, nothing lost.
set -u
export TLBTRACE_SLOW=1

failures=0
for test in "$BUILD"/tests/test_*; do
	valgrind --quiet --error-exitcode=99 --leak-check=full "$test" || failures=$((failures + 1))
done
[ $failures -eq 0 ]
