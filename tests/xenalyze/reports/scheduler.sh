#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --check-scheduler: xensim's schedulers keep their rules, and for each rule a
# composed trace breaks it, by a known time; exit codes; limits.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# Which rules are tested and broken, by --json: "slice 10 2"
cat >rules.py <<'END'
import json, sys

for r in json.load(sys.stdin)["tables"]["scheduler_rules"]:
    if r["tested"]:
        worst = r.get("worst_ns", r.get("worst_missing", "-"))
        case = "d%(worst_domain)dv%(worst_vcpu)d" % r if r["broken"] else ""
        print(r["rule"], r["tested"], r["broken"], worst, case)
END

# rules CODE TRACE OPTION...: fill the file rules, and check the exit code
rules() {
    # shellcheck disable=SC2086 # nothing, or an option
    expect "$1" "$xenalyze" $hz --check-scheduler --json "$2" ${3+"$3"}
    if [ "$1" -eq 1 ]; then
        expect_message 'tested rules of the scheduler'
    fi
    python3 rules.py <out >rules || fail "no JSON for $2"
}

# has LINE: a line of the file rules
has() {
    grep -qx -- "$1" rules || fail "no \"$1\" in: $(cat rules)"
}

# --- schedulers that keep their rules -----------------------------------------

hz=
kept=0
for seed in 1 2 3; do
    play good --seed $seed -T 2 --load busy --cpus 3 --domains 4
    rules 0 good
    for rule in one_pcpu runstate slice work ratelimit share; do
        has "$rule [1-9][0-9]* 0 - "
        kept=$((kept + 1))
    done
done
[ $kept -eq 18 ] || fail "only $kept rules were tested"
cp rules threads
expect 0 "$xenalyze" --threads 1 --check-scheduler --json good
python3 rules.py <out | cmp -s - threads || fail "threads change the results"
play null --scheduler null --load periodic
rules 0 null
has 'no_wait [1-9][0-9]* 0 - '
grep -E '^(work|share|ratelimit|edf)' rules && fail "rules of other schedulers"

# Time slices end late when the whole machine stands still for 4 ms.
play stalls --cpus 4 --load busy --rate 50k --stall 50ms --stall-for 4ms \
    --boot tbuf_size=64 -T 1 --seed 3
rules 0 stalls
has 'slice [1-9][0-9]* 0 - '
expect 0 "$xenalyze" --check-scheduler stalls
grep -Eq '^ Not counted: [1-9][0-9] late timers, .* for 4\.0 ms at most\.$' out ||
    fail "stalls are not named: $(cat out)"
cat stalls stalls >twice
rules 1 twice
grep -q '^slice [0-9]* [1-9][0-9]* 4[0-9]* ' rules ||
    fail "stalls of one of two captures count: $(cat rules)"

# Losses, a part of the trace, domains with a cap, and clocks that drift break
# no rule.
sane=0
for drain in 5 20 50; do
    play lossy -T 2 --boot tbuf_size=1 --drain ${drain}ms --load busy --cpus 3
    "$xenalyze" --info lossy | grep -q '^lost: *0 ' && fail "nothing is lost"
    rules 0 lossy
    has 'ratelimit [1-9][0-9]* 0 - '
    sane=$((sane + 1))
done
[ $sane -eq 3 ] || fail "only $sane traces with losses"
for span in 0.5..0.9 1.1..1.3 0.333..1.777; do
    rules 0 good --time=$span
    has 'ratelimit [1-9][0-9]* 0 - '
done
cat >cap.scenario <<'END'
cpus = 2
[domain Domain-0]
vcpus = 1
[domain web1]
vcpus = 2
kind = pvh
load = busy
cap = 40
[domain batch]
vcpus = 2
kind = pv
load = busy
END
play cap -T 2 --scenario cap.scenario
rules 0 cap
has 'runstate [1-9][0-9]* 0 - '
play drift --rate 2k --tsc-drift 2000
rules 0 drift
has 'runstate [1-9][0-9]* 0 - '

# A run queue for each pcpu: vcpus wait while another pcpu is idle.
play apart -T 3 --load busy --runq-cpus 1 --seed 2
rules 1 apart
has 'work [1-9][0-9]* [1-9][0-9]* 1[0-9]* .*'

# --- each rule is broken ------------------------------------------------------

hz=--cpu-hz=1G
compose slice <<'END'
0 1000000 0x21101 0x10000
0 1000000 0x2800f 1 0 0 10000000
0 11900000 0x28011 1 0 10000000 5000000
0 19900000 0x28011 1 0 10000000 5000000
0 20000000 0x21011 0x10000
END
rules 1 slice
has 'slice 3 1 3000000 d1v0'
rules 0 slice --allow-late=3ms
has 'slice 3 0 - '

compose runstate <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x21021 0x10000
0 3000000 0x21201 0x10000
0 4000000 0x21021 0x10000
END
rules 1 runstate
has 'runstate [0-9]* 1 - d1v0'

compose twice <<'END'
0 1000000 0x21101 0x10000
1 2000000 0x21101 0x10000
1 3000000 0x21011 0x10000
0 5000000 0x21011 0x10000
0 6000000 0x21101 0x10000
0 7000000 0x21011 0x10000
END
rules 1 twice
has 'one_pcpu [0-9]* 1 .* d1v0'

# d1v0 waits for d2v0 on pcpu 0, beside the idle pcpu 1 that it has used.
compose idle <<'END'
1 100000 0x21101 0x7fff0001
1 200000 0x21011 0x7fff0001
1 200000 0x21101 0x10000
1 900000 0x21021 0x10000
1 900000 0x21101 0x7fff0001
0 1000000 0x21101 0x20000
0 2000000 0x21211 0x10000
0 7000000 0x21011 0x20000
0 7000000 0x21101 0x10000
0 8000000 0x21011 0x10000
1 9000000 0x21011 0x7fff0001
END
rules 1 idle
has 'work [0-9]* 1 5000000 d1v0'

# Pool 0 with credit2, a rate limit of 1 ms, and weights.
pool() {
    echo "0 - 0x1f08a 0 $1 1 1"
    echo '0 - 0x1f093 0 10000 1000 0'
    for domain in 1 2; do
        echo "0 - 0x1f08b $((0x10000 + domain)) 0 0 0 0"
        echo "0 - 0x1f091 $domain $1 $2 0"
        shift
    done
}

# alternate UNTIL FIRST SECOND: d1v0 and d2v0 run so long in turn
alternate() {
    echo '0 1000 0x21211 0x20000'
    awk -v until="$1" -v first="$2" -v second="$3" 'BEGIN {
        for (t = 1000000; t < until; t += first + second)
        {
            printf "0 %.0f 0x21101 0x10000\n", t
            printf "0 %.0f 0x21011 0x10000\n", t + first
            printf "0 %.0f 0x21101 0x20000\n", t + first
            printf "0 %.0f 0x21011 0x20000\n", t + first + second
        }
    }'
}

{ pool 6 256 256; alternate 20000000 600000 2000000; } | compose limit
rules 1 limit
has 'ratelimit 1[0-9] [78] 400000 d1v0'
{
    pool 6 256 256
    alternate 20000000 600000 2000000 |
        awk '$3 == "0x21011" && $4 == "0x10000" {
                 print 0, $2 - 1000, "0x28005 1 0"
             }
             { print }'
} | compose yields
rules 0 yields
has 'ratelimit [5-9] 0 - '

for weights in '256 256' '100 900'; do
    # shellcheck disable=SC2086 # two words
    { pool 6 $weights; alternate 4000000000 9000000 1000000; } | compose share
    rules 1 share
    case $weights in
    '256 256') has 'share 5 1 [78][0-9] d2v0' ;;
    *) has 'share 5 1 [89][0-9] d2v0' ;;
    esac
done
{ pool 6 900 100; alternate 4000000000 9000000 1000000; } | compose share
rules 0 share
has 'share 8 0 - '

# A starvation is one case from its begin to its end, with or without records
# meanwhile; a second with a fair share divides it.
{
    pool 6 256 256
    alternate 2000000000 9000000 1000000
    echo '0 2000000000 0x21101 0x10000'
    echo '0 8500000000 0x21011 0x10000'
} | compose starved
rules 1 starved
has 'share 5 1 95 d2v0'
expect 1 "$xenalyze" --cpu-hz 1G --check-scheduler --json starved
python3 -c 'import json, sys
rule = [r for r in json.load(sys.stdin)["tables"]["scheduler_rules"]
        if r["rule"] == "share"][0]
assert rule["worst_to_ns"] - rule["worst_from_ns"] == 8000000000, rule' \
    <out || fail "the starvation is not 8 s long"
{
    pool 6 256 256
    alternate 2000000000 9000000 1000000
    alternate 4000000000 5000000 5000000 | awk '$2 >= 2000000000'
    alternate 6000000000 9000000 1000000 | awk '$2 >= 4000000000'
} | compose twice
rules 1 twice
has 'share [0-9]* 2 [78][0-9] d2v0'

compose waits <<'END'
0 900000 0x22a05 0 0
0 1000000 0x21101 0x10000
0 2000000 0x21021 0x10000
0 3000000 0x21211 0x10000
0 5500000 0x21101 0x10000
0 6000000 0x21021 0x10000
END
rules 1 waits
has 'no_wait 1 1 2500000 d1v0'

# RTDS: d1v0 with 4 ms of 10 ms, d2v0 with the later deadline.
replenish() {
    echo "0 $1 0x22804 $2 $5 $3 0 $4 0"
}

{
    echo '0 1000000 0x21211 0x10000'
    replenish 1000000 0x10000 11000000 4000000 0
    echo '0 1000000 0x21211 0x20000'
    replenish 1000000 0x20000 21000000 4000000 0
    echo '0 2000000 0x22802 0x20000 21000000 0 4000000 0'
    echo '0 2000000 0x21101 0x20000'
    echo '0 9000000 0x22803 0x20000 0 0 7000000 0 0'
    echo '0 9000000 0x21011 0x20000'
    echo '0 9000000 0x22802 0x10000 11000000 0 4000000 0'
    echo '0 9000000 0x21101 0x10000'
    replenish 11000000 0x10000 21000000 4000000 0
    echo '0 12000000 0x21021 0x10000'
} | compose rtds
rules 1 rtds
has 'edf 2 1 1000000 d1v0'
has 'budget 1 1 3000000 d2v0'
has 'deadline 1 1 2000000 d1v0'

# --- text, and nothing to test ------------------------------------------------

compose bare <<'END'
0 900000 0x22215 0 0
0 1000000 0x21101 0x10000
0 2000000 0x21021 0x10000
END
# ARINC 653: frames of 3, 2 and 5 ms, the last without a vcpu.  d1 sleeps in the
# middle of its frame.  A loss breaks nothing; one frame may be longer.
# frames CODE LONGER
frames() {
    {
        echo '0 1000 0x1f08a 0 7 1 1'
        echo '0 - 0x1f08b 0x20001 0 0 0 0'
        echo '0 - 0x1f08b 0x20002 0 0 0 0'
        awk -v longer="$2" '
            function decide(dom, unit, at, end) {
                printf "0 %.0f 0x2800f %d %d 0 %.0f\n", at, dom, unit, end - at
            }
            BEGIN {
                t = 1000000
                for ( i = 0; i < 40; i++ )
                {
                    print 0, t, "0x21011 0x10000"
                    a = t + 3000000 + (i == 20) * longer
                    b = a + 2000000
                    c = b + 5000000
                    decide(1, 0, t + 500, a)
                    decide(32767, 0, t + 1000000, a)
                    decide(1, 0, t + 2000000, a)
                    decide(2, 1, a + 700, b)
                    if ( i == 10 )
                        printf "0 %.0f 0x1f001 9 1 %.0f 0\n", b - 1, a + 800
                    decide(32767, 0, b + 600, c)
                    t = c
                }
            }'
    } | compose frames
    rules "$1" frames
}
frames 0 0
has 'frame 11[0-9] 0 - '
frames 1 2500000
has 'frame 11[0-9] 2 2500000 d1v0'
frames 0 900000
has 'frame 11[0-9] 0 - '

for trace in rtds slice apart null share frames; do
    "$xenalyze" --cpu-hz 1G --check-scheduler $trace >out 2>err
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns: $trace"
    [ "$(wc -l <out)" -le 24 ] || fail "more than a screen: $trace"
done
expect 1 "$xenalyze" --cpu-hz 1G --check-scheduler apart
grep -q '^ Not tested: weights' out && fail "weights are known: $(cat out)"
expect 0 "$xenalyze" --cpu-hz 1G --allow-late=1s --check-scheduler bare
grep -q '^ Not tested: weights' out || fail "no weights: $(cat out)"
expect 1 "$xenalyze" --cpu-hz 1G --check-scheduler rtds
grep -Eq '^ RTDS: earliest deadline first +2 +1 +1\.0 ms$' out ||
    fail "no broken rule: $(cat out)"
grep -Fqx '      worst: d1v0 on pcpu 0, --time 0.000000000..0.001000000' out ||
    fail "no worst case: $(cat out)"

compose none <<'END'
0 1000000 0x81002 44 0x1000
0 1000500 0x81001
END
expect 1 "$xenalyze" --cpu-hz 1G --check-scheduler none
expect_message 'no scheduler events to check'
expect 2 "$xenalyze" --allow-late=5ms none
expect_message '--allow-late needs --check-scheduler'
expect 2 "$xenalyze" --check-scheduler --domain 1 good
expect_message 'needs all pcpus and vcpus'
for part in '--domain 1' '--vcpu d1v0' '--pcpu 0'; do
    # shellcheck disable=SC2086 # two words
    expect 2 "$xenalyze" why d1 $part good
    expect_message 'why compares a vcpu with all others'
    # shellcheck disable=SC2086 # two words
    expect 2 "$xenalyze" io $part good
    expect_message 'report-io follows I/O through all pcpus and domains'
    # shellcheck disable=SC2086 # two words
    expect 2 "$xenalyze" --report-interrupts $part good
    expect_message 'follows wake-ups through all pcpus and domains'
done

# Parameters that the scheduler lacks are no numbers of microseconds.
compose pool <<'END'
0 - 0x1f093 0 0xffffffff 1000 0xffffffff
0 1000000 0x21101 0x10000
END
expect 0 "$xenalyze" dump pool
grep -q 'time slice -1 us, rate limit 1000 us, migration delay -1 us (-1: unknown)$' out ||
    fail "$(cat out)"
