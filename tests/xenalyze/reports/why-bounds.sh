#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# why: waits with more uses of pcpus, and more idle time of others, than the room
# for them was once; and the first wait of a vcpu.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to compose traces"

cat >generate.py <<'END'
import sys

RUNNING, RUNNABLE, BLOCKED = 0, 1, 2
IDLE, S, MS = 0x7fff, 10**9, 10**6
lines = []

def change(time, pcpu, domain, vcpu, old, new):
    lines.append((time, len(lines), pcpu, 0x21001 | old << 8 | new << 4,
                  domain << 16 | vcpu))

def switch(time, pcpu, old, new):
    """The idle vcpu has the number of its pcpu, and never blocks."""
    if old == IDLE:
        change(time, pcpu, IDLE, pcpu, RUNNING, RUNNABLE)
    else:
        change(time, pcpu, old, 0, RUNNING, BLOCKED)
    if new != IDLE:
        change(time, pcpu, new, 0, BLOCKED, RUNNABLE)
    change(time, pcpu, new, pcpu if new == IDLE else 0, RUNNABLE, RUNNING)

def wait_behind(begin, length):
    """d1v0 waits for pcpu 0, where d2v0 runs."""
    change(begin, 1, 1, 0, RUNNABLE, RUNNING)
    change(begin, 0, 2, 0, RUNNABLE, RUNNING)
    change(begin + 1000, 1, 1, 0, RUNNING, RUNNABLE)
    change(begin + 1000, 1, IDLE, 1, RUNNABLE, RUNNING)
    end = begin + 1000 + length
    change(end, 0, 2, 0, RUNNING, RUNNABLE)
    change(end, 0, 1, 0, RUNNABLE, RUNNING)
    change(end + 10 * MS, 0, 1, 0, RUNNING, BLOCKED)
    change(end + 10 * MS, 0, 2, 0, RUNNABLE, RUNNING)
    change(end + 30 * MS, 0, 2, 0, RUNNING, RUNNABLE)

def idle(n):
    """pcpu 1, which d1v0 has used, is idle n times meanwhile, half of 10 s"""
    wait_behind(MS, 10 * S)
    step = 10 * S // n
    for i in range(n):
        at = MS + 1000 + i * step
        if i:
            switch(at, 1, 3, IDLE)
        switch(at + step // 2, 1, IDLE, 3)
    change(MS + 1000 + 10 * S + 10 * MS, 1, 3, 0, RUNNING, BLOCKED)

def busy(n):
    """... is idle for the first half, and then has n switches; 64 pcpus"""
    wait_behind(MS, 10 * S)
    at, step, current = MS + 5 * S, 5 * S // (n + 1), 3
    switch(at, 1, IDLE, 3)
    for i in range(n):
        at += step
        switch(at, 1, current, 7 - current)
        current = 7 - current
    for pcpu in range(2, 64):
        change(MS, pcpu, 10, pcpu, RUNNABLE, RUNNING)
        change(MS + 11 * S, pcpu, 10, pcpu, RUNNING, RUNNABLE)

def uses(n):
    """pcpu 0 has n uses while d1v0 waits for it"""
    change(MS, 0, 1, 0, RUNNABLE, RUNNING)
    change(MS + 1000, 0, 1, 0, RUNNING, RUNNABLE)
    change(MS + 1000, 0, 2, 0, BLOCKED, RUNNING)
    at, step, current = MS + 1000 + 5 * S, 5 * S // (n + 1), 3
    switch(at, 0, 2, 3)
    for i in range(n):
        at += step
        switch(at, 0, current, 7 - current)
        current = 7 - current
    end = MS + 1000 + 10 * S
    change(end, 0, current, 0, RUNNING, BLOCKED)
    change(end, 0, 1, 0, RUNNABLE, RUNNING)
    change(end + 10 * MS, 0, 1, 0, RUNNING, BLOCKED)

def first(n):
    """d1v0 waits 500 ms before its first run, and n times 1 ms"""
    change(1 * MS, 0, 2, 0, RUNNABLE, RUNNING)
    change(1 * MS, 1, IDLE, 1, RUNNABLE, RUNNING)
    at = 2 * MS
    for length in [500 * MS] + n * [MS]:
        change(at, 1, 1, 0, BLOCKED, RUNNABLE)
        at += length
        change(at, 0, 2, 0, RUNNING, RUNNABLE)
        change(at, 0, 1, 0, RUNNABLE, RUNNING)
        at += MS
        change(at, 0, 1, 0, RUNNING, BLOCKED)
        change(at, 0, 2, 0, RUNNABLE, RUNNING)
        at += 10 * MS

globals()[sys.argv[1]](int(sys.argv[2]))
for time, _, pcpu, event, word in sorted(lines):
    print(pcpu, time, event, word)
END

# why_of KIND NUMBER: d1v0 of such a trace
why_of() {
    python3 generate.py "$@" | compose trace
    expect 0 "$xenalyze" why d1v0 --top=1 --cpu-hz 1G trace
}

for choice in 'idle 1000' 'idle 100000' 'busy 1000' 'busy 40000'; do
    # shellcheck disable=SC2086 # words
    why_of $choice
    grep -q '^ *\(50.0\|49.9\)% .* other domains ran on its pcpu' out ||
        fail "$choice: $(cat out)"
    grep -q '^ *\(50.0\|50.1\)% .* while a pcpu that it may use was idle' out ||
        fail "$choice: $(cat out)"
    "$xenalyze" --check-scheduler --cpu-hz 1G trace >rules 2>&1
    grep -q '^ no wait beside an idle pcpu .* 1  *5\.0 s$' rules ||
        fail "$choice: $(cat rules)"
done

for number in 1000 200000; do
    why_of uses $number
    grep -q '^ d1 .*; d2 50.0% (5.0 s), d3 25.0% (2.5 s), d4 25.0% (2.5 s)$' out ||
        fail "$number uses: $(cat out)"
done
# Beyond the bound, the oldest ones are unknown, and no domain is blamed for them.
why_of uses 700000
grep -q '^    unknown \(6\|7\|8\)[0-9].[0-9]% ' out || fail "many uses: $(cat out)"

why_of first 50
grep -q '^ 51 waits: .* longest 500.0 ms\.$' out || fail "first: $(cat out)"
expect 0 "$xenalyze" latency --cpu-hz 1G trace
grep -q '500.0 ms' out || fail "latency: $(cat out)"

# A vcpu that many domains wake, and one of these nearly always.
python3 - <<'END' | compose wakers
MS, t = 10**6, 2 * 10**6
def change(time, pcpu, domain, old, new):
    print(pcpu, time, 0x21001 | old << 8 | new << 4, domain << 16)
change(MS, 1, 1, 1, 0)
for domain, blocked in [(10 + i, 10000) for i in range(100)] + [(500, MS)] * 500:
    change(t, 1, 1, 0, 2)
    change(t, 0, domain, 2, 1)
    change(t + 1, 0, domain, 1, 0)
    change(t + blocked, 0, 1, 2, 1)
    change(t + blocked + 100, 1, 1, 1, 0)
    change(t + blocked + 200, 0, domain, 0, 2)
    t += blocked + 1000
END
expect 0 "$xenalyze" why d1v0 --cpu-hz 1G wakers
grep -q '^ *99\.[0-9]% .* events from d500' out || fail "wakers: $(cat out)"
