# SPDX-License-Identifier: GPL-2.0-or-later
"""
file-page.py PAGE EVENTS TRACE [COMPRESSED UNPACKED]: check xentrace-file(5).
The metadata of the page is compared with events/11-meta, and a trace is decoded
by the tables of the page alone.
"""
import re
import struct
import sys

SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}


def rows_of_page(text):
    """Event -> the page's description of its payload."""
    text = text.replace("\\-", "-")
    table = text.split("event       payload (bytes)\n")[1].split(".fi")[0]
    rows = re.split(r"^ +(?=0x)", table, flags=re.M)[1:]
    return {int(row.split()[0], 16): " ".join(row.split()[1:])
            for row in rows}


def page_bytes(row):
    """The length of the payload in this row."""
    return (sum(int(n) for n in re.findall(r"\((\d+)\)", row)) +
            sum(int(n) for n in re.findall(r"(\d+) bytes", row)) +
            4 * sum(int(n) for n in re.findall(r"(\d+) words", row)))


def page_values(row):
    """The values in this row: a set for each field with a list."""
    lists = re.findall(r"\(\d+\): (\d+ [^;]*)", row)
    return [{int(n) for n in re.findall(r"(?:^|, )(\d+) ", one)}
            for one in lists]


def catalogue(files):
    """Event -> (bytes, sets of values), as declared in events/."""
    words, events = {}, {}
    text = "".join(open(f, encoding="utf-8").read() for f in files)
    for kind, name, body in re.findall(
            r'^(enum|flags) (\w+) "[^"]*"\n(.*?)^end', text, re.M | re.S):
        values = {int(n) for n in re.findall(r"^ +(\d+) ", body, re.M)}
        words[name] = ({1 << n for n in values} if kind == "flags" else values)
    for number, fields in re.findall(
            r"id=(0x0001f0[89]\w) \w+\((.*?)\) \"", text):
        fields = fields.split(", ")
        size = sum(SIZES[re.search(r"int(\d+)_t", f).group(1)] for f in fields)
        values = [words[f.split()[0]] for f in fields if f.split()[0] in words]
        events[int(number, 16)] = size, values
    return events


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def windows(data):
    at = 0
    while at < len(data):
        first, cpu, size = struct.unpack_from("=III", data, at)
        assert first == 0x2001f003 and size % 4 == 0, "window at %#x" % at
        assert at + 12 + size <= len(data), "window at %#x: its end" % at
        yield cpu, data[at:at + 12 + size]
        at += 12 + size


def records(window):
    at = 12
    while at < len(window):
        head, = struct.unpack_from("=I", window, at)
        event, words, timed = head & 0xfffffff, head >> 28 & 7, head >> 31
        begin = at + (12 if timed else 4)
        at = begin + 4 * words
        assert at <= len(window), "a record goes beyond its window"
        yield event, timed, window[begin:at]


def check_seal(number, window, event, payload):
    assert event == 0x1f080, "window %u has no seal" % number
    crc, which = struct.unpack("=II", payload)
    clean = window[:16] + b"\0\0\0\0" + window[20:]
    assert crc == crc32c(clean), "window %u: wrong checksum" % number
    assert which == number, "window %u has number %u" % (number, which)


def check_record(rows, event, timed, payload):
    assert event >> 16, "a record of class 0"
    assert event != 0x1f003, "a window header inside of a window"
    if event == 0x1f001:
        assert timed and len(payload) == 16, "a LOST record"
    if event in rows and event != 0x1f080:
        assert not timed, "%#x has a time stamp" % event
        assert len(payload) == page_bytes(rows[event]), "%#x: length" % event


def check_trace(rows, data):
    seen = set()
    for number, (_, window) in enumerate(windows(data)):
        for i, (event, timed, payload) in enumerate(records(window)):
            if i == 0:
                check_seal(number, window, event, payload)
            check_record(rows, event, timed, payload)
            seen.add(event)
    return seen


def check_table(packed, unpacked):
    n, flags, magic = struct.unpack("<IBI", packed[-9:])
    assert magic == 0x8f92eab1 and flags == 0, "the end of the seek table"
    at = len(packed) - (17 + 8 * n)
    first, follow = struct.unpack_from("<II", packed, at)
    assert first == 0x184d2a5e and follow == 9 + 8 * n, "the seek table"
    sizes = [struct.unpack_from("<II", packed, at + 8 + 8 * i)
             for i in range(n)]
    assert sum(s[0] for s in sizes) == at, "sizes of frames"
    assert sum(s[1] for s in sizes) == len(unpacked), "unpacked sizes of frames"


def main(page, events, trace, *compressed):
    rows = rows_of_page(open(page, encoding="utf-8").read())
    declared = catalogue([events + "/00-words.trace-events",
                          events + "/11-meta.trace-events"])
    assert set(rows) == set(declared), "the page lists other events"
    for event, (size, values) in declared.items():
        if event != 0x1f080:
            assert page_bytes(rows[event]) == size, "%#x: size" % event
            assert page_values(rows[event]) == values, "%#x: values" % event
    seen = check_trace(rows, open(trace, "rb").read())
    assert {0x1f080, 0x1f081, 0x1f083, 0x1f084, 0x1f085} <= seen, "metadata"
    assert 0x28004 in seen, "no records of Xen"
    if compressed:
        check_table(*(open(f, "rb").read() for f in compressed))
    print("%u rows, %u kinds of records" % (len(rows), len(seen)))


main(*sys.argv[1:])
