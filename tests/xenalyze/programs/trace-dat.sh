#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events of a trace.dat beside a trace of Xen equal those of the text that
# trace-cmd report prints.  The file is our own export, with a clock added, so
# each of its events is a record of the trace at that time.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v trace-cmd >/dev/null || skip "there is no trace-cmd"
command -v python3 >/dev/null || skip "there is no python3"

# add_clock FILE CLOCK RESULT: an option TRACECLOCK; all data move by a page
cat >add_clock.py <<'END'
import struct, sys

data = open(sys.argv[1], "rb").read()
clocks = "local mono x86-tsc".replace(sys.argv[2], "[%s]" % sys.argv[2])
size = 4096 - len(b"options  \0") - 6 - 2
options = (b"options  \0" + struct.pack("<HI", 4, size) +
           clocks.encode().ljust(size, b"\0") + struct.pack("<H", 0))
at = data.index(b"flyrecord\0")
cpus = struct.unpack_from("<I", data, at - 4)[0]
out = bytearray(data[:at] + options + data[at:])
for i in range(cpus):
    table = at + len(options) + len(b"flyrecord\0") + 16 * i
    struct.pack_into("<Q", out, table,
                     struct.unpack_from("<Q", out, table)[0] + 4096)
open(sys.argv[3], "wb").write(out)
END

play xen --kind hvm --cpus 3
expect 0 "$xenalyze" export trace.dat -o bare.dat xen
python3 add_clock.py bare.dat mono mono.dat || fail 'no clock added'

trace-cmd report -t -i mono.dat 2>/dev/null >text || fail 'no text'
nr=$(grep -c '\[0' text)
[ "$nr" -gt 1000 ] || fail "only $nr events"

# Times, names and arguments are the same.
expect 0 "$xenalyze" --records xen text
awk '$1 == "-"' out >wanted
expect 0 "$xenalyze" --records xen mono.dat
expect_message 'assuming that mono.dat is from the same boot'
awk '$1 == "-"' out >got
[ "$(wc -l <wanted)" -gt $((nr * 9 / 10)) ] || fail 'most events are missing'
cmp -s got wanted || fail "other events: $(diff got wanted | head -n 4)"

# The dump and the viewers have them, too.
expect 0 "$xenalyze" dump xen mono.dat
[ "$(grep -c '^\*' out)" -eq "$(wc -l <wanted)" ] || fail 'other lines'
expect 0 "$xenalyze" export chrome -o out.json xen mono.dat
grep -q sched_switch out.json || fail 'no events in the export'

# Clocks that cannot be joined, and no clock.
python3 add_clock.py bare.dat local local.dat || fail 'no clock added'
expect 1 "$xenalyze" dump xen local.dat
expect_message 'local.dat has times of the clock local, which'
python3 add_clock.py bare.dat none none.dat || fail 'no clock added'
for file in bare.dat none.dat; do
    expect 1 "$xenalyze" dump xen "$file"
    expect_message "$file is damaged, or does not name its clock"
done

# Damaged files: one line, no crash; trace-cmd decides how many events it reads.
size=$(wc -c <mono.dat)
for part in 11 100 1000 $((size / 4)) $((size / 2)) $((size - 5000)); do
    head -c "$part" mono.dat >cut.dat
    "$xenalyze" dump xen cut.dat >out 2>err
    rc=$?
    [ $rc -le 1 ] || fail "exit code $rc after $part bytes"
    [ $rc -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || fail "$(cat err)"
done
python3 - <<'END' || fail 'no damaged files'
import os, random
data = open("mono.dat", "rb").read()
random.seed(7)
for i in range(24 if os.environ.get("CHECK_FULL") else 8):
    damaged = bytearray(data)
    for k in range(1 + i % 8):
        # Half of the damage is in the formats, in front of the pages.
        at = random.randrange(20000 if i % 2 else len(data))
        damaged[at] ^= 1 << random.randrange(8)
    open("flipped.%d" % i, "wb").write(damaged)
END
for file in flipped.*; do
    timeout 60 "$xenalyze" dump xen "$file" >out 2>err
    rc=$?
    [ $rc -le 1 ] || fail "$file: exit code $rc"
    [ "$(wc -l <err)" -le 4 ] || fail "$file: $(head -n 5 err)"
done

# Without trace-cmd, a message says what to do.
expect 1 env PATH=/nonexistent "$xenalyze" dump xen mono.dat
expect_message 'trace-cmd, which reads mono.dat, is not installed: install it'
