#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --why judges parts of a trace, too: a load of any length and at any place, in
# traces from milliseconds to hours; and prints that nothing is wrong where no
# part has a problem.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# played DURATION SEED: the trace `played` of the scenario on standard input
played() {
    cat >scenario
    expect 0 "$xensim" --virtual -f scenario -T "$1" --seed "$2" -o played
}

# host DUTY [KEY]...: web1 with this duty, beside batch if there are keys
host() {
    cat <<END
cpus = 4
[domain Domain-0]
vcpus = 2
pin = 2-3
[domain web1]
kind = pvh
vcpus = 2
load = periodic
period = 5ms
duty = $1
pin = 0-1
END
    shift
    [ $# -eq 0 ] || printf '[domain batch]\nkind = hvm\nvcpus = 4\nload = busy
pin = 0-1\n'
    for key; do
        echo "$key"
    done
}

# blames TEXT: the headline has it; at most 20 lines of 80 columns
blames() {
    head -n 1 out | grep -q -e "$1" || fail "not $1: $(cat out)"
    [ "$(wc -l <out)" -le 20 ] || fail "more than 20 lines"
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"
}

# part: the range of the worst part, and its share of the trace
part() {
    sed -n 's/^ Worst in .*, \([0-9.]*\)% of its time: --time \(.*\)$/\2 \1/p' out
}

# within FROM TO: the part begins and ends as the load, up to 50 ms
within() {
    part | awk -v from="$1" -v to="$2" '{
        split($1, at, "[.][.]")
        found = at[1] > from - 0.05 && at[1] < from + 0.05 &&
                at[2] > to - 0.05 && at[2] < to + 0.05
    } END { exit !found }' || fail "the part is not $1..$2: $(cat out)"
}

# --- waits for a pcpu --------------------------------------------------------

while read -r duty from to seed; do
    host "$duty" "start = ${from}s" "end = ${to}s" | played 20s "$seed"
    expect 0 "$xenalyze" why web1 played
    blames '^web1/[01] .*: batch\.$'
    within "$from" "$to"
    # The range is ready to paste.
    expect 0 "$xenalyze" why web1 --time "$(part | cut -d ' ' -f 1)" played
    blames '^web1/[01] .*: batch\.$'
done <<'END'
5 7 8 11
20 0 1 12
40 13.3 14.3 13
60 19 20 14
80 4.95 5.15 15
95 3 3.08 16
40 2 4 17
END

# The same guests without a load.
for duty in 5 40 95; do
    host $duty | played 20s $duty
    expect 0 "$xenalyze" why web1 played
    blames '^Nothing is wrong'
    expect 0 "$xenalyze" why played
    blames '^Nothing is wrong'
done

# A load of 2 ms is no problem, but there is a range to look at.
host 40 'start = 5s' 'end = 5.002s' | played 10s 18
expect 0 "$xenalyze" why web1 played
blames '^Nothing is wrong'
grep -q '^ Worst part: waited [0-9.]* [mu]s of .* --time \(4\.99\|5\.00\)' out ||
    fail "nothing to look at: $(cat out)"

# guest LINES: an awk program with the functions calm() and load() about d1v0,
# which shares pcpu 0 with d9v0; times in ms
guest() {
    awk 'function us(n) { return sprintf("%.0f", 1000 * n) }
    function calm(from, to, step) {
        for ( t = from; t < to; t += step ) {
            print 0, us(1000 * t), "0x21311 0x10000"
            print 0, us(1000 * t + 1), "0x21021 0x7fff0000"
            print 0, "- 0x21101 0x10000"
            print 0, us(1000 * t + 500), "0x21021 0x10000"
            print 0, "- 0x21101 0x7fff0000"
        }
    }
    function load(from, to) {
        for ( t = from; t < to; t += 10 ) {
            print 0, us(1000 * t), "0x21021 0x7fff0000"
            print 0, "- 0x21101 0x90000"
            print 0, us(1000 * t + 1000), "0x21311 0x10000"
            print 0, us(1000 * t + 7000), "0x21011 0x90000"
            print 0, "- 0x21101 0x10000"
            print 0, us(1000 * t + 9000), "0x21021 0x10000"
            print 0, "- 0x21101 0x7fff0000"
        }
    }
    BEGIN { print "0 500000 0x21101 0x7fff0000"; '"$1"' }' | compose composed
    expect 0 "$xenalyze" --cpu-hz 1G why d1 composed
}

# 300 ms of ten hours; the same 300 ms of a second.
guest 'calm(1, 1000, 100); load(1000, 1300); calm(1300, 36000000, 1000)'
blames '^d1v0 has a noisy neighbour: d9\.$'
within 1.000 1.297
part | grep -q ' 0\.001$' || fail "not 0.001 %: $(cat out)"
guest 'calm(1, 35999000, 1000); load(36000000, 36000300)'
blames '^d1v0 has a noisy neighbour: d9\.$'
within 36000 36000.297
guest 'calm(1, 300, 10); load(300, 600); calm(600, 1000, 10)'
blames '^d1v0 has a noisy neighbour: d9\.$'
# In ten milliseconds, a single wait is a large part.
guest 'calm(1, 3, 1); load(3, 4)'
blames '^d1v0 has a noisy neighbour: d9\.$'
# A load until the very end, or from the very begin.
guest 'calm(1, 20000, 100); load(20000, 20100)'
blames '^d1v0 has a noisy neighbour: d9\.$'
guest 'load(1, 101); calm(101, 20000, 100)'
blames '^d1v0 has a noisy neighbour: d9\.$'

# Two loads far apart are two parts; the longer one is the worst.
guest 'calm(1, 5000, 100); load(5000, 5400); calm(5400, 15000, 100)
       load(15000, 15600); calm(15600, 120000, 100)'
blames '^d1v0 has a noisy neighbour: d9\.$'
within 15 15.597
grep -q '; 2 such parts, 99[0-9]\.[0-9] ms$' out || fail "not two: $(cat out)"
expect 0 "$xenalyze" --cpu-hz 1G why --json d1 composed
cp out json
expect 0 "$xenalyze" --cpu-hz 1G why --json --threads 1 d1 composed
cmp -s out json || fail 'threads change the report'
if command -v python3 >/dev/null; then
    python3 - json <<'END' || fail 'the tables are wrong'
import json, sys
t = json.load(open(sys.argv[1]))["tables"]
[v] = [r for r in t["why_vcpus"] if r["domain"] == 1]
assert (v["verdict"], v["extent"]) == ("noisy-neighbour", "stretch"), v
[s] = t["why_stretches"]
assert (s["loss"], s["hurts"], s["stretches"]) == ("waits", "yes", 2), s
# The wait of the first period after a load may be a part of the load.
assert 0 <= s["lost_cycles"] - 60 * 6000000 <= 1000, s
assert 0 <= s["total_lost_cycles"] - 100 * 6000000 <= 2000, s
assert s["to_tsc"] - s["from_tsc"] == 596000000, s
END
fi

# --- I/O ---------------------------------------------------------------------

# web1 waits for dom0: always, and in half of a second.
for keys in '' 'start = 6s
end = 6.5s'; do
    played 12s 21 <<END
cpus = 3
rate = 10k
[domain Domain-0]
vcpus = 1
pin = 0
[domain web1]
kind = pv
vcpus = 2
load = io
pin = 1-2
[domain batch]
kind = pvh
vcpus = 2
load = busy
pin = 0
$keys
END
    expect 0 "$xenalyze" why web1 played
    blames '^web1/[01] waits for I/O; its backend waits for a pcpu: Domain-0\.$'
    [ -z "$keys" ] || within 6 6.5
    for text in '% of its blocked time; ' 'the backend waits ' 'batch, '; do
        grep -q "$text" out || fail "no $text: $(cat out)"
    done
done
for seed in 22 23; do
    expect 0 "$xensim" --virtual -T 2 --seed $seed -o disk \
        --scenario "$top_srcdir/xensim/scenarios/slow-disk.scenario"
    expect 0 "$xenalyze" why disk
    blames '^Domain-0/0 waits behind others'
    expect 0 "$xenalyze" why web1 disk
    blames ': Domain-0\.$'
done

# The same guest beside a dom0 that runs at once.
sed '/^\[domain batch\]/,$d' "$top_srcdir/xensim/scenarios/slow-disk.scenario" |
    played 5s 24
expect 0 "$xenalyze" why web1 played
blames '^Nothing is wrong'

# The backend waits for 200 ms, and a timer wakes the guest meanwhile, however
# often: all of the time in which d1v0 is blocked is for I/O.
woken_meanwhile() {
    awk -v n="$1" "$awk_line"'
    function run(t) {
        line(1, t, "0x21011 0x7fff0001")
        line(1, t, "0x21101 0x10000")
    }
    function block(t) {
        line(1, t, "0x21021 0x10000")
        line(1, t, "0x21101 0x7fff0001")
    }
    BEGIN {
        line(0, 1000000, "0x21101 0x20000")
        line(1, 1000000, "0x21101 0x10000")
        for ( x = 2000000; trips++ < 10; x = y + 10000 )
        {
            line(1, x, "0x20100d 32")
            line(1, x, "0x21211 0x0")
            block(x + 1000)
            y = x + 200000000
            for ( k = 1; k <= n; k++ )
            {
                t = x + 1000 + k * 199000000 / (n + 1)
                line(1, t, "0x21211 0x10000")
                run(t + 10)
                block(t + 3000)
            }
            line(0, y, "0x21011 0x20000")
            line(0, y, "0x21101 0x0")
            line(0, y + 1000, "0x10f001 1")
            line(0, y + 2000, "0x10f002 1")
            line(0, y + 3000, "0x20100d 32")
            line(0, y + 3000, "0x21211 0x10000")
            run(y + 4000)
            line(0, y + 5000, "0x21021 0x0")
            line(0, y + 5000, "0x21101 0x20000")
        }
    }' | compose woken
}
for wakes in 5 250 4000; do
    woken_meanwhile $wakes
    expect 0 "$xenalyze" --cpu-hz 1G why d1v0 woken
    blames '^d1v0 waits for I/O; its backend waits for a pcpu: d0\.$'
    grep -Eq '^ *(99\.[0-9]|100\.0)% of its blocked time; 10 round trips' out ||
        fail "$wakes wake-ups: $(cat out)"
done

# --- emulated devices --------------------------------------------------------

# accesses FROM TO: d1v0 accesses a disk each millisecond from ms FROM to TO
accesses() {
    awk -v from="$1" -v to="$2" 'function ns(n) { return sprintf("%.0f", n) }
    BEGIN {
        print "1 900000 0x21101 0x10000"
        for ( i = 1; i <= 20000; i++ )
        {
            t = 1000000 * i
            if ( i < from || i >= to )
            {
                if ( i % 50 == 0 )
                {
                    print 1, ns(t), "0x81002 12 0x1000"
                    print 1, ns(t + 2000), "0x81001"
                }
                continue
            }
            print 1, ns(t), "0x81002 30 0x1000"
            print 1, "- 0x82216 0x1f7 0"
            print 1, ns(t + 700000), "0x81001"
        }
    }' | compose accesses
    expect 0 "$xenalyze" --cpu-hz 1G why d1v0 accesses
}
accesses 8000 8200
blames '^d1v0 waits for emulated devices: ide 0x1f0\.$'
within 8 8.2
accesses 8000 8010
blames '^Nothing is wrong'

# The causes of five spans add up to those of the whole: the rate limit of a run
# that began before a span goes on in it.
expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 0.6 -o spans \
    -f "$top_srcdir/xensim/scenarios/slow-disk.scenario"
expect 0 "$xenalyze" --why --json spans
mv out whole
for span in 0..0.12 0.12..0.24 0.24..0.36 0.36..0.48 0.48..; do
    expect 0 "$xenalyze" --why --json --time "$span" spans
    mv out "part.$span"
done
python3 - whole part.* <<'END' || fail 'the causes of spans do not add up'
import json, sys
sums = {}
for i, name in enumerate(sys.argv[1:]):
    for r in json.load(open(name))["tables"]["why_causes"]:
        if r["cause"] in ("rival", "ratelimit", "sibling"):
            key = r["domain"], r["vcpu"], r["cause"]
            sums[key] = sums.get(key, 0) + r["waited_cycles"] * (-1 if i else 1)
assert sums and all(abs(n) <= 20000 for n in sums.values()), sums
END
