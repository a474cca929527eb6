#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Domains that are created or destroyed in a trace: the time of their vcpus is
# that of their lives, in all reports.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

cat >scenario <<'END'
cpus = 4
rate = 2k
[domain Domain-0]
vcpus = 1
load = quiet
[domain early]
kind = pvh
load = busy
end = 300ms
[domain late]
kind = pvh
vcpus = 2
load = bursty
start = 300ms
end = 800ms
[domain last]
load = io
start = 700ms
END
expect 0 "$xensim" --virtual -f scenario -T 1 --truth truth -o life
for threads in 1 2; do
    expect 0 "$xenalyze" --json --threads $threads life
    mv out all.json
    expect 0 "$xenalyze" why --json --threads $threads life
    python3 - truth all.json out <<'END' || fail "other lives with $threads threads"
import json, sys
begin, end = {}, {}
trace = json.load(open(sys.argv[2]))["trace"]
first, last = trace["start_tsc"], trace["start_tsc"] + trace["length_cycles"]
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["what"] == "domain" and r["event"] == "create":
        begin[r["dom"]] = r["at"]
    if r["what"] == "domain" and r["event"] == "destroy":
        end[r["dom"]] = r["at"]
assert len(begin) == 2 and len(end) == 2, (begin, end)
lives = {d: end.get(d, last) - begin.get(d, first) for d in range(4)}
def known(rows, keys):
    sums = {}
    for r in rows:
        key = tuple(r[k] for k in keys)
        sums[key] = sums.get(key, 0) + r.get("total_cycles", 0) + \
            r["open_cycles"]
    return sums
for name in sys.argv[2:]:
    tables = json.load(open(name))["tables"]
    vcpus = known(tables["vcpu_states"], ("domain", "vcpu"))
    assert len([k for k in vcpus if k[0] < 4]) == 5, vcpus
    for key, cycles in vcpus.items():
        if key[0] < 4:
            assert abs(cycles - lives[key[0]]) < 3000000, (key, cycles, lives)
END
done
# d2v1 starts late and is paused until then, d2v0 is never paused.
for vcpu in 0 1; do
    expect 0 "$xenalyze" why d2v$vcpu life
    mv out d2v$vcpu
done
python3 - truth all.json <<'END' || fail "other shares of a life"
import json, sys
at = [r["at"] for r in map(json.loads, open(sys.argv[1]))
      if r["what"] == "domain" and r["dom"] == 2]
life = at[1] - at[0]
report = json.load(open(sys.argv[2]))
cycles = {(r["vcpu"], r["state"]): r.get("total_cycles", 0) + r["open_cycles"]
          for r in report["tables"]["vcpu_states"] if r["domain"] == 2}
def share(*key):
    return "%.1f%%" % (100 * cycles.get(key, 0) / life)
assert (share(0, "offline"), share(1, "offline")) == ("0.0%", "0.6%"), cycles
for vcpu in 0, 1:
    states = [("waited for a pcpu", "runnable"), ("ran", "running"),
              ("blocked", "blocked")] + [("paused", "offline")] * vcpu
    want = " Of %.1f ms: %s.\n" % (
        life * 1000 / report["trace"]["tsc_hz"],
        ", ".join(text + " " + share(vcpu, name) for text, name in states))
    with open("d2v%d" % vcpu) as lines:
        assert want in lines, (want, open("d2v%d" % vcpu).read())
END
expect 0 "$xenalyze" life
sed -n '/Where the time went/,$p' out |
    awk '/^ (early|late|last)/ { print $1, $NF }' | sort -u >known
for line in 'late/0 0.50s' 'early/0 0.30s' 'last/0 0.30s' 'early 0.30s'; do
    grep -qx "$line" known || fail "no $line in $(cat known)"
done

# d1 has two lives of a second, with its id in use again; d2 is never created,
# d3 has no vcpu, and d4 runs when a damaged record destroys it.
compose lives <<'END'
0 1000000 0x21101 0x7fff0000
0 1000000 0x28001 1
0 2000000 0x21211 0x10000
0 2000000 0x21011 0x7fff0000
0 2000000 0x21101 0x10000
0 500000000 0x21031 0x10000
0 500000000 0x21101 0x7fff0000
0 1001000000 0x28002 1
0 2000000000 0x41001 3
0 3000000000 0x41001 1
0 3000000000 0x28001 1
0 3100000000 0x21211 0x10000
0 3100000000 0x21011 0x7fff0000
0 3100000000 0x21101 0x10000
0 3300000000 0x21031 0x10000
0 3300000000 0x21101 0x40000
0 3500000000 0x41002 4
0 3600000000 0x21011 0x40000
0 3600000000 0x21101 0x7fff0000
0 4000000000 0x41002 1
0 4000000000 0x28002 1
0 5001000000 0x21011 0x7fff0000
END
for threads in 1 2; do
    expect 0 "$xenalyze" --cpu-hz 1G --threads $threads lives
    sed -n '/Where the time went/,$p' out >lines
    grep -q '^ d1v0 *34\.90 .* 2\.00s$' lines || fail "$(cat lines)"
    grep -q '^ d4v0 .* 5\.00s$' lines || fail "$(cat lines)"
    if grep -q '^ d[23]' lines; then fail "no vcpu: $(cat lines)"; fi
    for report in why --report-latency --check-scheduler "over run"; do
        # shellcheck disable=SC2086 # two words
        expect 0 "$xenalyze" $report --cpu-hz 1G --threads $threads lives
    done
done

# Domains that live between two drains of the rings have names, too.
cat >scenario <<'END'
cpus = 2
rate = 1k
[domain short]
copies = 3
stagger = 1ms
start = 50ms
end = 53ms
[domain old]
rename = 60ms
new-name = new
start = 51ms
END
expect 0 "$xensim" --virtual -f scenario -T 0.2 -o short
expect 0 "$xenalyze" --summary short
for line in 'd1 is short1' 'd2 is short2' 'd3 is new' 'd4 is short3'; do
    grep -qx " $line" out || fail "no $line in $(grep ' is ' out)"
done

# A domain with the id of a destroyed one: a warning, and both names.  A domain
# that gets another name with the same UUID has the last one.
{
    echo '0 - 0x1f090 5 1 2 3 4'
    name_domain 5 web
    echo '0 - 0x1f090 6 9 9 9 9'
    name_domain 6 mail--incoming
    echo '0 1000000 0x41001 5'
    echo '0 1000100 0x21101 0x50000'
    echo '0 101000000 0x21031 0x50000'
    echo '0 101000100 0x41002 5'
    echo '0 101000200 0x28002 5'
    # in a window of their own
    echo '1 - 0x1f090 5 5 6 7 8'
    name_domain 5 db2 | sed 's/^0/1/'
    echo '1 - 0x1f090 6 9 9 9 9'
    name_domain 6 mail | sed 's/^0/1/'
    echo '0 501000000 0x28001 5'
    echo '0 501000100 0x41001 5'
    echo '0 501000200 0x21101 0x50000'
    echo '0 701000200 0x21011 0x50000'
    echo '0 701000200 0x21101 0x60000'
    echo '0 1001000000 0x21021 0x60000'
} | compose again
text='again: domain 5 (web+db2) was destroyed, and created again at 0.500000000s'
for report in --summary --report-latency --json 'why --json'; do
    # shellcheck disable=SC2086 # a command and an option
    expect 0 "$xenalyze" ${report%%-*} --cpu-hz 1G -${report#*-} ./again
    grep -qF "$text" err || fail "$report: no warning"
    [ "$(grep -c 'created again' err)" = 1 ] || fail "$report: two warnings"
done
expect 0 "$xenalyze" --cpu-hz 1G --summary ./again
grep -q '^ web+db2/0 .* 0.60s$' out || fail "not both: $(grep web out)"
grep -q '^ mail/0 ' out || fail "not the last name: $(grep mail out)"
grep -q '^ domains with the id of a destroyed one.*: 1$' out ||
    fail "no line in the data quality"
for name in db2 web web+db2 5; do
    expect 0 "$xenalyze" --cpu-hz 1G --summary --domain $name ./again
    grep -qF "$text" err || fail "--domain $name: no warning"
done
for selection in '--time ..0.5' '--time 0.500000001..' '--domain mail'; do
    # shellcheck disable=SC2086 # an option and its argument
    expect 0 "$xenalyze" --cpu-hz 1G --summary $selection ./again
    grep -q 'created again' err && fail "$selection: a warning"
done
expect 0 "$xenalyze" --cpu-hz 1G --report-latency life
! grep -q 'created again' err || fail "a warning without a reason"
