#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hostile traces cost little memory: millions of empty windows, more vcpus,
# domains and pcpus than a host has, zeros from a pipe.  Each output gets 300
# MB of data; pages of mapped files are not data.  The pages of a large file are
# released while the file is read.
. "$top_srcdir/tests/tools/lib.sh"

cd "$tmp" || exit 99
command -v python3 >/dev/null || skip "there is no python3"
(ulimit -d 300000) 2>/dev/null || skip "this shell cannot limit data"
# Sanitizers map terabytes.
(ulimit -d 300000; exec "$xenalyze" --version) >out 2>err ||
    skip "xenalyze does not start with 300 MB"

cat >generate.py <<'END'
import struct, sys

def record(event, tsc, *words):
    return struct.pack("<IQ%dI" % len(words),
                       1 << 31 | len(words) << 28 | event, tsc, *words)

def window(cpu, data):
    return struct.pack("<III", 2 << 28 | 0x1f003, cpu, len(data)) + data

def run(word, tsc, inside=b""):
    """A vcpu, domain << 16 | id, runs and blocks."""
    return (record(0x21101, tsc, word) + inside +
            record(0x21021, tsc + 30, word))

def exit(tsc, reason=12):
    return record(0x81002, tsc + 10, reason, 4096) + record(0x81001, tsc + 20)

def runs(words, inside=lambda tsc: b""):
    """Windows of pcpu 0."""
    data = [run(w, 1000000 + 100 * i, inside(1000000 + 100 * i))
            for i, w in enumerate(words)]
    return b"".join(window(0, b"".join(data[i:i + 500]))
                    for i in range(0, len(data), 500))

first = runs([65536] * 3)
traces = {
    # 10 million
    "windows": lambda: first + b"".join(window(c, b"") for c in range(64)) *
                       (10000000 // 64),
    "vcpus": lambda: runs(i % 32000 << 16 | i // 32000 for i in range(500000)),
    # more than are kept, then an exit of AMD
    "amd": lambda: runs(i % 32000 << 16 | i // 32000 for i in range(70000)) +
                   window(0, run(65536, 9000000, exit(9000000, 0x60))),
    "exits": lambda: runs((i % 32000 << 16 | i // 32000 for i in range(300000)),
                          exit),
    "guests": lambda: runs((i << 16 for i in range(65536)), exit),
    # each reason of each vendor twice
    "reasons": lambda: window(0, record(0x21101, 1000000, 65536) +
                              record(0x8200f, 1000001, 0xfb) + b"".join(
        record(event, 2000000 + 100 * i, i % 1200, 4096) +
        record(0x81001, 2000050 + 100 * i)
        for event in (0x81002, 0x81003) for i in range(2400))),
    "domains": lambda: runs(i << 16 for i in range(65536)),
    "pcpus": lambda: first + b"".join(window(i, run(i, 2000000 + i))
                                      for i in range(65536)),
}
traces["large"] = lambda: (         # with the name of domain 1, 210 MB
    window(0, struct.pack("<I7I", 7 << 28 | 0x1f08c, 1 << 24 | 1,
                          *struct.unpack("<6I", b"web1".ljust(24, b"\0")))) +
    first + window(0, struct.pack("<I7I", 7 << 28 | 0x82000, *range(7)) *
                   2048) * 3200)
sys.stdout.buffer.write(traces[sys.argv[1]]())
END

# bounded OPTION...: in 300 MB, from standard input or a file
bounded()
{
    (ulimit -d 300000; exec "$xenalyze" "$@") >out 2>err
    code=$?
    if grep -i 'memory' err; then fail "$*: out of memory"; fi
}

outputs='--summary --report-latency --report-exits --why --json --dump-all --info
         --count --plot=p.svg'
for name in windows vcpus exits domains pcpus; do
    python3 generate.py $name >trace || exit 99
    for output in $outputs; do
        bounded "$output" trace
        # Most of these traces lack the events of some reports.
        grep -q 'has no .*; capture with xentrace -e' err && continue
        [ $code -eq 0 ] || fail "$name: $output: exit $code"
        rm -f p.svg
    done
    rm trace
done

# As many domains as there are, each with exits.
python3 generate.py guests >trace || exit 99
for output in --summary --report-exits --json; do
    bounded $output --threads 1 trace
    [ $code -eq 0 ] || fail "guests: $output: exit $code"
done

# A comparison has hash tables with a key for each domain.
bounded compare trace trace
[ $code -eq 0 ] || fail "guests: compare: exit $code"

# More reasons of exits than one vendor has: 2 exits each.
python3 generate.py reasons >trace || exit 99
bounded --report-exits --vendor intel trace
[ $code -eq 0 ] || fail "reasons: exit $code"
awk '/^--- VM exits by handler/ { exit }
     /^ d1 / && $3 == 2 { twice++ }
     END { exit twice < 300 }' out || fail "reasons: $(head -n 20 out)"

# The pages of a file with metadata are released, too.
python3 generate.py large >trace
cat >resident.py <<'END'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(code)
END
for output in --summary --info; do
    resident=$(python3 resident.py "$xenalyze" $output --threads 1 trace) ||
        fail "large: $output: exit $?"
    [ "$resident" -lt 100 ] || fail "large: $output: $resident MiB resident"
done
rm trace

# The bound is reported.
python3 generate.py vcpus >trace
bounded --summary trace
grep -q 'records of more vcpus than are kept' out ||
    fail "vcpus: the summary does not report the bound"
bounded --report-latency trace
grep -q 'more than 65536 vcpus: [1-9]' err || fail "vcpus: no warning"

# The records of these vcpus are counted once, even if the proof of the vendor
# comes last and a stream is read again.
python3 generate.py amd >trace
bounded --report-exits --vendor=amd trace
number=$(sed -n 's/.*more than 65536 vcpus: \([0-9]*\) .*/\1/p' err)
cat trace | { bounded --report-exits; } || exit 1
grep -q "more than 65536 vcpus: ${number:-none} " err ||
    fail "amd: not $number records in a stream: $(cat err)"
rm trace

# Zeros: more than the limit, a gigabyte with CHECK_FULL.
bytes=400000000
[ -z "${CHECK_FULL-}" ] || bytes=1000000000
for output in --summary --dump-all --info --count; do
    head -c $bytes /dev/zero | {
        bounded "$output"
        [ ! -s err ] || expect_message 'standard input'
        [ $code -le 1 ] || fail "zeros: $output: exit $code"
    } || exit 1
    resident=$(head -c $bytes /dev/zero |
        python3 resident.py "$xenalyze" $output --threads 1 2>err)
    [ "$resident" -lt 100 ] || fail "zeros: $output: $resident MiB resident"
done
