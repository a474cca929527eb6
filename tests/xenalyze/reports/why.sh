#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --why: one simulated machine for each cause, with the expected first line; the
# causes of all waits equal the ground truth, and add up to the waiting time.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

judge=$top_srcdir/tests/xenalyze/reports/judge-why.py

# simulate NAME OPTION... <SCENARIO: the trace NAME, and truth
simulate() {
    name=$1
    shift
    cat >"$name.scenario"
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 "$@" \
        --scenario "$name.scenario" --truth truth -o "$name"
}

# agree NAME: the report on the trace and the truth agree
agree() {
    expect 0 "$xenalyze" --why --json "$1"
    mv out "$1.json"
    python3 "$judge" "$1.json" truth || fail "$1: the causes are not the truth's"
    expect 0 "$xenalyze" --why --json --threads 1 "$1"
    cmp -s out "$1.json" || fail "$1: threads change the report"
}

# verdict NAME LINE VCPU [PERCENT]: the first line; its cause has at least 95 %
verdict() {
    agree "$1"
    # shellcheck disable=SC2086 # no argument without VCPU
    expect 0 "$xenalyze" why $3 "$1"
    [ "$(wc -l <out)" -le 20 ] || fail "$1: more than 20 lines"
    [ "$(wc -L <out)" -le 80 ] || fail "$1: more than 80 columns"
    [ "$(head -n 1 out)" = "$2" ] || fail "$1: $(head -n 1 out)"
    sed -n '5s/^ *\([0-9]*\)\..*/\1/p' out >share
    [ "$(cat share)" -ge "${4:-95}" ] || fail "$1: $(sed -n 5p out)"
    mv out "$1.text"
}

head='cpus = 2
rate = 2k
ratelimit = 0
cstates = no
interrupts = 0
nmis = 0
[domain Domain-0]
vcpus = 1
pin = 1
'

simulate noisy <<END
$head
[domain victim]
pin = 0
[domain noisy]
pin = 0
[domain filler]
pin = 1
END
verdict noisy 'victim/0 has a noisy neighbour: noisy.' victim
grep -q '^ Ran instead: noisy 100.0%$' noisy.text || fail 'no rival'
span=$(sed -n 's/^ *worst: --time //p' noisy.text | head -n 1)
expect 0 "$xenalyze" why --time "$span" victim noisy
grep -q 'noisy neighbour: noisy' out || fail "another cause in $span"

simulate pinned <<END
$head
[domain victim]
pin = 0
[domain noisy]
pin = 0
END
verdict pinned 'victim/0 is kept beside a noisy neighbour: noisy.' d1v0

# No single domain is the reason of the waits.
crowd="$head
[domain victim]
pin = 0
[domain busy]
copies = 4
pin = 0"
simulate crowd <<END
$crowd
[domain filler]
pin = 1
END
verdict crowd 'victim/0 shares its pcpus with too many busy domains.' victim
grep -q '^ Ran instead: busy[1-4] 2[0-9]\.[0-9]%, busy[1-4] 2[0-9]\.[0-9]%, 2 ' \
    crowd.text || fail "crowd: $(cat crowd.text)"

simulate crowd-pinned <<END
$crowd
END
verdict crowd-pinned 'victim/0 is kept beside several busy domains.' victim

# A noisy neighbour that comes behind more domains than a vcpu has rows for
simulate late <<END
$head
[domain victim]
pin = 0
[domain small]
copies = 80
load = busy
pin = 0
end = 250ms
[domain noisy]
start = 260ms
pin = 0
[domain filler]
pin = 1
END
expect 0 "$xenalyze" why victim late
[ "$(head -n 1 out)" = 'victim/0 has a noisy neighbour: noisy.' ] ||
    fail "late: $(cat out)"
grep -q '^ Ran instead: noisy [3-9][0-9]\.[0-9]%, small[0-9]* [0-9.]*%, all ' out ||
    fail "late: $(cat out)"
expect 0 "$xenalyze" why --json late
python3 - out <<'END' || fail 'late: sums by domain'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
waited = {}
for r in tables["why_vcpus"]:
    waited[r["domain"]] = waited.get(r["domain"], 0) + r["waited_cycles"]
for r in tables["why_domain_waits"]:
    waited[r["domain"]] -= r["waited_cycles"]
assert len(waited) > 80 and not any(waited.values()), waited
assert any(r["domain"] == 1 and r["pcpu_use"] == "others"
           for r in tables["why_domain_waits"])
END

simulate own <<END
$head
[domain victim]
vcpus = 3
pin = 0
[domain filler]
pin = 1
END
verdict own 'victim/1 competes with the other vcpus of its own domain.' victim/1

simulate cap <<END
$head
[domain victim]
cap = 40
pin = 0
END
verdict cap 'victim/0 is stopped by the cap or budget of its domain.' ''

# Vcpus that wait when the budget ends stay runnable, beside idle pcpus.
for cap in 10 40 90; do
    for cstates in yes no; do
        for vcpus in 2 4; do
            simulate "cap-$cap-$cstates-$vcpus" <<END
cpus = 4
rate = 2k
cstates = $cstates
[domain Domain-0]
vcpus = 1
load = quiet
[domain victim]
vcpus = $vcpus
load = busy,bursty
cap = $cap
END
            agree "cap-$cap-$cstates-$vcpus"
            expect 0 "$xenalyze" why victim "cap-$cap-$cstates-$vcpus"
            case $(head -n 1 out) in
            'victim/'[0-3]' is stopped by the cap or budget of its domain.') ;;
            *) fail "cap $cap, $vcpus vcpus: $(head -n 1 out)" ;;
            esac
            sed -n '5s/^ *\([0-9]*\)\..*/\1/p' out >share
            [ "$(cat share)" -ge 97 ] || fail "cap $cap: $(sed -n 5p out)"
        done
    done
done

# A scheduler that notifies no idle pcpu.
simulate waste --no-tickle-idle <<END
cpus = 2
rate = 2k
ratelimit = 0
cstates = no
interrupts = 0
nmis = 0
[domain Domain-0]
vcpus = 1
load = quiet
pin = 1
[domain noisy]
pin = 0
[domain victim]
END
verdict waste \
    'victim/0 waits behind others, while a pcpu that it may use is idle.' \
    victim 85

{
    echo "$head" | sed 's/ratelimit = 0/ratelimit = 5ms/'
    cat <<'END'
[domain victim]
load = periodic
period = 3ms
duty = 10
pin = 0
[domain noisy]
pin = 0
[domain filler]
pin = 1
END
} | simulate limit
verdict limit \
    'victim/0 waits for the rate limit of the scheduler: noisy.' '' 80

simulate sleep <<'END'
cpus = 4
rate = 5k
cstate-exit = 300us
interrupts = 0
nmis = 0
[domain Domain-0]
vcpus = 1
pin = 1
[domain victim]
load = io
period = 3ms
pin = 2-3
END
verdict sleep 'victim/0 waits for pcpus that wake slowly from sleep states.' \
    victim

{
    echo "$head" | sed 's/pin = 1/pin = 0/'
    cat <<'END'
weight = 32
[domain web]
load = io
period = 1ms
vcpus = 8
pin = 1
[domain batch]
weight = 2048
pin = 0
END
} | simulate dom0
agree dom0
expect 0 "$xenalyze" why d0 dom0
[ "$(head -n 1 out)" = "Domain-0/0 waits behind others, and all I/O \
with it: batch." ] || fail "dom0: $(head -n 1 out)"

# The example scenarios: the usual rate limit of 1 ms prolongs the runs of the
# neighbour, which is the cause.
# example NAME LINE [VCPU]
example() {
    expect 0 "$xensim" --virtual -T 1 -o "$1" \
        --scenario "$top_srcdir/xensim/scenarios/$1.scenario"
    # shellcheck disable=SC2086 # no argument without VCPU
    expect 0 "$xenalyze" why $3 "$1"
    [ "$(head -n 1 out)" = "$2" ] || fail "$1: $(cat out)"
}
example noisy-neighbour \
    'voice/0 is kept beside a noisy neighbour: render.' voice
grep -q '^ .*  the rate limit let another vcpu run on$' out ||
    fail "noisy-neighbour: no rate limit"
expect 0 "$xenalyze" why voice --json noisy-neighbour
grep -q '"pinned"' out || fail 'the headline of JSON is another'
example slow-disk \
    'Domain-0/0 waits behind others, and all I/O with it: batch.'

# device PERCENT ANSWER: d1v0 accesses a device once per millisecond and is off
# its pcpu for PERCENT of the time; the helper runs ANSWER us after its wake-up
device() {
    awk -v part="$1" -v answer="$2" 'BEGIN {
        print 0, 900000, "0x21101 0x0"
        print 0, 950000, "0x21021 0x0"
        print 0, 960000, "0x21101 0x7fff0000"
        for ( i = 1; i <= 200; i++ )
        {
            t = 1000000 * i
            print 1, t, "0x21101 0x10000"
            print 1, t + 1000, "0x81002 30 0x1000"
            print 1, "- 0x82216 0x1f7 0"
            print 1, t + 2000, "0x21211 0x0"
            print 1, t + 3000, "0x21031 0x10000"
            print 0, t + 2000 + 1000 * answer, "0x21011 0x7fff0000"
            print 0, "-", "0x21101 0x0"
            print 0, t + 10000 * part, "0x21311 0x10000"
            print 0, t + 10000 * part + 1000, "0x21021 0x0"
            print 0, "-", "0x21101 0x7fff0000"
            print 1, t + 10000 * part + 2000, "0x21101 0x10000"
            print 1, t + 10000 * part + 3000, "0x81001"
            print 1, t + 990000, "0x21021 0x10000"
            print 1, t + 995000, "0x21211 0x10000"
        }
    }' | compose device
    expect 0 "$xenalyze" --cpu-hz 1G why d1v0 device
    mv out device.text
}
device 40 10
head -n 1 device.text | grep -q '^d1v0 waits for emulated devices: ide 0x1f0.$' ||
    fail "no device: $(cat device.text)"
expect 0 "$xenalyze" --cpu-hz 1G why device
cmp -s out device.text || fail "another vcpu suffers more: $(cat out)"
grep -q '^ Emulated devices took 39' device.text || fail "$(cat device.text)"
expect 0 "$xenalyze" --cpu-hz 1G why --json device
grep -q '"emulated-device"' out || fail 'another verdict in JSON'
device 40 300
head -n 1 device.text | grep -q '^d1v0 waits for a device model that waits ' ||
    fail "no helper: $(cat device.text)"
grep -q 'waits for a pcpu 75%$' device.text || fail "$(cat device.text)"
device 3 10
head -n 1 device.text | grep -q '^Nothing is wrong' || fail "$(cat device.text)"

# allowed MASK: d1v0 and d9v0 share pcpu 0, pcpu 1 is idle; d1 may use the pcpus
# of MASK
allowed() {
    awk -v mask="$1" 'BEGIN {
        print "0 - 0x1f08b 0x00010001 0 0x100000 0 0"
        print "0 - 0x1f08e 0x0001ffff 0", mask, "0 0 0 0"
        print "1 900000 0x21101 0x7fff0001"
        for ( i = 1; i <= 100; i++ )
        {
            t = 1000000 * i
            print 0, t, "0x21101 0x10000"
            print 0, t + 500000, "0x21011 0x10000"
            print "0 - 0x21101 0x90000"
            print 0, t + 999000, "0x21011 0x90000"
        }
        print "1 102000000 0x21011 0x7fff0001"
    }' | compose allowed
    expect 0 "$xenalyze" --cpu-hz 1G why d1 allowed
    mv out "allowed.$1"
}
allowed 1
head -n 1 allowed.1 | grep -qx 'd1v0 is kept beside a noisy neighbour: d9.' ||
    fail "one pcpu: $(cat allowed.1)"
allowed 3
head -n 1 allowed.3 |
    grep -qx 'd1v0 waits behind others, while a pcpu that it may use is idle.' ||
    fail "two pcpus: $(cat allowed.3)"

# spin PERIOD: in each of 100 ms, d9v0 preempts d1v1 for 200 us; d1v0 has exits
# for PAUSE, each PERIOD us (0: 20 in these 200 us only)
spin() {
    awk -v period="$1" 'function pause(t) {
            print 0, t, "0x81002 40 0x1000"
            print 0, t + 1000, "0x81001"
        }
        BEGIN {
            print 0, 1000000, "0x21101 0x10000"
            print 1, 1000100, "0x21101 0x10001"
            for ( i = 2; i <= 101; i++ )
            {
                t = 1000000 * i
                print 1, t, "0x21011 0x10001"
                print 1, "- 0x21101 0x90000"
                for ( k = 0; k < 20; k++ )
                    if ( period == 0 )
                        pause(t + 1000 + 10000 * k)
                if ( period )
                    for ( k = 1000; k < 990000; k += 1000 * period )
                        pause(t + k)
                print 1, t + 200000, "0x21011 0x90000"
                print 1, "- 0x21101 0x10001"
            }
        }' | compose spin
    expect 0 "$xenalyze" --cpu-hz 1G why d1v1 spin
    mv out spin.text
    expect 0 "$xenalyze" --cpu-hz 1G why --json d1 spin
}
spin 0
grep -q '^ Co-stop 20\.[0-9]%: ' spin.text || fail "no co-stop: $(cat spin.text)"
grep -q 'probably, vcpus spun for these: up to 19\.[0-9]%$' spin.text ||
    fail "nobody spins: $(cat spin.text)"
python3 - out <<'END' || fail 'the composed vcpus spin differently'
import json, sys
[row] = json.load(open(sys.argv[1]))["tables"]["why_domains"]
assert row["spins"] == 2000 and row["spins_elsewhere"] == 0, row
# The last record of pcpu 0 is 8 us before the end of the last co-stop.
assert row["co_stop_cycles"] == 100 * 200000 - 8000, row
assert row["spun_cycles"] == 100 * 199000 - 8000, row
assert row["worst_to_tsc"] - row["worst_from_tsc"] == 200000, row
assert row["spinning"] == "yes", row
END
spin 20
grep -q '^ Co-stop 19' spin.text || fail "no co-stop: $(cat spin.text)"
! grep -q 'spun' spin.text || fail "PAUSE at all times: $(cat spin.text)"

# Long names, and most records missing.
sed 's/victim/a-victim-with-a-very-long-name/
     s/noisy/a-noisy-neighbour-with-a-name/' pinned.scenario >wide.names
simulate wide <wide.names
expect 0 "$xenalyze" why wide
[ "$(wc -L <out)" -le 80 ] || fail 'long names make long lines'
expect 0 "$xenalyze" why d0 wide
[ "$(wc -L <out)" -le 80 ] || fail 'long names make long lines'

# A calm machine.
simulate calm <<'END'
cpus = 4
[domain web]
load = periodic
period = 10ms
duty = 20
END
agree calm
expect 0 "$xenalyze" why calm
grep -qE '^Nothing is wrong: no vcpu waits long; [^ ]+ waits longest\.$' out ||
    fail "calm: $(cat out)"
expect 0 "$xenalyze" why web calm
grep -Eq '^ +(9[5-9]|100)\..*  a timer, p99' out || fail "no timer: $(cat out)"
expect 0 "$xenalyze" why victim sleep
grep -Eq '^ +(9[5-9]|100)\..*  events from Domain-0, p99' out ||
    fail "no events: $(cat out)"

# Random machines: sums, truth, threads.
for seed in 1 2 3 4; do
    case $seed in
    1) kind='--kind pv' ;;
    2) kind='--kind hvm' ;;
    3) kind='--kind pvh --vendor amd' ;;
    *) kind='--nested --vendor amd' ;;
    esac
    # shellcheck disable=SC2086 # several words
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 0.3 --seed $seed $kind \
        -c $((seed + 1)) --domains $((3 * seed)) --truth truth -o random
    agree random
done

# Lost records: the time is unknown, never another cause.
expect 0 "$xensim" --virtual --boot tbuf_size=1 -T 0.3 --drain 5ms \
    --truth truth -o lossy
expect 0 "$xenalyze" why lossy
grep -q 'records were lost; their time is left out' out || fail 'no word of loss'
expect 0 "$xenalyze" --why --json lossy
python3 - out <<'END' || fail 'the causes of a lossy trace do not add up'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
for row in tables["why_vcpus"]:
    assert row["waited_cycles"] == sum(
        r["waited_cycles"] for r in tables["why_causes"]
        if (r["domain"], r["vcpu"]) == (row["domain"], row["vcpu"])), row
for domain in {r["domain"] for r in tables["why_vcpus"]}:
    row = {r["pcpu_use"]: r["waited_cycles"]
           for r in tables["why_domain_waits"] if r["domain"] == domain}
    for cause in ("lost", "unknown"):
        assert row.get(cause, 0) == sum(
            r["waited_cycles"] for r in tables["why_causes"]
            if r["domain"] == domain and r["cause"] == cause), (domain, row)
    assert sum(row.values()) == sum(
        r["waited_cycles"] for r in tables["why_vcpus"]
        if r["domain"] == domain), (domain, row)
END

# --top: tables below the verdict.
# tables ARGUMENT...: both tables, in 80 columns
tables() {
    expect 0 "$xenalyze" why "$@"
    sed -n '/^--- Use of/,$p' out >tables
    grep -c '^---' tables | grep -qx 2 || fail "not two tables: $(cat out)"
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"
}
tables --top=1 noisy
grep -Eq '^ (victim|noisy) +waited .*; (victim|noisy) 100\.0% \(' tables ||
    fail "not who ran: $(cat tables)"
[ "$(sed -n '/^--- Use/,/^--- The/p' tables | wc -l)" -eq 3 ] ||
    fail "not one domain: $(cat tables)"
[ "$(grep -c '^ [0-9.]* .* waited' tables)" -eq 1 ] || fail "not one wait"
tables --top=3 victim noisy
[ "$(grep -c '^ [0-9.]* victim/0 waited .* for pcpu 0: noisy/0 ' tables)" \
    -eq 3 ] || fail "not the waits of victim: $(cat tables)"
tables --top=20 limit
grep -q ' (rate limit [0-9.]* [mu]s)' tables || fail "no limit: $(cat tables)"
tables --top=2 cap
grep -q '^ [0-9.]* victim/0 waited .*: .*cap or budget [0-9]' tables ||
    fail "no cap: $(cat tables)"
tables --top=40 lossy
tables --top=8 wide
# --top=0 is all that is kept; without --top, there are none.
tables --top=100 noisy
sed -n '/^--- The/,$p' tables >hundred
[ "$(grep -c '^ [0-9.]* .* waited' tables)" -gt 10 ] || fail "not all waits"
tables --top=0 noisy
sed -n '/^--- The/,$p' tables | cmp -s hundred - || fail "--top=0 does not print all rows"
expect 0 "$xenalyze" why noisy
! grep '^---' out || fail "tables without being asked for"

# Wrong arguments: one line.
# wrong CODE WORD ARGUMENT...
wrong() {
    code=$1
    word=$2
    shift 2
    expect "$code" "$xenalyze" "$@" </dev/null
    [ ! -s out ] || fail "$*: something is printed"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line"
    grep -q -e "$word" err || fail "$*: $(cat err)"
}
wrong 1 'has no records of this vcpu' why d9v3 noisy
wrong 1 'has no records of this vcpu' why victim/7 noisy
wrong 1 'did you mean victim' --why victm noisy
wrong 1 'No such file' why nosuch
wrong 1 'No such file' why d1v0 nosuch
wrong 1 'selects nothing' why --time 100..101 noisy
compose nosched <<'END'
0 1000000 0x802008 9 900100 0 900200 0
0 2000000 0x802008 9 900100 0 900200 0
END
expect 1 "$xenalyze" why nosched
grep -q 'xentrace -e sched' err || fail "no class is named: $(cat err)"

# Missing classes: those that were not captured.  Without C-states, the class of
# sleep has no records.
play awake --no-cstates --cpus 2
expect 0 "$xenalyze" why awake
! grep -q 'Not in the trace' out || fail "not in a machine without C-states: \
$(grep 'Not in' out)"
# meta_start with an event mask, or none | the missing classes
while IFS='|' read -r mask missing; do
    {
        [ -z "$mask" ] || echo "0 - 0x1f084 1 0 $mask 1 1 0 0"
        cat <<'EOF'
0 1000000 0x21101 0x10000
0 1000100 0x22216 0x10000 1000
0 9000000 0x21011 0x10000
EOF
    } | compose masked
    expect 0 "$xenalyze" why --cpu-hz 1G masked
    got=$(sed -n 's/^ Not in the trace: //p' out)
    [ "$got" = "$missing" ] || fail "mask $mask: missing: $got"
done <<'END'
|sleep (-e hw:pm), irqs (-e hw:irq)
0x0ffff000|
0x0002f000|sleep (-e hw:pm), irqs (-e hw:irq)
0x0080f000|
0x00823000|
0x00021000|sleep (-e hw:pm), irqs (-e hw:irq)
END

# Time offline without budget is parked, in the states and in parts of the trace.
cat >scenario <<'END'
cpus = 2
[domain Domain-0]
vcpus = 1
load = quiet
[domain short]
cap = 20
kind = pvh
load = periodic
period = 1s
duty = 5
[domain rarely]
cap = 99
kind = pvh
load = busy
END
play parked -f scenario
expect 0 "$xenalyze" why short parked
grep -q '^ Of .*: waited for a pcpu [01]\.[0-9]%, parked [12][0-9]\.[0-9]%, ran ' \
    out || fail "the states are not parked: $(cat out)"
grep -q '^ *waited for a pcpu [01]\.[0-9]%, parked [789][0-9]\.[0-9]%, ran ' out ||
    fail "the worst part is not parked: $(cat out)"
# Time parked in an exit is none of the handlers in this exit.
! grep -q 'Interrupts of the host' out || fail "interrupts: $(cat out)"

# The same if the end of the parking is lost.
cat >scenario <<'END'
cpus = 4
rate = 20k
[domain Domain-0]
vcpus = 2
[domain short]
kind = hvm
load = busy
vcpus = 4
cap = 20
END
"$xensim" --virtual -T 400ms --seed 5 --drain 30ms --boot tbuf_size=2 -i 2k \
    -f scenario -o lossy 2>/dev/null || fail "no capture with losses"
expect 0 "$xenalyze" why short/0 lossy
grep -q 'records were lost' out || fail "no losses: $(cat out)"
! grep -q 'Interrupts of the host' out || fail "interrupts: $(cat out)"
expect 0 "$xenalyze" why rarely parked
grep -q '^ Worst part: parked [0-9.]* [mu]s of ' out || fail "no part: $(cat out)"

# d1v0 is paused for a microsecond, which rounds to no share, and for 5 ms.
pauses() {
    compose paused <<END
0 1000000 0x21101 0x10000
0 500000000 0x21031 0x10000
0 $((500000000 + $1)) 0x21311 0x10000
0 - 0x21101 0x10000
0 999000000 0x21021 0x10000
END
    expect 0 "$xenalyze" why --cpu-hz 1G d1v0 paused
}
pauses 1000
! grep paused out || fail "a pause of no share: $(cat out)"
pauses 5000000
grep -q 'paused 0\.5%' out || fail "no pause: $(cat out)"

# A pause by the toolstack that begins without budget is paused, not parked.
cat >scenario <<'END'
cpus = 2
[domain web]
kind = pv
load = busy
cap = 5
pause = 40ms
pause-for = 20ms
END
play capped -f scenario --truth truth
expect 0 "$xenalyze" why web capped
grep -q ' paused 3[0-3]\.[0-9]%' out || fail "no pauses: $(cat out)"
expect 0 "$xenalyze" --why --json capped
python3 - out truth <<'END' || fail 'the parked time is not the truth'"'"'s'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
got, = [r["waited_cycles"] for r in tables["why_causes"]
        if r["domain"] == 1 and r["cause"] == "cap"]
truth = [json.loads(line) for line in open(sys.argv[2])]
khz, = [r["khz"] for r in truth if r["what"] == "machine"]
want = sum(r["to"] - r["from"] for r in truth if r["what"] == "parked")
# The last span without budget, of 10 ms at most, has no end in the truth.
assert -khz < got - want < 10 * khz, (got, want)
END
