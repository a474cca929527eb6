#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A pcpu without records to the end of the trace: the state of its vcpu is "no
# data", and not "lost", which means lost records, in tables, JSON and pictures.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# d1v0 runs on pcpu 0; the records of pcpu 0 end at a quarter of the trace.
compose silent <<'END'
0 1000000 0x21101 0x10000
1 1000000 0x21101 0x20000
0 2000000 0x28002 0x10000
1 5000000 0x21021 0x20000
END

expect 0 "$xenalyze" --summary silent
awk '$1 == "vcpu" { lost = index($0, "lost") + 4; data = index($0, "no data") + 7 }
     $1 == "d1v0" { print substr($0, lost - 7, 7), substr($0, data - 7, 7); exit }' \
    out >got
read -r lost data <got
[ "$lost" = 0.00 ] || fail "d1v0: lost $lost"
[ "$data" = 75.00 ] || fail "d1v0: no data $data"
grep -q '^ records lost: none' out || fail "records are reported as lost"
grep -q '^ domain .* no data ' out || fail "the domains have no such column"

expect 0 "$xenalyze" --json silent
python3 - out <<'END' || fail "JSON has other states"
import json, sys
d = json.load(open(sys.argv[1]))
for table in "vcpu_states", "domain_states":
    states = {r["state"] for r in d["tables"][table]}
    assert "no data" in states and "lost" not in states, (table, states)
END

expect 0 "$xenalyze" --scatterplot-runstate --plot p.svg silent
grep -q '>no data<' p.svg || fail "the picture has no such state"
if grep -q '>lost<' p.svg; then fail "the picture has lost records"; fi

# A guest in guest mode all the time, but for the half of which records are lost:
# no part of the lost time is time in which the vcpu did not run.
compose guest <<'END'
0 1000000 0x21101 0x10000
0 1000000 0x81001
0 2000000 0x81002 1 0x1000
0 2000000 0x81001
0 4000000 0x1f001 7 0 2000000 0
0 4000000 0x21101 0x10000
0 4000000 0x81001
0 5000000 0x81002 1 0x1000
0 5000000 0x81001
END
for report in --summary --report-exits; do
    expect 0 "$xenalyze" $report guest
    grep -qx ' d1v0: 50.00% in the guest, 0.00% in the hypervisor, 0.00% not running,\?' \
        out || fail "$report: lost time counts as not running"
    grep -q '50.00% unknown$' out || fail "$report: lost time is missing"
done

# A trace to its end on all pcpus has no such column.
expect 0 "$xenalyze" --summary --time ..1500000c silent
if grep -q 'no data' out; then fail "no data, though all is known"; fi
