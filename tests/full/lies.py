#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lies.py - traces that lie: well-formed but for what one to four of their fields say; and damaged ones.

  lies.py TLBTRACE DATA COUNT        runs tlbtrace on COUNT lies, cuts, flips and zeroed blocks of each kind
  lies.py --write DIR DATA COUNT     only writes them

Damage at random places seldom gets past the first check. A lie is told by a field that counts, sizes,
places, numbers or times something, in the text of an event's format, in CTF metadata, or in the header
of a zstd frame. Of each run is asked: status 0, 1 or 3, no signal, under 2 s of computing, under 256 MB
(neither where TLBTRACE_SLOW is set), and a message where the status is not 0. The files are the same on
every run; a failure names kind and number, and `--write` makes the file.
"""
import gzip
import itertools
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

SECONDS, MB = 2.0, 256
WHOLE = [0, 1, 2, 3, 4, 7, 8, 15, 16, 63, 64, 255, 256, 4095, 4096, 4097, 0x7FFF, 0x8000, 0xFFFF,
         0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 52) - 1, (1 << 63) - 1, 1 << 63,
         (1 << 64) - 8, (1 << 64) - 1]


def number(rng, old, near):
    """A number in place of `old`; near: other numbers that the file knows, such as its size."""
    pick = rng.random()
    if pick < 0.45:
        return rng.choice(WHOLE)
    if pick < 0.7:
        return old + rng.choice([-4096, -9, -8, -4, -1, 1, 4, 8, 16, 4096])
    if pick < 0.9:
        return rng.choice(near) + rng.choice([-8, -1, 0, 0, 1, 8])
    return old * rng.choice([2, 3, 256]) if rng.random() < 0.5 else -old


def put(data, at, size, value):
    if at + size <= len(data):
        data[at:at + size] = (value & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def get(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


# ---- fields by place: lists of (offset, bytes) ----

def perf_fields(data):
    """The header, attributes, ids, features and records of a perf.data or of a pipe."""
    if get(data, 8, 8) == 16:
        return [(8, 8)] + perf_records(data, 16, len(data))
    fields = [(at, 8) for at in range(8, 104, 8)]
    attr_size, attrs, size = get(data, 16, 8), get(data, 24, 8), get(data, 32, 8)
    begin, length, flags = get(data, 40, 8), get(data, 48, 8), get(data, 72, 8)
    for at in range(attrs, attrs + size, attr_size or 1):
        fields += attr_fields(at) + [(at + attr_size - 16, 8), (at + attr_size - 8, 8)]
        ids = get(data, at + attr_size - 16, 8)
        fields += [(ids + i, 8) for i in range(0, min(get(data, at + attr_size - 8, 8), 64), 8)]
    table = begin + length
    for i in range(bin(flags).count("1")):
        entry = table + 16 * i
        place = get(data, entry, 8)
        fields += [(entry, 8), (entry + 8, 8)] + [(place + n, 4) for n in range(0, 32, 4)]
    return fields + perf_records(data, begin, begin + length)


def attr_fields(at):
    return [(at, 4), (at + 4, 4)] + [(at + n, 8) for n in range(8, 96, 8)]


def perf_records(data, at, end):
    fields = []
    while at + 8 <= end and len(fields) < 20000:
        kind, size = get(data, at, 4), get(data, at + 6, 2)
        fields += [(at, 4), (at + 4, 2), (at + 6, 2)]
        fields += [(at + n, 8) for n in range(8, min(size, 80), 8)]
        fields += attr_fields(at + 8) if kind == 64 else []
        if kind in (66, 71):  # tracing data and AUX data follow their record
            size += get(data, at + 8, 4) if kind == 66 else get(data, at + 8, 8)
        if size < 8:
            break
        at += size
    return fields


def tracedat_fields(data):
    """Sizes before strings, the tables of options and CPUs, and the pages' headers and records."""
    fields = [(at, 1) for at in range(3, 32)]
    head = min(len(data), 1 << 18)
    for m in re.finditer(rb"name: |header_page\0|header_event\0|\x08\x44tracing", data[:head]):
        for back in (8, 4, 0):
            at = m.start() - back if data[m.start()] == 0x6E else m.end()
            fields.append((max(at, 0), 8 if back != 4 else 4))
    for m in re.finditer(rb"flyrecord\0|options  \0|latency  \0", data[:head]):
        fields += [(m.end() + n, 8) for n in range(0, 64, 8)]
        fields += [(m.end() + n, 2) for n in range(0, 128, 2)]
    if data[10:12] == b"7\0":
        fields += sections(data)
    else:
        first = -(-data.find(b"flyrecord\0") // 4096) * 4096
        for page in range(first, len(data) - 16, 4096):
            fields += [(page, 8), (page + 8, 8)] + [(page + n, 4) for n in range(16, 160, 4)]
    return fields


def sections(data):
    """Version 7: a chain of sections of options, and what these point to."""
    fields, seen = [], set()
    at = data.index(b"\0", 12 + 2 + 4) + 1
    at = data.index(b"\0", at) + 1
    fields.append((at, 8))
    at = get(data, at, 8)
    while 0 < at < len(data) - 16 and at not in seen:
        seen.add(at)
        fields += [(at, 2), (at + 2, 2), (at + 4, 4), (at + 8, 8)]
        if get(data, at, 2) != 0:
            break
        option, end, at = at + 16, at + 16 + get(data, at + 8, 8), 0
        while option + 6 <= min(end, len(data)):
            kind, size = get(data, option, 2), get(data, option + 2, 4)
            fields += [(option, 2), (option + 2, 4)]
            fields += [(option + 6 + n, 8) for n in range(0, min(size, 96), 8)]
            if kind == 0:
                at = get(data, option + 6, 8)
            elif 16 <= kind <= 22 or kind == 3:
                place = get(data, option + 6, 8)
                fields += [(place + n, 4) for n in range(0, 64, 4)]
            option += 6 + size
    return fields


def tell_numbers(rng, data, fields):
    near = [len(data), len(data) // 2, 104, 16] + [at for at, _ in rng.sample(fields, 8)]
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        at, size = rng.choice(fields if rng.random() < 0.5 else fields[:200])
        put(data, at, size, number(rng, get(data, at, size), near))


# ---- text of the same length ----

FIELD = re.compile(rb"\tfield:([^;\n]*);\toffset:(\d+);\tsize:(\d+);(\tsigned:\d;)?")


def tell_format(rng, data):
    """Offsets, sizes, types and numbers of events; what a number grows by is taken from `signed`."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        found = list(FIELD.finditer(data))
        if not found:
            return
        m = rng.choice(found)
        declared, offset, size = m[1], m[2], m[3]
        lie = str(number(rng, int(offset), [8, 64, 4096])).encode()
        what = rng.randrange(5)
        if what == 0:
            offset = lie
        elif what == 1:
            size = lie
        elif what == 2:
            offset, size = b"65535", b"65535"
        elif what == 3:
            declared = re.sub(rb"unsigned |const ", b"", declared)
            declared = b"__data_loc " + declared if rng.random() < 0.5 else declared + b"[9]"
        else:
            declared = rng.choice([b"", b"int", b"char *", b"[", b"char x[99999]", b"\xff\xfe"])
        text = b"\tfield:%s;\toffset:%s;\tsize:%s;" % (declared, offset, size)
        room = m.end() - m.start()
        text = text[:room] if len(text) > room else text + b" " * (room - len(text))
        data[m.start():m.end()] = text
    if rng.random() < 0.3:
        for m in rng.sample(list(re.finditer(rb"\nID: (\d+)\n", data)), 1):
            width = len(m[1])
            data[m.start(1):m.end(1)] = rng.choice([b"9" * width, b"0" * width, b"-" + b"1" * (width - 1)])


# ---- zstd ----

def frame(rng):
    """A frame's header that promises what no reader should believe, and some blocks."""
    magic = b"\x28\xb5\x2f\xfd"
    rle = struct.pack("<I", (0x1FFFF << 3 | 1 << 1))[:3] + b"\0"  # 128 KB of one byte
    return rng.choice([
        magic + b"\x00" + b"\xff" + rle * 400,  # the largest window, no size of the contents
        magic + b"\x00" + b"\x58" + rle * 4000,  # half a GB out of 16 KB
        magic + b"\xe0" + struct.pack("<Q", 1 << 63) + rle,
        magic + b"\xe0" + struct.pack("<Q", 5) + rle * 9,
        magic + b"\x08" + b"\x58",  # a reserved bit
        magic + b"\x03" + b"\x58" + b"\xff\xff\xff\xff" + rle,  # a dictionary
        b"\x50\x2a\x4d\x18" + struct.pack("<I", 0xFFFFFFFF),  # to be skipped
        b"\x50\x2a\x4d\x18" + struct.pack("<I", 0) * 50,
        magic + b"\x20\x00" + b"\x01\x00\x00",  # nothing
        magic,
    ])


def tell_zstd(rng, data):
    starts = [m.start() for m in re.finditer(rb"\x28\xb5\x2f\xfd", data)]
    if not starts:
        return
    at = rng.choice(starts)
    if rng.random() < 0.5:
        data[at + 4:at + 4 + rng.randrange(1, 9)] = rng.randbytes(8)[:rng.randrange(1, 9)]
        return
    lie = frame(rng)[:max(len(data) - at, 0)]
    data[at:at + len(lie)] = lie
    if rng.random() < 0.5:  # and the chunk's sizes agree
        put(data, at - 4, 4, rng.choice([1 << 20, 1 << 31, len(lie), 0]))
        put(data, at - 8, 4, len(lie))


# ---- CTF ----

NUMBERS = [b"0", b"1", b"3", b"7", b"63", b"65", b"128", b"4096", b"4294967296", b"9223372036854775808",
           b"18446744073709551615", b"-1", b"0x10000000000000000"]


def tell_metadata(rng, text):
    for _ in range(rng.choice([1, 1, 2, 3])):
        found = list(re.finditer(rb"(size|align|freq|offset|offset_s|id|stream_id|major|minor|base|"
                                 rb"precision|absolute|signed|byte_order|map|encoding) = ([^;,}\n]+)",
                                 text))
        arrays = list(re.finditer(rb"\[ ?([A-Za-z_0-9.]+) ?\]", text))
        if not found:
            return
        if arrays and rng.random() < 0.25:
            m, group = rng.choice(arrays), 1
            lie = rng.choice(NUMBERS + [b"_common_pid", b"none", b"stream.event.header.id", b""])
        else:
            m, group = rng.choice(found), 2
            lie = rng.choice(NUMBERS) if m[2].strip().isdigit() or rng.random() < 0.3 else rng.choice(
                [b"be", b"le", b"native", b"network", b"none", b"UTF8", b"clock.none.value", b"true"])
        text[m.start(group):m.end(group)] = lie
    if rng.random() < 0.15:
        words = rng.choice([b"struct { " * 3000, b"}; " * 9, b"typealias a := a;", b"event { id = 1; };",
                            b"env { a = \"" + b"x" * 70000 + b"\"; };"])
        text += words


def tell_packets(rng, data):
    fields = [(at, 8) for at in range(0, 128, 4)] + [(at, 4) for at in range(0, min(len(data), 2048), 4)]
    tell_numbers(rng, data, fields)


# ---- kinds ----

def load(path):
    data = open(path, "rb").read()
    return bytearray(gzip.decompress(data) if path.endswith(".gz") else data)


def tell(rng, data, places, text):
    """Lies of numbers, or of text where there is some, or of zstd."""
    what = rng.random()
    if text and what < 0.4:
        tell_format(rng, data)
    elif what < 0.6 and b"\x28\xb5\x2f\xfd" in data:
        tell_zstd(rng, data)
    else:
        tell_numbers(rng, data, places)


def cut(rng, data):
    del data[rng.randrange(len(data)):]


def flip(rng, data):
    for _ in range(rng.choice([1, 1, 2, 4])):
        data[rng.randrange(min(len(data), rng.choice([400, 16384, 1 << 30])))] ^= rng.randrange(1, 256)


def zero(rng, data):
    at, size = rng.randrange(len(data)), 1 << rng.randrange(2, 16)
    data[at:at + size] = bytes(len(data[at:at + size]))


DAMAGE = [cut, flip, zero]


class Single:
    """A trace in one file."""

    def __init__(self, path, places, pipe=False):
        self.data = load(path)
        self.places = places(self.data)
        self.text = bool(FIELD.search(self.data))
        self.pipe = pipe

    def write(self, rng, path, damage):
        data = bytearray(self.data)
        if damage:
            damage(rng, data)
        else:
            tell(rng, data, self.places, self.text)
        with open(path, "wb") as out:
            out.write(data)


class Directory:
    """A CTF trace."""

    pipe = False

    def __init__(self, path):
        self.files = {}
        with tarfile.open(path) as tar:
            for m in tar.getmembers():
                if m.isfile():
                    self.files[os.path.basename(m.name)] = tar.extractfile(m).read()

    def write(self, rng, path, damage):
        os.makedirs(path)
        streams = sorted(name for name in self.files if name != "metadata")
        lies = rng.choice(["metadata"] * 3 + streams)
        for name, data in self.files.items():
            data = bytearray(data)
            if name == lies:
                (damage or (tell_metadata if name == "metadata" else tell_packets))(rng, data)
            with open(os.path.join(path, name), "wb") as out:
                out.write(data)


def kinds(data):
    at = lambda name: os.path.join(data, name)
    return {
        "v6": Single(at("slim_shm_c34_v6.dat"), tracedat_fields),
        "v7": Single(at("slim_shm_c34_v7none.dat"), tracedat_fields),
        "v7-zstd": Single(at("x86_v7_zstd.dat"), tracedat_fields),
        "instance": Single(at("x86_inst.dat"), tracedat_fields),
        "perf": Single(at("ctf_x86_fork.perf.data.gz"), perf_fields),
        "perf-tlbie": Single(at("ctf_ranges_c33.perf.data.gz"), perf_fields),
        "perf-zstd": Single(at("perf_x86_z.perf.data"), perf_fields),
        "perf-group": Single(at("perf_x86_groupread.perf.data"), perf_fields),
        "pipe-zstd": Single(at("perf_x86_pipe_z.perf.data"), perf_fields, pipe=True),
        "ctf": Directory(at("ctf_ranges_c33.ctf.tar.gz")),
        "ctf-own": Directory(at("ctf_own_shm.ctf.tar.gz")),
    }


# ---- runs ----

def run(program, path, pipe):
    """What is wrong with this run, or None."""
    source = open(path, "rb") if pipe else subprocess.DEVNULL
    feeder = None
    if pipe:
        feeder = subprocess.Popen(["cat"], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        source = feeder.stdout
    p = subprocess.Popen([program, "whatif", "-q", "--ceiling=8", "-i", "-" if pipe else path],
                         stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if pipe:
        source.close()
    text = p.stderr.read()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = status
    if feeder:
        feeder.wait()
    code = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    if code not in (0, 1, 3):
        return "status %d: %s" % (code, text.decode(errors="replace")[-2000:])
    if code and not text.strip():
        return "status %d without a message" % code
    if "TLBTRACE_SLOW" in os.environ:
        return None
    if seconds >= SECONDS:
        return "%.1f s" % seconds
    if usage.ru_maxrss >= MB << 10:
        return "%d MB" % (usage.ru_maxrss >> 10)
    return None


def main():
    program, data, count = sys.argv[-3], sys.argv[-2], int(sys.argv[-1])
    keep = sys.argv[1] == "--write"
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    work = program if keep else tempfile.mkdtemp()
    bad = 0
    for (name, kind), damage, i in itertools.product(kinds(data).items(), [None] + DAMAGE, range(count)):
        title = "%s.%s%d" % (name, damage.__name__ if damage else "", i)
        path = os.path.join(work, title)
        kind.write(random.Random("%s %d" % (name, i)), path, damage)
        if keep:
            continue
        wrong = run(program, path, kind.pipe)
        if wrong:
            bad += 1
            print("%s: %s" % (title, wrong))
        (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    if not keep:
        shutil.rmtree(work)
        print("%d lies, cuts, flips and zeroed blocks of each kind, %d wrong answers" % (count, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
