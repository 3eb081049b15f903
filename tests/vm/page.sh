#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# page.sh DIRECTORY - the last section of docs/validation.md, from what check.sh found in the machines
# below DIRECTORY.
set -eu
cd "$1"
cat <<'END'
## Recorded by tlbtrace in virtual machines

Made by `./run test-vm`: `tlbtrace record` inside machines that QEMU emulates, with four CPUs and Debian's
kernel, on workloads of known flushes: tests/vm/ranges.c (mappings of 1 to 640 pages, protected, zapped
and unmapped by four threads in turn, or all together) and tests/vm/shm.c (a shared segment that is
attached, touched by four threads and detached). Addresses are not randomised; counted is what the
workload flushed, `--comm=ranges` or `--comm=shm`.

| recording | options of `record` | workload (POWER; x86) | ceiling (POWER; x86) |
|---|---|---|---|
| ranges_high | `--requests=on` | ranges 4 12; ranges 4 4 | 512 |
| ranges_high_off | `--requests=off` | the same | 512 |
| ranges_only | `--requests=only` | the same | 512 |
| ranges_low, twice | `--requests=off` | the same | 8 |
| together_alone, together_both | `--requests=only`; inside it `--requests=on` | the same, together | 512 |
| shm_high | `--requests=on` | shm 64 20 4; shm 4 5 4 | 34; 600 |
| shm_only | `--requests=only` | the same | 34; 600 |
| shm_alone, shm_both | `--requests=only`; inside it `--requests=on` | the same | 34; 600 |
| shm_low, twice | `--requests=off` | the same | 31 |
| tracefs, perf, tracecmd | `--requests=on --with=` each | ranges 1 12; ranges 1 4 | 33 |

*The same run* is one run recorded twice at once, by its requests alone and with everything: what the
requests predict must hold exactly. *Other runs* and ceilings are predicted from one run and recorded in
another, and held to 3 %. On POWER each run has a clock of its own that trims masks, which no trace tells:
how many flushes are local differs from run to run, and is compared within one. For shm `verify
--ceiling=31 --actual=` both of shm_low says by what the prediction holds, as above.

| machine | from | what | counter | predicted | recorded |
|---|---|---|---|---|---|
END
cat ./*/rows
cat <<'END'

Events of a recording by requests alone are one for the request, one for what the kernel decided, on some
kernels a third that names the address space, and those of switches, whatever the length of the flush: the
shorter the flushes, the larger their share. On x86 a flush is one event in an ordinary recording too.

In each machine were also ended: a recording with probes by SIGKILL (the next one removes what it left)
and by SIGTERM, trace-cmd by SIGKILL under a recording of ours, and tracefs unmounted under one. No probe,
no instance and no process was left.

### Overhead

How long `ranges 1 12` (x86: `ranges 1 4`) takes: the least and the most of three rounds, each with every
mode in turn; *more* compares the least. What an emulator's figures are worth: it runs each instruction of
the kernel at about the same price, be it a store to the ring buffer or a flush for which a real machine
waits, and shares a host with others. They say that no mode is out of bounds, not what it costs on a
processor; where the spread of `none` is wider than the difference, there is nothing to see.

| machine | mode | seconds | more |
|---|---|---|---|
END
cat ./*/rows.overhead
