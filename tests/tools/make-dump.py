#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make a crash dump of a Xen that was tracing, and the list of its records.

    make-dump.py MODE DUMP EXPECTED [SYMBOLS]

MODE: drain (dom0 has read a part), overwrite (a flight recorder), stock (as
drain, without struct xen_trace_crash_info; writes SYMBOLS, an xen-syms), empty
(no record), none (no rings).

A DUMP called *.kdump is compressed, as makedumpfile writes it; else, it is ELF.

EXPECTED gets a line for each record in the dump, "cpu tsc event words...", of
each pcpu in the order of time.
"""
import random
import struct
import sys
import zlib

PAGE = 4096
CPUS = 3
PAGES = 2                       # of each ring
DATA = PAGES * PAGE - 8
FILLER = 0x1f002
RUNSTATE, WAKE, VMENTRY = 0x21011, 0x28004, 0x81001
IMAGE_VA, IMAGE = 0xffff82d040200000, 0x1400000     # both in steps of 2 MiB
HEAP_VA = 0xffff830000000000                        # machine address 0
OBJECTS = IMAGE_VA + 0x6000
NOTE_VA = IMAGE_VA + 0x3004
MEMORY = {}                     # machine address of a page: bytearray


def page(address):
    return MEMORY.setdefault(address & -PAGE, bytearray(PAGE))


def put(address, data):
    for i, byte in enumerate(data):
        page(address + i)[(address + i) % PAGE] = byte


def put_va(va, data):
    put(va - IMAGE_VA + IMAGE if va < HEAP_VA else va - HEAP_VA, data)


def word(value):
    return struct.pack('<Q', value)


def map_memory(root):
    """Four levels: the image by a page of 2 MiB, the heap by pages of 4 KiB."""
    tables = iter(range(0x700000, 0x800000, PAGE))

    def entry(table, va, shift, flags=3):
        at = table + (va >> shift & 511) * 8
        value = struct.unpack_from('<Q', page(at), at % PAGE)[0]
        if not value:
            value = next(tables) | flags
            put(at, word(value))
        return value & 0xffffffffff000

    table = entry(root, IMAGE_VA, 39)
    table = entry(table, IMAGE_VA, 30)
    put(table + (IMAGE_VA >> 21 & 511) * 8, word(IMAGE | 0x83))
    for address in range(0, 0x600000, PAGE):
        table = entry(root, HEAP_VA, 39)
        table = entry(table, HEAP_VA, 30)
        table = entry(table, HEAP_VA + address, 21)
        put(table + (address >> 12 & 511) * 8, word(address | 3))


class Ring:
    """What Xen's writer does, with all positions unwrapped."""

    def __init__(self, cpu):
        self.cpu = cpu
        self.data = bytearray(random.randbytes(DATA))
        self.records = []       # (position, tsc, event, words)
        self.prod = 0
        self.first = [8] + [0] * (PAGES - 1)

    def write(self, event, tsc, words):
        header = event | len(words) << 28 | (1 << 31 if tsc else 0)
        record = struct.pack('<I', header)
        if tsc:
            record += word(tsc)
        record += struct.pack('<%dI' % len(words), *words)
        left = DATA - self.prod % DATA
        if left < len(record):
            timed = left // 4 - 1 > 7
            filler = struct.pack('<I', FILLER | (left // 4 - 1 -
                                                 (2 if timed else 0)) << 28 |
                                 (1 << 31 if timed else 0))
            self.store(filler + bytes(left - 4))
        self.records.append((self.prod, tsc, event, words))
        self.store(record)

    def store(self, data):
        at = self.prod % DATA
        self.data[at:at + len(data)] = data
        before = (self.prod // DATA, (at + 8) // PAGE)
        self.prod += len(data)
        place = self.prod % DATA + 8
        if before != (self.prod // DATA, place // PAGE):
            self.first[place // PAGE] = place

    def whole(self):
        return [r for r in self.records if r[0] >= self.prod - DATA]


def trace(ring, count):
    tsc = 1000000 + ring.cpu
    for i in range(count):
        tsc += random.randrange(1, 2000)
        kind = random.randrange(4)
        if kind == 0:
            ring.write(RUNSTATE, tsc, [random.getrandbits(16) << 16 | 1])
        elif kind == 1:
            ring.write(WAKE, tsc, [i, 1])
        elif kind == 2:
            ring.write(VMENTRY, tsc, [])
        else:                   # a guest's own event, without a declaration
            ring.write(0x800f123, tsc, [i] * random.randrange(8))


def lay_out(rings, frames, info, mode):
    """t_info, the rings' pages and headers; returns the expected lines."""
    lines = []
    directory = bytearray(PAGE)
    struct.pack_into('<H', directory, 0, PAGES if frames else 0)
    for ring in rings:
        offset = 64 + ring.cpu * PAGES
        struct.pack_into('<H', directory, 2 + 2 * ring.cpu, offset)
        cons = 0 if mode == 'overwrite' else ring.cons
        prod = 0 if mode == 'overwrite' else ring.prod
        data = struct.pack('<II', cons % (2 * DATA), prod % (2 * DATA))
        data += ring.data
        for i in range(PAGES):
            address = frames[ring.cpu * PAGES + i]
            struct.pack_into('<I', directory, 4 * (offset + i), address // PAGE)
            put(address, data[i * PAGE:(i + 1) * PAGE])
        for at, tsc, event, words in ring.kept:
            lines.append(' '.join(['%d %d %08x' % (ring.cpu, tsc, event)] +
                                  ['%08x' % w for w in words]))
    put(info, directory)
    return lines


def oldest(ring):
    """The first record that begins behind the page of prod."""
    page = (ring.prod % DATA + 8) // PAGE
    for i in range(1, PAGES + 1):
        place = ring.first[(page + i) % PAGES]
        if place:
            used = (ring.prod - (place - 8)) % DATA
            return ring.prod - used
    return 0


def crash_info(addresses):
    return struct.pack('<16s2I8Q6I', b'Xen trace rings', 1, 120, *addresses,
                       8, 64, 0, 16, 24, 32)


def note():
    return struct.pack('<III4s', 4, 20, 3, b'GNU\0') + bytes(range(20))


def symbols_file(path, table):
    """An ELF file with a symbol table and the note of the build id."""
    names, entries = b'\0', bytes(24)
    for name, value in table:
        entries += struct.pack('<IBBHQQ', len(names), 1, 0, 1, value, 8)
        names += name.encode() + b'\0'
    shstr = b'\0.note\0.symtab\0.strtab\0'
    parts = [note(), entries, names, shstr]
    at, offsets = 64, []
    for part in parts:
        offsets.append(at)
        at += len(part) + -len(part) % 8
    sections = [bytes(64)]
    for kind, name, va, link, size, i in ((7, 1, NOTE_VA, 0, 0, 0),
                                          (2, 7, 0, 3, 24, 1),
                                          (3, 15, 0, 0, 0, 2),
                                          (3, 15, 0, 0, 0, 3)):
        sections.append(struct.pack('<IIQQQQIIQQ', name, kind, 0, va,
                                    offsets[i], len(parts[i]), link, 0, 4,
                                    size))
    with open(path, 'wb') as file:
        file.write(struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 2, 62, 1,
                               0, 0, at, 0, 64, 0, 0, 64, len(sections), 4))
        for part in parts:
            file.write(part + bytes(-len(part) % 8))
        file.write(b''.join(sections))


def core_file(path):
    """One segment for each run of pages."""
    runs = []
    for address in sorted(MEMORY):
        if runs and runs[-1][0] + len(runs[-1][1]) == address:
            runs[-1][1].extend(MEMORY[address])
        else:
            runs.append((address, bytearray(MEMORY[address])))
    at = 64 + 56 * len(runs)
    with open(path, 'wb') as file:
        file.write(struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 4, 62, 1,
                               0, 64, 0, 0, 64, 56, len(runs), 0, 0, 0))
        for address, data in runs:
            file.write(struct.pack('<IIQQQQQQ', 1, 7, at, 0, address,
                                   len(data), len(data), 0))
            at += len(data)
        for address, data in runs:
            file.write(data)


def compressed_file(path):
    """
    Blocks of a page: header, second header, two bitmaps (RAM, pages in the
    file); then a descriptor for each page in the file, and the pages.  Pages of
    zeroes share their bytes.
    """
    frames = max(MEMORY) // PAGE + 1
    bitmap = bytearray(-(-frames // 8) + -(-(-frames // 8)) % PAGE)
    for address in MEMORY:
        bitmap[address // PAGE // 8] |= 1 << address // PAGE % 8
    blocks = len(bitmap) // PAGE
    names = b''.join(struct.pack('65s', name) for name in (
        b'Linux', b'dom0', b'6.1.0', b'#1', b'x86_64', b''))
    header = struct.pack('<8si390s2x4xqqIiiIIIIIIiI', b'KDUMP   ', 6, names, 0,
                         0, 1, PAGE, 1, 2 * blocks, frames, 0, 0, 0, 0, 1, 0)
    second = struct.pack('<QIIQQ6QQQQ', 0, 31, 0, 0, 0, *[0] * 6, 0, 0, frames)
    at = PAGE * (2 + 2 * blocks) + 24 * len(MEMORY)
    pages, descriptors, places = b'', b'', {}
    for i, address in enumerate(sorted(MEMORY)):
        data = bytes(MEMORY[address])
        packed = zlib.compress(data)
        flags = 1
        if len(packed) >= PAGE or i % 5 == 0:
            packed, flags = data, 0
        if packed not in places:
            places[packed] = at + len(pages)
            pages += packed
        descriptors += struct.pack('<QIIQ', places[packed], len(packed), flags,
                                   0)
    with open(path, 'wb') as file:
        for part in (header, second):
            file.write(part + bytes(PAGE - len(part)))
        file.write(bytes(bitmap) * 2 + descriptors + pages)


def main():
    mode, dump, expected = sys.argv[1:4]
    random.seed(7)
    root_va = IMAGE_VA + 0x10000
    names = ['nr_cpus', 'khz', 'rings', 'percpu_offset', 'ring', 'parked']
    at = {name: OBJECTS + 0x100 * i for i, name in enumerate(names)}
    frames = list(range(0x200000, 0x200000 + 0x3000 * CPUS * PAGES, 0x3000))
    random.shuffle(frames)
    info, rings_struct, parked = 0x100000, HEAP_VA + 0x110000, 0x120000

    rings = [Ring(cpu) for cpu in range(CPUS)]
    for ring in rings:
        # the last one never wraps: the rest of its pages is random
        if mode not in ('empty', 'none'):
            trace(ring, 90 if ring.cpu == CPUS - 1 else 2500)
        whole = ring.whole()
        ring.cons = whole[len(whole) // 2][0] if whole else 0
        ring.kept = whole
        if mode == 'overwrite':
            begin = oldest(ring)
            ring.kept = [r for r in whole if r[0] >= begin]
    map_memory(root_va - IMAGE_VA + IMAGE)
    lines = lay_out(rings, frames, info, mode)

    put_va(at['nr_cpus'], struct.pack('<I', CPUS))
    put_va(at['khz'], struct.pack('<I', 2000000))
    if mode != 'none':
        put_va(at['rings'], word(rings_struct if mode != 'stock'
                                 else HEAP_VA + info))
    put_va(rings_struct + 8, word(HEAP_VA + info))
    put_va(at['parked'], word(HEAP_VA + parked))
    for ring in rings:
        put_va(at['percpu_offset'] + 8 * ring.cpu, word(0x1000 * ring.cpu))
        # The struct of the last pcpu, which is offline, is parked.
        private = at['ring'] + 0x1000 * ring.cpu
        if ring.cpu == CPUS - 1:
            private = HEAP_VA + parked + 64 * ring.cpu
        pages = HEAP_VA + 0x130000 + 0x100 * ring.cpu
        put_va(pages + 8 * PAGES, struct.pack('<%dI' % PAGES, *ring.first))
        place = ring.prod % DATA + 8 | ring.prod // DATA % 2 << 28
        owed = (1 << 63 | 5 << 32) if ring.cpu == 1 else 0
        header = HEAP_VA + frames[ring.cpu * PAGES] + 4
        put_va(private, word(owed | place) + word(0) + word(pages) +
               word(private + 32 if mode == 'overwrite' else header) +
               struct.pack('<I', ring.prod % (2 * DATA)))
        put_va(OBJECTS + 0x800 + 0x1000 * ring.cpu,
               word(5 if ring.cpu == 1 else 0))
    put_va(NOTE_VA, note())
    magic = crash_info([IMAGE_VA + 0x4fc0, root_va] + [at[n] for n in names])
    if mode != 'stock':
        put(0x30040, magic)     # a copy, as of a boot module
        put(0x40000, magic)
        put_va(IMAGE_VA + 0x4fc0, magic)
    (compressed_file if dump.endswith('.kdump') else core_file)(dump)
    if len(sys.argv) > 4:
        symbols_file(sys.argv[4], [
            ('t_info' if mode == 'stock' else 'trace_rings', at['rings']),
            ('idle_pg_table', root_va),
            ('nr_cpu_ids', at['nr_cpus']), ('cpu_khz', at['khz']),
            ('per_cpu__lost_records', OBJECTS + 0x800),
            ('__per_cpu_offset', at['percpu_offset']), ('other', IMAGE_VA)])
    with open(expected, 'w') as file:
        file.write(''.join(line + '\n' for line in lines))


main()
