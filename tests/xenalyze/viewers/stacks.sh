#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Flame graphs of VM exits, for speedscope and as collapsed stacks: both have the
# same stacks, and the sums of their weights equal the numbers of --json.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

cat >read-stacks.py <<'END'
import collections, json, sys

OFF = "off the pcpu"
stacks = {}
for line in open(sys.argv[1], encoding="utf-8"):
    frames, weight = line.rstrip("\n").rsplit(" ", 1)
    frames = tuple(frames.split(";"))
    assert frames not in stacks and all(frames) and int(weight) > 0
    stacks[frames] = int(weight)

document = json.load(open(sys.argv[2], encoding="utf-8"))
names = [f["name"] for f in document["shared"]["frames"]]
assert len(set(names)) == len(names)
assert document["$schema"].endswith("file-format-schema.json")
assert set(document) == {"$schema", "exporter", "name", "activeProfileIndex",
                         "shared", "profiles"}
same = {}
for p in document["profiles"]:
    assert p["type"] == "sampled" and p["unit"] == "nanoseconds"
    assert len(p["samples"]) == len(p["weights"])
    assert p["endValue"] == sum(p["weights"]) and p["startValue"] == 0
    for sample, weight in zip(p["samples"], p["weights"]):
        frames = tuple(names[i] for i in sample)
        assert frames[0] == p["name"] and frames not in same
        same[frames] = weight
assert same == stacks

total, off, rows = (collections.Counter() for _ in range(3))
for (domain, vcpu, reason, *rest), weight in stacks.items():
    total[vcpu, reason] += weight
    off[vcpu, reason] += weight if OFF in rest else 0
    rows[vcpu, reason] += 1
exits = json.load(open(sys.argv[3], encoding="utf-8"))["tables"]["exits"]
for r in exits:
    name = r.get("domain_name")
    key = ("%s/%d" if name else "d%sv%d") % (name or r["domain"], r["vcpu"]), \
        r["reason"]
    assert abs(total[key] - r["total_ns"]) <= rows[key] + 1, (key, r)
    assert abs(off[key] - r.get("off_cpu_ns", 0)) <= rows[key] + 1, (key, r)
    del total[key]
assert not total and exits, total
print(len(stacks), "stacks")
END

for trace in mix lossy amd; do
    expect 0 "$xenalyze" --export collapsed:whole.txt \
        --export speedscope:whole.speedscope --json "$trace"
    mv out whole.json
    expect 0 python3 read-stacks.py whole.txt whole.speedscope whole.json
done
[ -x "$(command -v flamegraph.pl)" ] &&
    { flamegraph.pl whole.txt >whole.svg || fail 'flamegraph.pl'; }

# The threads share the work, and change nothing.
for threads in 1 2; do
    expect 0 "$xenalyze" export collapsed --threads $threads mix \
        -o "$threads.txt"
done
cmp 1.txt 2.txt || fail 'threads change the stacks'

expect 0 "$xenalyze" export collapsed --vcpu d2v1 mix
grep -q '^pvh2;pvh2/1;' out || fail "$(cat out)"
grep -qv '^pvh2;pvh2/1;' out && fail "other vcpus: $(cat out)"

# A hostile name is text.
expect 0 "$xenalyze" export speedscope "$hostile"
mv out whole.speedscope
grep -q '<script' whole.speedscope && fail 'a script tag'
expect 0 python3 -m json.tool whole.speedscope
