#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""keys.py TLBTRACE FILE - how long `tlbtrace report FILE` takes to answer a key, on a terminal.

A pseudo-terminal of 120x40 gets one key after the other; the time is from the write of the key to the
last byte of what is drawn for it. Prints one row per key: what it is, how often it was pressed, median
and longest in milliseconds.
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

QUIET = 0.15  # s without output: the screen is drawn
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


def drain(fd, until):
    """Reads until nothing comes for QUIET s; returns the time of the last byte, or `until`."""
    last = until
    while select.select([fd], [], [], QUIET)[0]:
        try:
            if not os.read(fd, 65536):
                break
        except OSError:
            break
        last = time.monotonic()
    return last


def press(fd, key):
    began = time.monotonic()
    os.write(fd, key.encode())
    return (drain(fd, began) - began) * 1000


def wait_for_overview(fd):
    seen = b""
    while b"overview" not in seen:
        seen = (seen + os.read(fd, 65536))[-100000:]
    drain(fd, 0)


def main():
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.execv(sys.argv[1], [sys.argv[1], "report", sys.argv[2]])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    wait_for_overview(fd)
    print("key\tpresses\tmedian ms\tlongest ms")
    for way, name, keys in SCRIPTS:
        press(fd, way)
        times = [press(fd, keys[i % len(keys)]) for i in range(PRESSES)]
        print(f"{name}\t{len(times)}\t{statistics.median(times):.1f}\t{max(times):.1f}", flush=True)
    os.write(fd, b"q")
    os.waitpid(pid, 0)


main()
