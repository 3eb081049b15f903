#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lazy_count.py - counts, from the text of `trace-cmd report` on stdin, switches between tasks with
an mm and without one, and exits: what lazy TLB references cost (policies 4.2). Knows kernel threads
by their names alone, and nothing of how tlbtrace does it."""
import re
import sys

KERNEL = re.compile(
    r"^(swapper/|kthreadd$|rcu_|rcub/|rcuc/|ksoftirqd/|kworker/|migration/|cpuhp/|khugepaged|kcompactd|"
    r"kswapd|ksmd|oom_reaper|writeback|kauditd|khungtaskd|watchdogd|jbd2/|kdevtmpfs|hwrng|khvcd|<idle>)")
SWITCH = re.compile(r"sched_switch: +(.*):(\d+) \[\d+\] \S+ ==> (.*):(\d+) \[\d+\]")
EXIT = re.compile(r"sched_process_exit: +comm=(.*) pid=(\d+)")
NEW = re.compile(r"task_newtask: +pid=(\d+) ")

exited = set()
enter = leave = exits = 0


def has_mm(comm, pid):
    return pid != "0" and pid not in exited and not KERNEL.match(comm)


for line in sys.stdin:
    if m := SWITCH.search(line):
        before, after = has_mm(m[1], m[2]), has_mm(m[3], m[4])
        enter += before and not after
        leave += after and not before
    elif m := EXIT.search(line):
        exits += not KERNEL.match(m[1])
        exited.add(m[2])
    elif m := NEW.search(line):
        exited.discard(m[1])
print(f"enter={enter} leave={leave} exits={exits} atomics={enter + leave + exits}")
