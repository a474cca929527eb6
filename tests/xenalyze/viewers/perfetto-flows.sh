#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Flows in a file for Perfetto join the waker, the wait and the woken vcpu as
# the ground truth of the simulator has them.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

command -v protoc >/dev/null || skip "there is no protoc to read the files"

# list_waits FORMAT TRACE OPTION...: the waits in the file, as `waits`
list_waits() {
    format=$1
    trace=$2
    shift 2
    expect 0 "$xenalyze" export "$format" "$@" "$trace" -o file.pftrace
    protoc --decode=Trace -I "$viewers" "$viewers/perfetto.proto" \
        <file.pftrace >file.text || fail "$trace: protoc cannot read the file"
    expect 0 python3 "$viewers/import-perfetto.py" file.text --waits
    sed -n '/^wait /p' out >waits
}

# check_truth WHAT: the truth has the listed waits
check_truth() {
    expect 0 "$xenalyze" info --json trace
    mv out first.json
    expect 0 python3 "$viewers/check-flows.py" waits truth first.json
    grep -q 'wakers: [1-9][0-9]* vcpus, [1-9]' out || fail "$1: $(cat out)"
    echo "$1: $(cat out)"
}

# play_truth OPTION...: simulate; writes trace and truth
play_truth() {
    expect 0 "$xensim" --virtual --output trace --truth truth "$@"
}

for seed in 1 7; do
    play_truth -T 0.4 --cpus 3 --kind mix --seed "$seed"
    list_waits perfetto trace
    [ "$(wc -l <waits)" -eq 64 ] || fail "$(wc -l <waits) waits, not 64"
    check_truth "seed $seed"
done
list_waits perfetto-compact trace
check_truth 'compact'

# The check notices another waker, and a wait that is missing.
cp waits all
sed 's|/0$|/1|' all >waits
cmp -s all waits && fail 'no waker was changed'
expect 1 python3 "$viewers/check-flows.py" waits truth first.json
awk '$NF != "-" { print $4 - $3, $0 }' all | sort -n | sed '$d' |
    cut -d ' ' -f 2- >waits
expect 1 python3 "$viewers/check-flows.py" waits truth first.json

# Each of two boots has its own list.
cat trace trace >twice
list_waits perfetto twice
[ "$(wc -l <waits)" -eq 128 ] || fail "$(wc -l <waits) waits of two boots"

# A selection: no pieces, since rivals are unknown, and no other waker.
list_waits perfetto trace --domain 1
[ -s waits ] || fail 'a selection has no waits'
awk '$5 || ($NF ~ /\// && $NF !~ /1\//) || $2 !~ /1\// { exit 1 }' waits ||
    fail "$(cat waits)"
