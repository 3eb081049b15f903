#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""trace_dat_slim.py IN OUT - a trace.dat of version 7 without its kernel symbols and padding.

The kernel's symbols are most of a small trace, and compressed data of a CPU is padded to the traced
kernel's page size. Everything else keeps its bytes: formats, options, and every chunk of events.
Only offsets change. Files whose events are not compressed are refused: those need the padding.
"""
import struct
import sys

OPTION_DONE, OPTION_BUFFER, KALLSYMS = 0, 3, 19
SECTION_OPTIONS, SECTION_BUFFER = 0, 3
WITH_OFFSET = {OPTION_DONE, OPTION_BUFFER, 16, 17, 18, 19, 20, 21, 22}
COMPRESSED = 1


class Trace:
    def __init__(self, data):
        self.data = data
        if data[:10] != b"\x17\x08\x44tracing"[:10]:
            sys.exit("not a trace.dat")
        at = data.index(b"\0", 10) + 1
        if data[10:at] != b"7\0":
            sys.exit("not version 7")
        self.order = ">" if data[at] else "<"
        at += 2 + 4
        for _ in range(2):  # name and version of the compression
            at = data.index(b"\0", at) + 1
        self.options_at = at
        self.first_section = at + 8

    def get(self, fmt, at):
        return struct.unpack_from(self.order + fmt, self.data, at)

    def put(self, fmt, *values):
        return struct.pack(self.order + fmt, *values)

    def sections(self):
        """(offset, id, flags, description, content) of each section, in the file's order."""
        at = self.first_section
        while at < len(self.data):
            ident, flags, text, size = self.get("HHIQ", at)
            yield at, ident, flags, text, self.data[at + 16 : at + 16 + size]
            at += 16 + size


def options(trace, content):
    at = 0
    while at < len(content):
        ident, size = struct.unpack_from(trace.order + "HI", content, at)
        yield ident, content[at + 6 : at + 6 + size]
        at += 6 + size


def cpus_of(trace, value):
    """Offset in the option, and (cpu, file offset, size), of each CPU that a BUFFER option lists."""
    at = 8
    for _ in range(2):  # name and clock
        at = value.index(b"\0", at) + 1
    (count,) = struct.unpack_from(trace.order + "I", value, at + 4)
    at += 8
    for _ in range(count):
        yield at, struct.unpack_from(trace.order + "IQQ", value, at)
        at += 20


def all_cpus(trace):
    """The data of every CPU, by file offset."""
    found = []
    for _, ident, flags, _, content in trace.sections():
        if ident != SECTION_OPTIONS:
            continue
        if flags & COMPRESSED:
            sys.exit("compressed options")
        for option, value in options(trace, content):
            if option == OPTION_BUFFER:
                found += [(at, size) for _, (_, at, size) in cpus_of(trace, value) if size]
    return sorted(found)


def pack_buffer(at, content, cpus, new_at, moved):
    """The data of the CPUs without what is between them; notes where each one comes to lie."""
    out = b""
    for cpu_at, size in cpus:
        if at < cpu_at < at + 16 + len(content):
            moved[cpu_at] = new_at + 16 + len(out)
            start = cpu_at - at - 16
            out += content[start : start + 4 + size]  # the number of chunks is not in size
    return out


def moved_options(trace, content, moved):
    out = b""
    for ident, value in options(trace, content):
        value = bytearray(value)
        if ident in WITH_OFFSET and len(value) >= 8:
            (old,) = struct.unpack_from(trace.order + "Q", value, 0)
            struct.pack_into(trace.order + "Q", value, 0, moved.get(old, old))
        if ident == OPTION_BUFFER:
            for at, (cpu, old, size) in cpus_of(trace, bytes(value)):
                struct.pack_into(trace.order + "IQQ", value, at, cpu, moved.get(old, 0), size)
        out += trace.put("HI", ident, len(value)) + bytes(value)
    return out


def slim(data):
    trace = Trace(data)
    cpus = all_cpus(trace)
    moved, kept, new_at = {}, [], trace.first_section
    for at, ident, flags, text, content in trace.sections():
        if ident == KALLSYMS:
            flags, content = flags & ~COMPRESSED, trace.put("I", 0)
        elif ident == SECTION_BUFFER:
            if not flags & COMPRESSED:
                sys.exit("the events are not compressed")
            content = pack_buffer(at, content, cpus, new_at, moved)
        moved[at] = new_at
        kept.append((ident, flags, text, content))
        new_at += 16 + len(content)
    (options_at,) = trace.get("Q", trace.options_at)
    out = data[: trace.options_at] + trace.put("Q", moved[options_at])
    for ident, flags, text, content in kept:
        if ident == SECTION_OPTIONS:
            content = moved_options(trace, content, moved)
        out += trace.put("HHIQ", ident, flags, text, len(content)) + content
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as source:
        data = slim(source.read())
    with open(sys.argv[2], "wb") as target:
        target.write(data)


if __name__ == "__main__":
    main()
