#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-exits: the time of exits is the time in Xen plus the time off the
# pcpu, and equals the ground truth, by domain and reason, to the cycle; the
# tables fit into 80 columns.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# sums.py REPORT: each row's parts add up, and rows of a domain to its total
cat >sums.py <<'END'
import json, sys

report = json.load(open(sys.argv[1]))
tables = report["tables"]
seconds = report["trace"]["length_ns"] / 1e9
rows = 0
totals = {}
for name in ("domain_exit_totals", "domain_exits", "domain_exit_handlers",
             "exits", "exit_handlers"):
    for r in tables[name]:
        rows += 1
        parts = r["in_xen_cycles"] + r.get("off_cpu_cycles", 0)
        assert parts == r["total_cycles"], (name, r)
        assert abs(r["per_second"] - r["events"] / seconds) <= 0.51, (name, r)
        if name in ("domain_exits", "exits", "domain_exit_totals"):
            sums = totals.setdefault(r["domain"], {}).setdefault(name, [0, 0, 0])
            for i, key in enumerate(("events", "in_xen_cycles",
                                     "off_cpu_cycles")):
                sums[i] += r.get(key, 0)
for domain, t in totals.items():
    assert t["exits"] == t["domain_exits"] == t["domain_exit_totals"], \
        (domain, t)
assert rows > 0
END

# truth.py REPORT TRUTH: the same from the runstates of the ground truth.  An
# exit ends when its vcpu becomes runnable, or enters the guest.
cat >truth.py <<'END'
import json, sys

report = json.load(open(sys.argv[1]))
states, exits = {}, []
for line in open(sys.argv[2]):
    r = json.loads(line)
    if r["what"] in ("runstate", "still"):
        key = r["dom"], r["vcpu"]
        states.setdefault(key, []).append((r["from"], r.get("to"), r["state"]))
    if r["what"] in ("exit", "outside"):
        exits.append(r)

want = {}
for x in exits:
    end = x["at"] + x["cycles"] if "cycles" in x else None
    in_xen = off = 0
    done = end is not None
    for start, stop, state in states[x["dom"], x["vcpu"]]:
        if stop is not None and stop <= x["at"] or \
                end is not None and start >= end:
            continue
        if state == "runnable":
            done = True
            break
        if stop is None and end is None:
            break
        stop = min(s for s in (stop, end) if s is not None)
        if state == "running":
            if off:
                break
            in_xen += stop - max(start, x["at"])
        else:
            off += stop - start
    if done:
        w = want.setdefault((x["dom"], x["name"].replace(
            "PENDING_VIRT_INTR", "PENDING_INTERRUPT")), [0, 0, 0])
        w[0] += 1
        w[1] += in_xen
        w[2] += off
got = {(r["domain"], r["reason"].replace("VMEXIT_", "")):
       [r["events"], r["in_xen_cycles"], r["off_cpu_cycles"]]
       for r in report["tables"]["domain_exits"]}
assert got == want, [(k, got.get(k), want.get(k)) for k in {**got, **want}
                     if got.get(k) != want.get(k)]
assert any(w[2] for w in want.values())
print(len(want), "reasons")
END

for options in '--scenario noisy' '--kind hvm --cpus 2 --domains 4 --load io'; do
    set -- --virtual --duration 1s --boot tbuf_size=256
    # shellcheck disable=SC2086 # options are words
    case $options in
    *noisy) set -- "$@" --scenario \
                "$top_srcdir/xensim/scenarios/noisy-neighbour.scenario" ;;
    *) set -- "$@" $options ;;
    esac
    expect 0 "$xensim" "$@" --truth truth -o trace
    expect 0 "$xenalyze" --json trace
    mv out report
    expect 0 python3 sums.py report
    expect 0 python3 truth.py report truth
    cat out
    expect 0 "$xenalyze" exits trace
    sed -n '1,/^--- Time in guest/p' out >tables
    [ "$(wc -L <tables)" -le 80 ] || fail "more than 80 columns"
    # The time of a halt is not time in Xen.
    grep -Eq '^ [^ ]+ +HLT +[0-9]+ +[0-9]+ +[0-9.]+ [um]s +[0-9.]+ m?s ' out ||
        fail "HLT: $(grep HLT out)"
done
for trace in intel amd; do
    expect 0 "$xenalyze" --json $trace
    mv out report
    expect 0 python3 sums.py report
done

# Without scheduler events, all exits count, and nothing is known off the pcpu.
compose unknown <<'END'
0 1000000 0x81001
0 1000100 0x81002 12 0x1000
0 1002100 0x81001
0 1002200 0x81002 1 0x1000
0 1002300 0x81001
END
expect 0 "$xenalyze" --cpu-hz 1G exits unknown
grep -Eq '^ unknown +2 .* 2\.1 us +[0-9.]+% +-$' out || fail "$(cat out)"
grep -q '^ unknown: without scheduler events' out || fail 'no word about it'
expect 0 "$xenalyze" --cpu-hz 1G --json unknown
mv out report
expect 0 python3 sums.py report
! grep -q '"off_cpu' report || fail 'time off the pcpu is not known'

# A rate below 10 per second has decimals: 3 exits in 4 seconds are not 0 or 1.
compose seldom <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x81002 12 0x1000
0 2002000 0x81001
0 3000000 0x81002 12 0x1000
0 3002000 0x81001
0 4000000 0x81002 10 0x1000
0 4002000 0x81001
0 4001000000 0x21011 0x10000
END
expect 0 "$xenalyze" --cpu-hz 1G exits seldom
grep -Eq '^ d1 +3 +0\.75 ' out || fail "no decimals: $(cat out)"
grep -Eq '^ d1 +HLT +2 +0\.50 ' out || fail "no decimals: $(cat out)"
expect 0 "$xenalyze" --cpu-hz 1G --report-overview seldom
grep -Eq '^ d1 .* 0\.75$' out || fail "overview: $(cat out)"

# Interrupts of Xen itself have a name in the table, beside their vector in
# JSON; all other vectors are numbers.  The handler is never cut.
vectors='240 irq0-timer
250 local-timer
251 call-function
252 event-check
253 invalidate-tlb
254 apic-error
255 spurious
241
249
81
4294967295'
{
    echo '0 1000000 0x81001'
    i=0
    echo "$vectors" | while read -r vector name; do
        i=$((i + 1))
        echo "0 $((1000000 + 1000 * i)) 0x81002 1 0x1000"
        echo "0 - 0x8200f $vector"
        echo "0 $((1000500 + 1000 * i)) 0x81001"
    done
} | compose vectors
expect 0 "$xenalyze" --cpu-hz 1G exits vectors
cp out tables
echo "$vectors" | while read -r vector name; do
    long=EXTERNAL_INTERRUPT
    [ "$vector" -le 255 ] || long=EXTERNAL_INTERR~
    grep -Eq "^ unknown $long: ${name:-vector $vector} +1 +500 ns" \
        tables || fail "$vector: $(cat tables)"
done || exit 1
expect 0 "$xenalyze" --cpu-hz 1G --json vectors
mv out report
cat >vectors.py <<'END'
import json, sys

want = dict((line.split() + [None])[:2] for line in sys.argv[2].splitlines())
tables = json.load(open(sys.argv[1]))["tables"]
for name in "domain_exit_handlers", "exit_handlers":
    got = {str(r["vector"]): r.get("interrupt") for r in tables[name]}
    assert got == want, got
    assert all(r["handler"] == "vector %d" % r["vector"]
               for r in tables[name])
END
expect 0 python3 vectors.py report "$vectors"
expect 0 "$xenalyze" exits intel
for name in local-timer event-check; do
    grep -q ": $name " out || fail "no $name: $(cat out)"
done
[ "$(sed '/^--- Time in guest/,$d' out | wc -L)" -le 80 ] || fail "too wide"

# A name of a reason that is cut ends in a mark; the handler is complete.
cat >long.scenario <<'END'
cpus = 2
[domain Domain-0]
vcpus = 1
[domain guest-with-a-long-customer-name]
kind = hvm
vcpus = 2
load = io,busy
END
expect 0 "$xensim" --virtual -f long.scenario -T 0.1 --output long
expect 0 "$xenalyze" --report-exits long
grep -qE '^ guest-with~1 EXTERNAL_INTERRU~: local-timer +[0-9]' out ||
    fail "$(sed -n '/by handler/,/^---.*Dur/p' out)"
grep -qE '[A-Z]~: ' out || fail 'no reason is cut'
grep -E ' (EXTERNAL_INTERRU?P?|IO_INSTRUCTI?O?): ' out &&
    fail 'a reason is cut without a mark'
awk 'length > 80' out >wide
[ ! -s wide ] || fail "$(cat wide)"

# An exit with several accesses counts once: each access has a part of its
# time.  Addresses beyond the first 16 records of an exit are "others".
{
    echo '0 1000000 0x21101 0x10000'
    echo '0 1000100 0x81001'
    echo '0 1001000 0x81002 30 0x1000'
    for port in 0x1f0 0x1f0 0x1f0 0x3f8; do echo "0 - 0x82016 $port 0"; done
    echo '0 1401000 0x81001'
    echo '0 2001000 0x81002 30 0x1000'
    i=0
    while [ $((i += 1)) -le 20 ]; do echo '0 - 0x82016 0x1f0 0'; done
    echo '0 2401000 0x81001'
    echo '0 2500000 0x81002 48 0x1000'
    echo '0 - 0x82017 0xfee00300 5'
    echo '0 - 0x82217 0xfee00310 5'
    echo '0 2600000 0x81001'
    echo '0 3000000 0x21011 0x10000'
} | compose accesses
expect 0 "$xenalyze" --cpu-hz 1G --summary accesses
for row in ' 1f0:.r. +19 +0.00s 31.00% 32631 cyc' \
           ' 3f8:.r. +1 +0.00s  5.00% 100000 cyc' \
           ' others: +4 +0.00s  4.00% 20000 cyc' \
           'fee00300:.r. +1 +0.00s  2.50% 50000 cyc' \
           'fee00310:.w. +1 +0.00s  2.50% 50000 cyc'; do
    grep -Eq "^ *${row# }" out || fail "$row: $(sed -n '/^IO addr/,$p' out)"
done
expect 0 "$xenalyze" --cpu-hz 1G --json accesses
mv out report
cat >accesses.py <<'END2'
import json, sys

tables = json.load(open(sys.argv[1]))["tables"]
sums = {(r.get("port"), r.get("access")): r["total_cycles"]
        for r in tables["io_ports"]}
assert sums == {(0x1f0, "read"): 620000, (0x3f8, "read"): 100000,
                (None, None): 80000}, sums
END2
expect 0 python3 accesses.py report

# With shadow paging, MMIO has the guest's virtual address beside the physical.
compose virtual <<'END2'
0 1000000 0x21101 0x10000
0 1001000 0x81102 0 0x1000 0
0 - 0x40f105 0x78000 0
0 - 0x82117 0xfeb00000 0 5
0 1401000 0x81001
0 1501000 0x81102 0 0x1000 0
0 - 0x40f105 0x77000 0
0 - 0x82117 0xfeb00000 0 5
0 1601000 0x81001
0 2001000 0x21011 0x10000
END2
expect 0 "$xenalyze" --cpu-hz 1G --summary virtual
grep -q '^feb00000@   77000:.r. ' out || fail "$(grep -A1 '^MMIO' out)"
expect 0 "$xenalyze" --cpu-hz 1G --json virtual
sed -n '/^"mmio_virtual_addresses":/{n;p;}' out | grep -qF \
    '"address":4272947200,"virtual_address":487424,"times":2}' ||
    fail "no virtual address in JSON"
