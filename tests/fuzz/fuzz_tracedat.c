/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_tracedat.c - any bytes as a trace.dat. */
#include "drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	with_file(data, size, drain);
	return 0;
}
