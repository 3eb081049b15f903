#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""keys.py TLBTRACE FILE - how long `tlbtrace report FILE` takes to answer a key, on a terminal.

A pseudo-terminal of 120x40 gets one key after the other. Prints one row per kind of key: how often it
was pressed, median and longest time in milliseconds from the write of the key to the first and to the
last byte of what is drawn for it, and the median processor time, what is worked out afterwards included.
Before them it prints when the first screen was there.
"""
import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time

ANSWER = 2.0  # s in which something is drawn, if anything is
QUIET = 0.2  # s without output: all is drawn
PRESSES = 20
LEFT, RIGHT, UP, DOWN = "\033OD", "\033OC", "\033OA", "\033OB"
# What is pressed to get there, what is measured, and keys that are pressed in turn.
SCRIPTS = [
    ("1", "from view to view", ["2", "4", "5", "1"]),
    ("2", "mms: cursor", [DOWN, UP]),
    ("2", "mms: sort", ["s"]),
    ("2", "mms: one mm and back", ["\r", "\177"]),
    ("4", "what-if: ceiling", [LEFT]),
    ("4", "what-if: local ceiling", [DOWN]),
    ("4", "what-if: comparison", ["c"]),
    ("4", "what-if: era", ["e"]),
    ("4", "what-if: lazy", ["z"]),
    ("5", "cpus: scroll", [DOWN, UP]),
]


def drain(fd, answer):
    """Reads until nothing comes for QUIET s; returns the times of the first and the last byte."""
    times = []
    wait = answer
    while select.select([fd], [], [], wait)[0]:
        if not os.read(fd, 65536):
            break
        times.append(time.monotonic())
        wait = QUIET
    return (times[0], times[-1]) if times else None


def processor_ms(pid):
    with open(f"/proc/{pid}/schedstat") as stat:
        return int(stat.read().split()[0]) / 1e6


def press(pid, fd, key):
    """(first, last, processor) in ms; None where nothing was drawn."""
    used = processor_ms(pid)
    began = time.monotonic()
    os.write(fd, key.encode())
    drawn = drain(fd, ANSWER)
    if not drawn:
        return None
    return ((drawn[0] - began) * 1000, (drawn[1] - began) * 1000, processor_ms(pid) - used)


def wait_for_overview(fd):
    """Until the trace was read: before, a line says how far it is."""
    seen = b""
    while b"overview" not in seen:
        seen = (seen + os.read(fd, 65536))[-100000:]


def measure(pid, fd, name, keys):
    found = [press(pid, fd, keys[i % len(keys)]) for i in range(PRESSES)]
    found = [times for times in found if times]
    first, last, used = zip(*found) if found else ([0], [0], [0])
    print(f"{name}\t{len(found)}", *(f"{f(times):.1f}" for times in (first, last)
                                     for f in (statistics.median, max)),
          f"{statistics.median(used):.1f}", sep="\t", flush=True)


def main():
    began = time.monotonic()
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.execv(sys.argv[1], [sys.argv[1], "report", sys.argv[2]])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    wait_for_overview(fd)
    print(f"first screen after {time.monotonic() - began:.2f} s, "
          f"{processor_ms(pid) / 1000:.2f} processor s of the first thread")
    drain(fd, ANSWER)
    print("key\tanswers\tfirst\tlongest\tlast\tlongest\tprocessor")
    for way, name, keys in SCRIPTS:
        press(pid, fd, way)
        measure(pid, fd, name, keys)
    os.write(fd, b"q")
    os.waitpid(pid, 0)


main()
