#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The states of each pcpu add up to the length of the trace, contain what the
# ground truth has, and are the same in over, pcpus and the overview.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py: the reports of `trace`, and its truth
cat >judge.py <<'END'
import json, re

IDLE = 32767
STATES = "running", "idle", "lost", "unknown"
report = json.load(open("pcpus.json"))
begin, length = (report["trace"][k] for k in ("start_tsc", "length_cycles"))
end = begin + length
pcpus = {r["pcpu"]: [r[s + "_time_cycles"] for s in STATES]
         for r in report["tables"]["pcpus"]}
rows = json.load(open("info.json"))["tables"]["file_pcpus"]
span = {r["pcpu"]: (r["first_tsc"], r["last_tsc"]) for r in rows}
true = {p: [0, 0] for p in pcpus}
hotplug, was_early = False, 0
for line in open("truth"):
    r = json.loads(line)
    hotplug |= r["what"] == "cpu"
    if r["what"] in ("runstate", "still") and r["state"] == "running" and \
            r["cpu"] in true:
        to, at = min(r.get("to", end), end), max(r["from"], begin)
        true[r["cpu"]][r["dom"] == IDLE] += max(0, to - at)

total = [0] * len(STATES)
for p, times in pcpus.items():
    assert sum(times) == length, (p, times, length)
    total = [a + b for a, b in zip(total, times)]
    for got, want in zip(times, true[p]):
        # In the truth, an idle vcpu of an offline pcpu runs.
        assert got <= want, (p, times, true[p])
        assert hotplug or want <= got + times[3], (p, times, true[p])
    if not hotplug and times[0] + times[1]:
        # Before the first record the state is known; it is not after the last,
        # and for the moments of a switch from one vcpu to the next.
        late = times[3] - (end - span[p][1])
        assert 0 <= late <= length // 1000, (p, times, late)
        was_early += span[p][0] > begin + length // 500
assert not total[2], total
share = [t / length for t in total]

def near(got, want, digit):
    assert abs(got - want) <= digit, (got, want, share)

text = open("over.txt").read().replace("%", "").splitlines()
names, cells = text[-2].split(), [float(x) / 100 for x in text[-1].split()]
near(cells[names.index("idle")], share[1], 0.0003)
near(sum(c for n, c in zip(names, cells) if n not in ("time", "idle", "lost")),
     share[0], 0.001)
row = open("pcpus.txt").read().splitlines()[-1].split()
for got, want in zip(row[1:5], share):
    near(float(got) * len(pcpus) / 100, want, 0.0001 * len(pcpus))
rows = re.findall(r"^ ([\w-]+) +(?:\d+ )? *(\d+\.\d\d)(?: .*)?$",
                  open("overview.txt").read().split("\n\n")[1], re.M)
busy = dict((n, float(v)) for n, v in rows)
near(busy.pop("idle"), share[1], 0.0051)
near(busy.pop("unknown", 0), share[3], 0.0061)
near(sum(busy.values()), share[0], 0.005 * len(busy) + 0.001)
print("early", was_early)
END

# agree OPTION...: the reports of the trace, or of a part of it
agree() {
    expect 0 "$xenalyze" pcpus --json "$@" trace
    mv out pcpus.json
    expect 0 "$xenalyze" pcpus "$@" trace
    mv out pcpus.txt
    expect 0 "$xenalyze" over run -i 100s "$@" trace
    mv out over.txt
    expect 0 "$xenalyze" --report-overview "$@" trace
    mv out overview.txt
    python3 judge.py >early || fail "$what: $(cat pcpus.txt over.txt overview.txt)"
}

nr=0
while read -r what; do
    # shellcheck disable=SC2086 # options are words
    expect 0 "$xensim" --virtual --boot tbuf_size=64 --domains 1 --vcpus 1 \
        --truth truth -o trace $what
    expect 0 "$xenalyze" info --json trace
    mv out info.json
    agree
    grep -q ' 0$' early || nr=$((nr + 1))
    agree --threads 1
done <<'END'
--cpus 4 --load io -T 0.2
--cpus 16 --load periodic -T 0.1
--cpus 16 --load io -T 0.1 --no-cstates
--cpus 4 --load mix -T 0.4 --hotplug 60ms --seed 2
--cpus 8 --online 3 --load mix -T 0.4 --hotplug 60ms --seed 2
END
[ "$nr" -ge 3 ] || fail "only $nr traces have a pcpu with a late first record"

# Lost records, at the end as well: the sum remains, and so do parts.
expect 0 "$xensim" --virtual --cpus 4 --boot tbuf_size=1 --rate 200k \
    --drain 50ms -T 0.2 -o lossy
for span in 0..1 0.01..0.04 0..1ms; do
    expect 0 "$xenalyze" pcpus --json --time "$span" lossy
    python3 - out <<'END' || fail "$span: no sum"
import json, sys
r = json.load(open(sys.argv[1]))
for p in r["tables"]["pcpus"]:
    times = [p[s + "_time_cycles"]
             for s in ("running", "idle", "lost", "unknown")]
    assert sum(times) == r["trace"]["length_cycles"], (p, times)
END
done

# The first record of pcpu 1 names the idle vcpu, which ran before, too; also if
# the record comes behind the selected time.
compose late <<'END'
0 1000000 0x21101 0x10000
1 5000000 0x21011 0x7fff0001
1 - 0x21101 0x20000
0 9000000 0x21011 0x10000
1 9000000 0x21011 0x20000
END
# idle_of OPTION...: the share of pcpu 1
idle_of() {
    expect 0 "$xenalyze" pcpus --cpu-hz 1G "$@" late
    awk '$1 == 1 { print $3 }' out
}
[ "$(idle_of)" = 50.00 ] || fail "$(cat out)"
[ "$(idle_of --time 0..2ms)" = 100.00 ] || fail "early: $(cat out)"
[ "$(idle_of --time 2ms..6ms)" = 50.00 ] || fail "both: $(cat out)"
[ "$(idle_of --time 5ms..6ms)" = 0.00 ] || fail "behind: $(cat out)"

# A comparison counts that time, too.
expect 0 "$xenalyze" compare --all-rows --cpu-hz 1G late late
grep -q '^ all pcpus  *busy  *150\.0 % ' out || fail "compare: $(cat out)"

# A domain has no part in the times of pcpus.
for option in --domain=1 --vcpu=d1v0; do
    expect 2 "$xenalyze" pcpus $option late
    [ "$(wc -l <err)" = 1 ] || fail "$option: more than a line: $(cat err)"
    expect_message "needs all domains and vcpus"
done
# The lines of stock omit that time.
expect 0 "$xenalyze" --report-pcpu --cpu-hz 1G late
! grep -A2 '^pcpu 1' out | grep 'idle.*0\.004' || fail "stock: $(cat out)"
