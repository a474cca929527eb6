#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Waits without a begin or an end in the trace, or in the span of --time: they
# are listed and marked, and complete and open waits together are the time in
# which the summary has a vcpu runnable.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# The null scheduler has no pcpu for the third vcpu.
cat >starved.scenario <<'END'
cpus = 2
scheduler = null
[domain Domain-0]
vcpus = 1
[domain web]
vcpus = 1
[domain shop]
vcpus = 1
END
"$xensim" --virtual -f starved.scenario -T 0.2 -o starved >/dev/null ||
    fail 'starved cannot be simulated'
"$xenalyze" --report-overview starved >overview || fail 'no overview'
sed -n '/^Longest waits/{n;p}' overview |
    grep -qE '^ 0\.[0-9]+ shop/0 waited .* ms \(no end\)$' ||
    fail "the longest wait is another: $(cat overview)"
"$xenalyze" latency --domain shop starved >shop.txt || fail 'no latency'
grep -qE '^ shop/0 +1 +0 +1 +[0-9.]+ ms' shop.txt ||
    fail "no open wait: $(cat shop.txt)"
[ "$(grep -c '^ shop' shop.txt)" -eq 1 ] || fail "more of shop: $(cat shop.txt)"

"$xensim" --virtual --cpus 1 --seed 7 --ratelimit 10ms --domains 6 --vcpus 1 \
    --kind pv --load busy -T 0.1 -o busy >/dev/null || fail 'no busy'
"$xensim" --virtual --cpus 16 --domains 60 --boot tbuf_size=1 --drain 50ms \
    -T 0.2 -o lossy >/dev/null || fail 'no lossy'
"$xenalyze" latency busy | grep -q '^ 0.* last on pcpu 0, waited .* (no end)' ||
    fail 'the last pcpu is missing'
"$xenalyze" latency --time=0.0152..0.0225 busy >cut || fail '--time fails'
[ "$(grep -c 'waited 7\.3 ms (no begin or end)' cut)" -eq 6 ] ||
    fail "not six waits of the span's length: $(cat cut)"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

cat >judge.py <<'END'
import json, sys

tables = json.load(sys.stdin)["tables"]
runnable, waited = {}, {}

def add(sums, row, *columns):
    key = row["domain"], row["vcpu"]
    cycles = sum(row.get(column, 0) for column in columns)
    if cycles and row["domain"] != 32767:
        sums[key] = sums.get(key, 0) + cycles

for row in tables["vcpu_states"]:
    if row["state"] == "runnable":
        add(runnable, row, "total_cycles", "open_cycles")
for row in tables["waits"]:
    add(waited, row, "total_cycles")
for row in tables["open_waits"]:
    assert row["max_cycles"] <= row["time_cycles"], row
    assert row["waits"] <= row["no_begin"] + row["no_end"], row
    add(waited, row, "time_cycles")
assert runnable and runnable == waited, (runnable, waited)
kinds = {row.get("open") for row in tables["longest_waits"]}
assert all(("pcpu" in row) == ("no end" not in str(row.get("open"))
           and "or end" not in str(row.get("open")))
           for row in tables["longest_waits"])
for kind in sys.argv[1:]:
    assert kind in kinds, (kind, kinds)
END

# judge TRACE TIME KIND...: marks of some of the longest waits
judge() {
    trace=$1
    time=$2
    shift 2
    "$xenalyze" --json --top=9 --time="$time" "$trace" >"$trace.json" &&
        python3 judge.py "$@" <"$trace.json" || fail "$trace, --time=$time"
}

judge starved 0.. 'no end'
judge busy 0.. 'no end'
judge busy 0.04..0.05 'no begin' 'no end' 'no begin or end'
judge busy 0.0152..0.0225 'no begin or end'
judge busy 0.03..0.08 'no begin' 'no end'
judge lossy 0..
"$xenalyze" --json --threads=1 lossy >one && "$xenalyze" --json --threads=4 \
    lossy >four && cmp -s one four || fail 'threads change the waits'
