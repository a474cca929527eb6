#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The compact file for Perfetto, decoded by protoc with our schema: switches and
# wake-ups in columns break no rule of the importer, and times and counts equal
# those of --json.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

command -v protoc >/dev/null || skip "there is no protoc to read the files"

# check_rules TRACE [JSON LINES] -- OPTION...: export, read back, and compare
check_rules() {
    trace=$1
    shift
    files=
    while [ "$1" != -- ]; do
        files="$files $1"
        shift
    done
    shift
    expect 0 "$xenalyze" export perfetto-compact "$@" "$trace" -o file.pftrace
    protoc --decode=Trace -I "$viewers" "$viewers/perfetto.proto" \
        <file.pftrace >file.text || fail "$trace: protoc cannot read the file"
    # shellcheck disable=SC2086 # names of files
    expect 0 python3 "$viewers/import-perfetto.py" file.text $files
}

for trace in $(small_traces); do
    expect 0 "$xenalyze" --json "$trace"
    mv out whole.json
    expect 0 "$xenalyze" dump sched_runstate_change "$trace"
    mv out whole.lines
    check_rules "$trace" whole.json whole.lines --
    [ ! -s err ] || fail "$trace: $(cat err)"
    [ "$trace" != mix ] || mv out mix.totals
    [ "$trace" != lossy ] || grep -q 'lost [1-9]' out || fail 'nothing is lost'
done
for count in runs wake-ups exits calls; do
    grep -q "$count [1-9]" mix.totals || fail "no $count: $(cat mix.totals)"
done

# Less than the states of a generic kernel.
expect 0 "$xenalyze" export perfetto-compact mix -o small
expect 0 "$xenalyze" export perfetto mix -o large
[ "$(wc -c <small)" -lt "$(wc -c <large)" ] || fail 'the file is not smaller'

check_rules mix -- --vcpu d2v0
grep -qx 'vcpus pvh2/0' out || fail "$(cat out)"
grep -q Domain-0 file.text && fail 'a waker that is not selected'
check_rules mix -- --pcpu 1-2
grep -qx 'cpus 1 2' out || fail "$(cat out)"
check_rules mix -- --time 0.1..0.2
cat mix mix >twice
check_rules twice --
sed -n 's/^runs \([0-9]*\).*/\1/p' out mix.totals | {
    read -r both
    read -r one
    [ "$both" -ge $((2 * one - 2)) ]
} || fail "the second boot is missing: $(cat out mix.totals)"
compose_names
check_rules names --
check_rules "./$hostile" --
