#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One flipped bit in a record of the scheduler makes no vcpu up: a pcpu runs one
# vcpu at a time, a vcpu that is not in the trace has no state, and the states
# of the others are those of the undamaged trace, or unknown.  Nor does it make
# the clocks of pcpus differ.
#
#   SEED=N selects other bits; ROUNDS=N sets their number.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

command -v python3 >/dev/null || skip "python3 is not installed"

# flip.py FACTS XENALYZE SEED ROUNDS: flip bits of `whole`, and compare the states
cat >flip.py <<'END_OF_SCRIPT'
import collections
import random
import struct
import subprocess
import sys

MS = 2400000                    # cycles
WHO_RUNS = 0x21001, 0x21002, 0x28004, 0x2800a
STATES = 0x330                  # bits of a runstate change

facts, xenalyze = sys.argv[1:3]
seed, rounds = int(sys.argv[3]), int(sys.argv[4])
data = open("whole", "rb").read()


def sched_records():
    at = 0
    while at < len(data):
        end = at + 12 + struct.unpack_from("<I", data, at + 8)[0]
        at += 12
        while at < end:
            head = struct.unpack_from("<I", data, at)[0]
            size = 4 + (head >> 31) * 8 + (head >> 28 & 7) * 4
            if head >> 31 and head & 0xfffffff & ~STATES in WHO_RUNS:
                yield at, size
            at += size


# vcpu: list of (state, from, to, pcpu)
def list_states(trace):
    out = subprocess.run([facts, "list", trace], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    states = collections.defaultdict(list)
    for line in out.replace("no data", "lost").splitlines():
        if line.startswith("runstate "):
            _, vcpu, state, begin, end, pcpu = line.split()[:6]
            states[vcpu].append((state, int(begin), int(end), int(pcpu)))
    return states


# cycles in which two vcpus run on one pcpu
def measure_overlap(states):
    runs, overlap, last = [], 0, collections.defaultdict(int)
    for of_vcpu in states.values():
        runs += [(s[3], s[1], s[2]) for s in of_vcpu if s[0] == "running"]
    for pcpu, begin, end in sorted(runs):
        overlap += max(0, min(end, last[pcpu]) - begin)
        last[pcpu] = max(end, last[pcpu])
    return overlap


# cycles in which a known state is another one than in the undamaged trace
def measure_wrong(true, listed):
    wrong = i = 0
    for state, begin, end, _ in listed:
        while true[i][2] <= begin and i + 1 < len(true):
            i += 1
        k = i
        while k < len(true) and true[k][1] < end:
            if state not in ("lost", true[k][0]):
                wrong += min(end, true[k][2]) - max(begin, true[k][1])
            k += 1
    return wrong


def check(what, true, listed):
    overlap = measure_overlap(listed)
    if overlap > MS / 50:
        yield "%s: %d cycles of two vcpus on one pcpu" % (what, overlap)
    for vcpu, states in listed.items():
        known = sum(s[2] - s[1] for s in states if s[0] != "lost")
        if vcpu not in true and known > MS:
            yield "%s: %s, which is made up, for %d cycles" % (what, vcpu,
                                                              known)
        wrong = measure_wrong(true[vcpu], states) if vcpu in true else 0
        if wrong > 5 * MS:
            yield "%s: %s has wrong states for %d cycles" % (what, vcpu, wrong)


def blames_clocks(trace):
    out = subprocess.run([xenalyze, "latency", trace], check=True,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    return b"clocks of pcpus" in out


def flip(at, bit):
    flipped = bytearray(data)
    flipped[at + bit // 8] ^= 1 << bit % 8
    open("trace", "wb").write(flipped)


random.seed(seed)
records = list(sched_records())
records = records[len(records) // 10:-len(records) // 10]
true = list_states("whole")
bad = []
for at, size in random.sample(records, rounds):
    # the time stamp has half of the bits, and says nothing on vcpus
    bit = random.choice([random.randrange(32), random.randrange(32, 96)] +
                        [random.randrange(96, 8 * size) for _ in range(3)])
    flip(at, bit)
    what = "%d.%d" % (at, bit)
    bad += check(what, true, list_states("trace"))
    if blames_clocks("trace"):
        bad.append(what + ": clocks differ")
print("\n".join(bad[:5]) if bad else "%d of %d records, %d vcpus" %
      (rounds, len(records), len(true)))
sys.exit(len(bad) > 0)
END_OF_SCRIPT

play --seed=7 --duration=120ms --cpus=4 --domains=4 --rate=2k
mv trace whole
python3 flip.py "$facts" "$xenalyze" "${SEED-1}" "${ROUNDS-150}" >flips ||
    fail "$(cat flips)"
cat flips
expect 0 "$facts" -t 3 sums trace
mv out threads
expect 0 "$facts" -o sums trace
cmp -s threads out || fail "a damaged trace, by time, differs"
