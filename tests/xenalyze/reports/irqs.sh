#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Interrupts of devices have the names of /proc/interrupts, where the metadata
# has them: in the reasons of --why, in the legend of the irq picture, and in
# JSON and CSV beside the number.  Without metadata they are numbers.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# irq-names.py IRQ TEXT...: the lines of meta_irq_name records, for compose
cat >irq-names.py <<'END'
import struct, sys

for irq, text in zip(sys.argv[1::2], sys.argv[2::2]):
    parts = (len(text) + 23) // 24
    data = text.encode().ljust(24 * parts, b"\0")
    for i in range(parts):
        words = struct.unpack("<6I", data[24 * i:24 * (i + 1)])
        print("0 - 0x1f094", parts << 24 | i << 16 | int(irq), *words)
END

# strip-names.py: a trace without its meta_irq_name records, of a window each
cat >strip-names.py <<'END'
import struct, sys

data, at = sys.stdin.buffer.read(), 0
while at < len(data):
    size = 12 + struct.unpack_from("<I", data, at + 8)[0]
    event = struct.unpack_from("<I", data, at + 12)[0] & 0xfffffff
    if event != 0x1f094:
        sys.stdout.buffer.write(data[at:at + size])
    at += size
END

# xensim has the irqs 24 to 31, with names.
play simulated --cpus 4 --domains 2 --load io
expect 0 "$xenalyze" info simulated
for row in '    24 eth0' '    25 nvme0' '    31 nvme3'; do
    grep -qxF "$row" out || fail "info has no row '$row'"
done
expect 0 "$xenalyze" why d0 simulated
grep -q 'an interrupt of eth0 (irq 24), p99' out || fail "$(cat out)"
python3 strip-names.py <simulated >plain || fail "names cannot be removed"

# A line of MSI has dom0's own number.
long='a-device-with-a-very-long-name, and-another'
python3 irq-names.py 24 'xen-pirq -ioapic-level eth0' \
    25 "xen-pirq -ioapic-level $long" 26 'xen-pirq -msi nvme0q1' \
    27 'xen-pirq -ioapic-level <b>"\`' |
    compose names
cat names plain >named

expect 0 "$xenalyze" why d0 named
cp out reasons
grep -Eq '^ +[0-9.]+% +[0-9.]+ [mun]?s  an interrupt of eth0 \(irq 24\), p99 ' \
    reasons || fail "$(cat reasons)"
[ "$(wc -L <reasons)" -le 80 ] || fail "too wide: $(cat reasons)"
expect 0 "$xenalyze" why d0 plain
grep -q "the host's irq 24, p99" out || fail "$(cat out)"
sed -e "s/the host's irq 24/an interrupt of eth0 (irq 24)/" \
    -e "s/the host's irq 25/an interrupt of a-device-with-a-v... (irq 25)/" \
    out | cmp - reasons || fail 'names change more than themselves'

# The rows of all vcpus, in JSON: each number has the same device everywhere.
cat >devices.py <<'END'
import json, sys

want = dict(zip(map(int, sys.argv[3::2]), sys.argv[4::2]))
for file, devices in (sys.argv[1], want), (sys.argv[2], {}):
    report = json.load(open(file))
    rows = [r for r in report["tables"]["why_blocks"]
            if r["reason"] == "device"]
    assert {r["irq"] for r in rows} >= {24, 25, 26, 27}, rows
    assert not any("irq" in r or "device" in r
                   for r in report["tables"]["why_blocks"]
                   if r["reason"] != "device")
    for r in rows:
        assert r.get("device") == devices.get(r["irq"]), r
    points = report["points"]
    assert {p["irq"] for p in points} >= {24, 25, 26, 27}
    for p in points:
        assert p.get("device") == devices.get(p["irq"]), p
END
for trace in named plain; do
    expect 0 "$xenalyze" --json --why --scatterplot-irq $trace
    mv out $trace.json
done
expect 0 python3 devices.py named.json plain.json 24 eth0 25 "$long" \
    27 '<b>"\`'
expect 0 "$xenalyze" --csv --why --scatterplot-irq named
grep -q '^why_blocks,0,.*,"device",,24,"eth0",' out || fail 'CSV: no device'
expect 0 "$xenalyze" --csv --scatterplot-irq named
grep -q '^"irq",,,24,"eth0",' out || fail 'CSV: no device of a point'

# The legend; a long device is cut.
for picture in svg gp; do
    option=--plot
    [ $picture = svg ] || option=--gnuplot
    expect 0 "$xenalyze" --scatterplot-irq $option p.$picture named
    for name in 'irq 24 eth0' 'irq 25 a-device-with-a-' 'irq 26'; do
        grep -q "[>\"]$name[<\"]" p.$picture || fail "$picture: no $name"
    done
done
grep -qF 'irq 27 &lt;b>' p.svg || fail "svg: <b> is not escaped"
expect 0 "$xenalyze" --scatterplot-irq --plot p.svg plain
grep -q '>irq 24<' p.svg || fail "no irq 24"

# Numbers of irqs are 32 bits in the trace, and 16 in the metadata.
compose large <<'END'
0 - 0x1f094 0x01000018 0x2d6e6578 0x71726970 0x6f692d20 0x63697061 0x7468652d 0x30
0 1000000 0x21011 0x7fff0000
0 1000000 0x21111 0x7fff0000
0 1000100 0x21031 0x10000
0 1000200 0x802008 0x10018 1000050 1000200
0 1000300 0x21311 0x7fff0000
0 1000300 0x21101 0x10000
END
expect 0 "$xenalyze" --json --scatterplot-irq large
grep -q '"irq":65560' out || fail "$(cat out)"
! grep -q '"device":' out || fail 'irq 65560 has the name of irq 24'
