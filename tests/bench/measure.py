#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""measure.py RUNS NAME EVENTS COMMAND... - runs a command and prints one row of a table.

NAME, median seconds, lowest and highest, processor seconds, events per second, peak memory in MB,
and of that what is not a file's (sampled 100 times a second), exit status. Output is thrown away.
COLD=FILE in the environment: the file is dropped from the page cache before each run.
"""
import os
import statistics
import sys
import time


def anonymous_kb(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            lines = dict(line.split(":", 1) for line in status)
        return int(lines["RssAnon"].split()[0])
    except (OSError, KeyError, ValueError):
        return 0


def drop(path):
    """Of a file that was just written, only what has reached the disk can be dropped."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def run(command):
    if "COLD" in os.environ:
        drop(os.environ["COLD"])
    begin = time.monotonic()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        try:
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    own = 0
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        own = max(own, anonymous_kb(pid))
        time.sleep(0.01)
    seconds = time.monotonic() - begin
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, own, status


def main():
    runs, name, events, command = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    rows = [run(command) for _ in range(runs)]
    seconds = [row[0] for row in rows]
    median = statistics.median(seconds)
    status = max(os.waitstatus_to_exitcode(row[4]) for row in rows)
    print(f"{name}\t{median:.2f}\t{min(seconds):.2f}\t{max(seconds):.2f}"
          f"\t{statistics.median(row[1] for row in rows):.2f}\t{events / median / 1e6:.2f}"
          f"\t{max(row[2] for row in rows) / 1024:.0f}\t{max(row[3] for row in rows) / 1024:.0f}"
          f"\t{status}", flush=True)


main()
