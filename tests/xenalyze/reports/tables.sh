#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands print tables for people, to the digit: the heading first, names
# of domains, percent and seconds, idle time as such, lost time as a column, and
# a word where there is nothing to show.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# names: metadata records of "ID NAME" lines; a name is cut at 24 bytes
names() {
    python3 -c '
import struct, sys
for line in sys.stdin.buffer.read().splitlines():
    dom, name = line.split(b" ", 1)
    words = struct.unpack("<6I", name[:24].ljust(24, b"\0"))
    print("0 - 0x1f08b %d 0 0 0 0" % (int(dom) | 1 << 16))
    print("0 - 0x1f08c %d" % (int(dom) | 1 << 24), *words)'
}

# Two pcpus for four milliseconds.  Pcpu 0: idle, web1 with an exit and an
# interrupt, and idle.  Pcpu 1: db1 waits for half of the second millisecond,
# and all records of the fourth are lost.
{
    printf '1 web1\n2 db1\n' | names
    cat <<'END'
0 1000000 0x21101 0x7fff0000
0 2000000 0x21011 0x7fff0000
0 2000000 0x21101 0x10000
0 2500000 0x81002 12 0x1000
0 - 0x82013 0
0 2750000 0x81001
0 2800000 0x81002 1 0x1000
0 - 0x8200f 240
0 - 0x82004 48 0
0 2900000 0x81001
0 4000000 0x21021 0x10000
0 4000000 0x21101 0x7fff0000
0 5000000 0x21011 0x7fff0000
1 1000000 0x21101 0x20000
1 2500000 0x21011 0x20000
1 2500000 0x21101 0x7fff0001
1 3000000 0x21011 0x7fff0001
1 3000000 0x21101 0x20000
1 4000000 0x21311 0x20000
1 5000000 0x1f001 7 2 4000000 0
1 5000000 0x21101 0x20000
END
} | compose lossy

nr=0
# table COMMAND...: the output is the standard input
table() {
    cat >expected
    expect 0 "$xenalyze" "$@" --cpu-hz 1000000000 lossy
    diff expected out >differ || {
        cat differ >&2
        fail "$*: another table"
    }
    nr=$((nr + 1))
}

table pcpus <<'END'
--- Time of each pcpu (%) ---
 pcpu            busy    idle    lost unknown   time
 0              50.00   50.00    0.00    0.00 4.00ms
 1              62.50   12.50   25.00    0.00 4.00ms
 all            56.25   31.25   12.50    0.00 8.00ms
END
table over run --every 1ms <<'END'
--- Running (% of the interval; a pcpu is 100%) ---
 time           db1     web1     idle     lost
 0.0000000  100.00%    0.00%  100.00%    0.00%
 0.0010000   50.00%  100.00%   50.00%    0.00%
 0.0020000  100.00%  100.00%    0.00%    0.00%
 0.0030000    0.00%    0.00%  100.00%  100.00%
END
table over wait --every 1ms <<'END'
--- Waiting for a pcpu (% of the interval, sum of all vcpus) ---
 time          web1      db1     lost
 0.0000000  100.00%    0.00%    0.00%
 0.0010000    0.00%   50.00%    0.00%
 0.0020000    0.00%    0.00%    0.00%
 0.0030000    0.00%    0.00%  100.00%
END
table over exits --domain web1 --every 1ms <<'END'
--- web1: running, and exits by purpose (% of the interval) ---
 time       running      hlt     intr     lost
 0.0000000    0.00%    0.00%    0.00%    0.00%
 0.0010000  100.00%   25.00%   10.00%    0.00%
 0.0020000  100.00%    0.00%    0.00%    0.00%
 0.0030000    0.00%    0.00%    0.00%  100.00%
END
table over interrupts --domain web1 --every 2ms <<'END'
--- web1: interrupts by vector (number) ---
 time            48     lost
 0.0000000        1    0.00%
 0.0020000        0   50.00%
END
table over interrupts --domain db1 --every 2ms <<'END'
--- db1: interrupts by vector (number) ---
 no interrupt was injected
 time          lost
 0.0000000    0.00%
 0.0020000   50.00%
END
table over grants --domain db1 <<'END'
--- db1: grants mapped (number) ---
 no grant was mapped; capture with xentrace -e mem
 time        grants     lost
 0.0000000        0   25.00%
END
table over cr3 <<'END'
--- Frames in CR3 (% of the interval; a pcpu is 100%) ---
 no exit of a guest loads CR3: there is none with hardware-assisted paging
 time          lost
 0.0000000   25.00%
END
table over run --domain db1 --every 2ms <<'END'
--- Running (% of the interval; a pcpu is 100%) ---
 time           db1     lost
 0.0000000   75.00%    0.00%
 0.0020000   50.00%   50.00%
END

# Domain-0 maps grants of web1: the selected domain is the one that maps.
{
    printf '0 Domain-0\n1 web1\n' | names
    cat <<'END'
0 1000000 0x21101 0x0
0 1100000 0x10f001 1
0 1200000 0x10f001 1
0 2500000 0x10f001 1
0 3000000 0x21011 0x0
0 3000000 0x21101 0x10000
0 4000000 0x21011 0x10000
END
} | compose lossy
table over grants --domain=Domain-0 --every 1ms <<'END'
--- Domain-0: grants mapped (number) ---
 time        grants     lost
 0.0000000        2    0.00%
 0.0010000        1    0.00%
 0.0020000        0    0.00%
END
table over grants --domain 1,Domain-0 --every 3ms <<'END'
--- web1: grants mapped (number) ---
 no grant was mapped
--- Domain-0: grants mapped (number) ---
 time        grants     lost
 0.0000000        3    0.00%
END
table over interrupts --domain=web1 <<'END'
--- web1: interrupts by vector (number) ---
 no interrupt was injected; capture with xentrace -e hvm
END
# Names at every place of the list, and a word for a domain without exits.
table over exits --domain=Domain-0,web1 --every 3ms <<'END'
--- Domain-0: running, and exits by purpose (% of the interval) ---
 the domain has no exits; capture with xentrace -e hvm
 time       running     lost
 0.0000000   66.67%    0.00%
--- web1: running, and exits by purpose (% of the interval) ---
 the domain has no exits; capture with xentrace -e hvm
 time       running     lost
 0.0000000   33.33%    0.00%
END
expect 1 "$xenalyze" over exits --domain=Domain-0,web2 lossy
expect_message 'no domain is named web2'
expect 0 "$xenalyze" --interval-domain-grant-maps=0 --domain=0 lossy
grep -q ' 3$' out || fail "the option has no grants: $(cat out)"

# --- info --------------------------------------------------------------------

# A trace with metadata: the time in seconds, with the date; long texts folded.
{
    printf '1 web1\n2 db1\n' | names
    cat <<'END'
0 - 0x1f082 2400000000 0 1 0
0 - 0x1f083 2400000000 0 1000000000 0 0x4d5a0000 0x18e7e36a 0
0 - 0x1f090 1 1 2 3 4
0 2400000000 0x21101 0x10000
0 4800000000 0x21011 0x10000
1 3600000000 0x21101 0x20000
1 - 0x21011 0x20000
END
} | compose described
expect 0 env TZ=UTC "$xenalyze" info described
grep -qE '^  time:    1\.0000000000? s from 2026-11-14T10:43:42.234214 UTC$' out ||
    fail "no seconds and date: $(cat out)"
grep -qE '^     0 +[0-9]+ +2 +0 +0\.000000000[0-9]* +1\.000000000[0-9]*$' out ||
    fail "no seconds of pcpu 0: $(cat out)"
grep -qE '^     1 +2 +2 +0 +0\.500000000[0-9]* +0\.500000000[0-9]*$' out ||
    fail "no seconds of pcpu 1: $(cat out)"
grep -qE '^    d1 +web1 .* [0-9]+ +- +- +-$' out || fail "no row of web1"
grep -qE '^    d1  01000000-.* web1$' out || fail "no UUID of web1: $(cat out)"
expect 0 "$xenalyze" --info described
grep -qx '  time:    2400000000 cycles, 2400000000 .. 4800000000' out ||
    fail "--info has no cycles: $(cat out)"

# Time that goes backwards is damage for info, and a warning for count.
compose backward <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x21011 0x10000
0 1500000 0x21101 0x20000
0 1500100 0x21011 0x20000
END
for command in info --info; do
    expect 0 "$xenalyze" $command backward
    tail -n 2 out >got
    cat >expected <<'END'
damage: time goes backwards in 1 window
  at byte 44: time goes backwards, 0 bytes skipped
END
    cmp -s got expected || fail "$command, backward: $(cat out)"
done
expect 0 "$xenalyze" count backward
grep -q 'time goes backwards (windows: 1)' err || fail "count: no warning"
# --- messages ----------------------------------------------------------------

# A warning begins a line if standard output and standard error are one file.
play storm --cpus 8 --domains 8 --kind hvm --boot tbuf_size=1 --drain 50ms
for report in exits latency; do
    "$xenalyze" $report storm >both 2>&1 || fail "$report fails"
    [ "$(wc -c <both)" -gt 4096 ] || fail "$report: too short for this test"
    grep -q '^xenalyze: warning: ' both || fail "$report: no warning in a line"
    grep -q '.xenalyze: warning: ' both &&
        fail "$report: a warning in the middle of a line"
done
echo "$nr tables"
