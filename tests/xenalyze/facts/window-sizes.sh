#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same reports of the same records in windows of any size, from a file, the
# windows of which are copied or mapped by their size, and from a pipe.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"
command -v python3 >/dev/null || skip "there is no python3"

cat >resize.py <<'END'
"""The same passes with windows of up to about argv[1] bytes: several passes
become one, or windows are divided.  The longest is printed to stderr."""
import struct, sys

HEADER, SEAL = 2 << 28 | 0x1f003, 0x1f080
most, data = int(sys.argv[1]), sys.stdin.buffer.read()
held, longest = {}, 0

def records(at, end):
    while at < end:
        word, = struct.unpack_from("<I", data, at)
        size = 4 + (8 if word >> 31 else 0) + 4 * (word >> 28 & 7)
        if word & 0xfffffff != SEAL:
            yield data[at:at + size]
        at += size

def write(cpu, window):
    global longest
    sys.stdout.buffer.write(struct.pack("<III", HEADER, cpu, len(window)))
    sys.stdout.buffer.write(window)
    longest = max(longest, len(window))

def flush():
    for cpu in sorted(held):
        window = bytearray()
        for record in held[cpu]:
            if window and len(window) + len(record) > most:
                write(cpu, window)
                window.clear()
            window += record
        write(cpu, window)
    held.clear()

at, last, size_held = 0, -1, {}
while at < len(data):
    header, cpu, size = struct.unpack_from("<III", data, at)
    assert header == HEADER
    if cpu <= last and max(size_held.values()) + size > most:
        flush()
        size_held.clear()
    held.setdefault(cpu, []).extend(records(at + 12, at + 12 + size))
    size_held[cpu] = size_held.get(cpu, 0) + size
    last, at = cpu, at + 12 + size
flush()
print(longest, file=sys.stderr)
END

# reports FILE
reports() {
    for report in '--summary --json' --report-latency --report-exits --count; do
        # shellcheck disable=SC2086 # several words
        "$xenalyze" $report "$1" || return
    done
}

# from_pipe FILE: the same, each from a pipe
from_pipe() {
    for report in '--summary --json' --report-latency --report-exits --count; do
        # shellcheck disable=SC2086 # several words
        cat "$1" | "$xenalyze" $report - || return
    done
}

play trace --cpus 4 --domains 4 --kind mix --rate 60k -T 2
for most in 30 530 20000 1500000; do
    python3 resize.py $most <trace >resized 2>longest || fail "$(cat longest)"
    reports resized >from-file 2>&1 || fail "$most: $(tail -n 1 from-file)"
    from_pipe resized >from-pipe 2>&1 || fail "$most: $(tail -n 1 from-pipe)"
    sed 's/resized/standard input/' from-file | cmp - from-pipe ||
        fail "$most: a pipe has another report"
done
[ "$(cat longest)" -gt 1048576 ] || fail "the longest window: $(cat longest)"
exit 0
