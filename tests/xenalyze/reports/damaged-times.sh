#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged time stamps.  Bytes of a trace are overwritten, cut off, repeated,
# missing or swapped: no report believes in a trace that is much longer than the
# sound one or of two boots, all reports agree with info, also on the number of
# damaged places, and exit codes are 0 or 1.  But a long silence is no damage.
#
#   SEED=N selects other places; ROUNDS=N sets their number: 3 with CHECK_FULL.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"
command -v python3 >/dev/null || skip "there is no python3"

play small -T 300ms --cpus 3 --rate 10k --cstates
play lone -T 300ms --cpus 1

cat >damage.py <<'END'
import random, sys

kind, seed, source, output = sys.argv[1:]
data = bytearray(open(source, "rb").read())
choose = random.Random(kind + seed)
size = choose.choice((1, 8, 40)) if kind == "bytes" else choose.randrange(4000)
at = choose.randrange(len(data) - size)
to = choose.randrange(len(data) - size)
if kind == "bytes":
    data[at:at + size] = bytes(choose.randrange(256) for i in range(size))
elif kind == "begin":
    at %= 4000
    data[at:at + 40] = bytes(choose.randrange(256) for i in range(40))
elif kind == "end":
    at = len(data) - 40 - at % 2000
    data[at:at + 40] = bytes(choose.randrange(256) for i in range(40))
elif kind == "zeroes":
    data[at:at + size] = bytes(size)
elif kind == "ones":
    data[at:at + size] = b"\xff" * size
elif kind == "missing":
    del data[at:at + 8192]
elif kind == "cut":
    del data[at:]
elif kind == "repeat":
    data[at:at] = data[at:at + size]
elif kind == "block":
    size = 65536
    at %= len(data) - size
    data[to:to] = data[at:at + size]
elif kind == "swap" and abs(at - to) >= size:
    data[at:at + size], data[to:to + size] = \
        data[to:to + size], data[at:at + size]
open(output, "wb").write(data)
END

cat >check.py <<'END'
import json, re, sys

def text(name):
    return open(name, errors="replace").read()

longest = 1.1 * float(sys.argv[1])
pcpus = int(sys.argv[2])
kind = sys.argv[3]
trace = json.loads(text("out.json"))["trace"]
length = trace["length_ns"] / 1e9
info = float(re.search(r"^  time: +([\d.]+) s", text("out.info"), re.M)[1])
rows = re.findall(r"^ *(?:all|0) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +(\S+)",
                  text("out.pcpus"), re.M)
times = re.findall(r"^ (\d+\.\d+) ", text("out.over") + text("out.waits"), re.M)
units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
waits = re.findall(r"^ Of ([\d.]+) (\w+):", text("out.why"), re.M)
assert length <= longest, f"JSON: {length} s"
assert info <= longest, f"info: {info} s"
assert trace["segments"] == 1 or kind not in ("repeat", "block", "swap"), \
    "another boot"
assert trace["segments"] > 1 or abs(length - info) <= 0.01 * longest, \
    f"JSON has {length} s, info {info} s"
places = {"JSON": trace["damaged_places"]}
for name, pattern in (("out.info", r"^damage: (\d+) place"),
                      ("out.overview", r"damaged places: (\d+)"),
                      ("err.why", r"damaged .places: (\d+)")):
    found = re.search(pattern, text(name), re.M)
    places[name] = int(found[1]) if found else 0
assert len(set(places.values())) == 1, f"damaged places: {places}"
assert rows, "pcpus has no row"
for row in rows:
    number, unit = re.fullmatch(r"([\d.]+)(ns|us|ms|s)", row).groups()
    assert float(number) * units[unit] <= longest * pcpus, f"pcpus: {row}"
assert all(float(t) <= longest for t in times), f"over: {times[-1]}"
assert "Of " not in text("out.why") or waits, text("out.why")
for number, unit in waits:
    assert float(number) * units[unit] <= 2 * longest, f"why: {number} {unit}"
END

# length FILE: seconds between the first and the last record
length() {
    "$xenalyze" info "$1" 2>err | sed -n 's/^  time: *\([0-9.]*\) s.*/\1/p'
}

# report OUTPUT WORD...: exit codes are 0 and 1
report() {
    output=$1
    shift
    "$xenalyze" "$@" >"$output" 2>err </dev/null
    code=$?
    [ $code -le 1 ] || fail "$kind $seed, $*: exit status $code"
}

check_reports() {
    report out.json summary --json bad
    report out.info info bad
    report out.pcpus pcpus bad
    report out.over over run bad
    report out.waits over wait bad
    report out.why why bad
    mv err err.why
    report out.overview --report-overview bad
    report out.io io bad
    report out.compare compare "$1" bad
    report out.svg plot bad -o picture.svg
    "$python" check.py "$(length "$1")" "$2" "$kind" >out 2>&1 ||
        fail "$kind $seed of $1"
}

python=python3
first=${SEED-1}
rounds=${ROUNDS-1}
[ -z "${CHECK_FULL-}" ] || rounds=${ROUNDS-3}
last=$((first + rounds - 1))
for kind in bytes begin end zeroes ones missing cut repeat block swap; do
    for seed in $(seq "$first" "$last"); do
        "$python" damage.py $kind "$seed" small bad
        check_reports small 3
    done
done
kind=end
for seed in $(seq "$first" "$last"); do
    "$python" damage.py $kind "$seed" lone bad
    check_reports lone 1
done

# --- silence -----------------------------------------------------------------

hours=72000000000000            # 5 hours of 4 GHz
days=2000000000000000           # 138 hours

# burst PCPU FROM: runstate changes every 1000 cycles
burst() {
    awk -v cpu="$1" -v from="$2" 'BEGIN {
        for ( i = 0; i < 20; i++ )
            printf "%d %.0f %s 0x1000%d\n", cpu, from + 1000 * i,
                   i % 2 ? "0x21011" : "0x21101", cpu
    }'
}

# expect_length CYCLES: of the trace `gap`, without damage, in all reports
expect_length() {
    for how in summary why; do
        expect 0 "$xenalyze" $how --json gap
        [ -s err ] && fail "a warning about a sound trace"
        got=$(sed -n 's/^"trace":.*"length_cycles":\([0-9]*\).*/\1/p' out)
        [ "$got" = "$1" ] || fail "$got cycles, not $1"
    done
    expect 0 "$xenalyze" info gap
    grep -q '^damage: [^n]' out && fail "info finds damage"
    expect 0 "$xenalyze" --info gap
    grep -q "^  time: *$1 cycles" out || fail "info: not $1 cycles"
}

# all pcpus are silent
{
    burst 0 1000000
    burst 1 1000500
    burst 0 $hours
    burst 1 $hours
} | compose gap
expect_length $((hours + 19000 - 1000000))

# the only pcpu is silent, and has one more record
{
    burst 0 1000000
    echo "0 $hours 0x21101 0x10000"
} | compose gap
expect_length $((hours - 1000000))

# one pcpu is silent while another is not, and is not heard again; or is
{
    burst 1 1000000
    for i in 1 2 3 4 5; do burst 0 $((i * hours / 5)); done
} | compose gap
expect_length $((hours + 19000 - 1000000))
{
    burst 1 1000000
    for i in 1 2 3 4 5; do burst 0 $((i * hours / 5)); done
    echo "1 $((hours + 20000)) 0x21101 0x10001"
} | compose gap
expect_length $((hours + 20000 - 1000000))

# the host is suspended for days: all pcpus jump, with few records each
{
    burst 0 1000000
    burst 1 1000500
    echo "0 $days 0x21101 0x10000"
    echo "1 $((days + 10)) 0x21101 0x10001"
} | compose gap
expect_length $((days + 10 - 1000000))

# the only pcpu jumps, with many records
{
    burst 0 1000000
    burst 0 $days
} | compose gap
expect_length $((days + 19000 - 1000000))

# rare events: each step is longer than a day, but no longer than the trace
for i in 0 1 2 3; do echo "0 $((days + i * days)) 0x21101 0x10000"; done |
    compose gap
expect_length $((3 * days))

# --- a jump of a single record is damage -------------------------------------

# expect_damage CYCLES: the trace `gap` has this length, and damage
expect_damage() {
    expect 0 "$xenalyze" summary --json gap
    got=$(sed -n 's/^"trace":.*"length_cycles":\([0-9]*\).*/\1/p' out)
    [ "$got" = "$1" ] || fail "$got cycles, not $1"
    grep -q '^"trace":.*"backward_windows":[1-9]' out || fail "no damage"
    expect 0 "$xenalyze" --info gap
    grep -q 'time goes backwards' out || fail "info finds no damage"
    grep -q "^  time: *$1 cycles" out || fail "info: not $1 cycles"
    expect 0 "$xenalyze" count gap
    expect_message "time goes backwards"
    expect 0 "$xenalyze" io gap
}

# the last record of one of two pcpus, or the first
{
    burst 0 1000000
    burst 1 1000500
    echo "1 $days 0x21101 0x10001"
} | compose gap
expect_damage 19500
{
    echo "1 $days 0x21101 0x10001"
    burst 1 1000500
    burst 0 1000000
} | compose gap
expect_damage 19500

# two records in the middle
{
    burst 0 1000000
    echo "0 $days 0x21101 0x10000"
    echo "0 $((days + 100)) 0x21011 0x10000"
    burst 0 1030000
    burst 1 1000500
} | compose gap
expect_damage 49000

# one before a damaged record, even if the jump is shorter than a day
{
    burst 0 1000000
    burst 1 1000500
    echo "1 $hours 0x21101 0x10001"
    echo "1 $((hours + 100)) 0x21101 0x10001"
} | compose gap
bytes=$(wc -c <gap)
{
    head -c $((bytes - 16)) gap
    head -c 16 /dev/zero
} >out
mv out gap
expect 0 "$xenalyze" summary --json gap
grep -q '^"trace":.*"length_cycles":19500,' out || fail "summary: not 19500"
expect 0 "$xenalyze" --info gap
grep -q 'time goes backwards' out || fail "info finds no damage"
grep -q "^  time: *19500 cycles" out || fail "info: not 19500 cycles"
