#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each loss is in the summary, in --info and in JSON: many short captures with
# rings of one page, which are full when the capture ends, so that no later
# record reports the losses.  The sums are those of the hypervisor, pcpu by pcpu.
. "$top_srcdir/tests/truth/lib.sh"

losses_of_hypervisor() {
    counts | cut -d' ' -f1,4
}

# losses_of_info TRACE: pcpu, lost.
losses_of_info() {
    expect 0 "$xenalyze" --info "$1"
    sed -nE 's/^ +([0-9]+) +[0-9]+ +[0-9]+ +([0-9]+)  .*/\1 \2/p' out
}

# losses_of_json TRACE: pcpu, lost; then the sum.
losses_of_json() {
    expect 0 "$xenalyze" --json "$1"
    sed -nE 's/^\{"pcpu":([0-9]+),.*"lost_records":([0-9]+),.*/\1 \2/p' out
    sed -nE 's/^"trace":.*"lost_records":([0-9]+),.*/sum \1/p' out
}

# check WHAT TRACE...: the traces are the whole capture.
check() {
    what=$1
    shift
    cat "$@" >whole
    losses_of_hypervisor >wanted
    [ -s wanted ] || fail "$what: no counts of the hypervisor"
    sum=$(awk '{ n += $2 } END { print n + 0 }' wanted)
    losses_of_info whole >found
    cmp -s wanted found || fail "$what: --info has other losses"
    losses_of_json whole >found
    { cat wanted; echo "sum $sum"; } | cmp -s - found ||
        fail "$what: --json has other losses"
    expect 0 "$xenalyze" --summary whole
    said=$(sed -nE 's/^ records lost: (none|[0-9]+ ).*/\1/p' out)
    [ "${said% }" = "$(echo "$sum" | sed 's/^0$/none/')" ] ||
        fail "$what: $sum records were lost; the summary says: $said"
    all=$((${all:-0} + sum))
    unreported=$((${unreported:-0} + sum -
        $(losses_of_records whole)))
}

# losses_of_records TRACE: those that records of the pcpu report.
losses_of_records() {
    # Exit code 1: the trace has none.
    "$xenalyze" --records --event lost_records "$1" >out 2>err || [ $? -eq 1 ]
    sed -nE 's/.* ([0-9]+) records lost from .*/\1/p' out |
        awk '{ n += $1 } END { print n + 0 }'
}

# capture SEED XENTRACE-OPTION...: the rings are full at the end, since the pipe
# is not read until then.
capture() {
    seed=$1
    shift
    expect 0 "$xensim" --cpus 2 --rate 0 --seed "$seed" --report counts -- \
        sh -c '"$@" -S 1 --buffer 16k -T 50ms | { sleep 0.1; cat; } >trace' \
        sh "$xentrace" "$@"
}

for seed in $(seq 40); do
    capture "$seed"
    check "seed $seed" trace
done
echo "40 captures lost $all records; $unreported of them only xentrace knows"
[ "$unreported" -gt 0 ] || fail "every loss was reported by a later record"

# Files of a series, read together: no loss counts twice.
expect 0 "$xensim" --cpus 2 --rate 0 --report counts -- \
    "$xentrace" -S 1 -s 20 --rotate-size 20k -T 300ms trace
[ -e trace.2 ] || fail "a single file"
# shellcheck disable=SC2046 # in the order of the numbers
check "a series" $(ls trace.* | sort -t. -k2n)

# The newest windows only: what is dropped from memory is no loss of the rings.
expect 0 "$xensim" --cpus 2 --rate 0 --report counts -- \
    "$xentrace" -S 1 -s 20 -M 20k -T 300ms trace
expect 0 "$xenalyze" --summary trace
grep -qE '^ records dropped from the memory buffer .*: [1-9]' out ||
    fail "older records were dropped, and the summary does not say so"
said=$(sed -nE 's/^ records lost: ([0-9]+) .*/\1/p' out)
sum=$(counts | awk '{ n += $4 } END { print n }')
[ "${said:-0}" -le "$sum" ] || fail "-M: $said of $sum records lost"

# A snapshot ends with the losses so far.
expect 0 "$xensim" --cpus 2 --rate 0 -- "$xentrace" -S 1 -s 1000 -M 1M \
    --snapshot-on 'lost>10' --snapshots 1 -T 60 trace
expect 0 "$xenalyze" --records --event meta_lost,meta_end trace.1
grep -q 'meta_lost .*: ring' out || fail "a snapshot has no counts of losses"
grep -q 'meta_end .* snapshot' out || fail "a snapshot does not say its end"

# The disk is full: unwritten records are counted, too.
expect 1 "$xensim" --cpus 2 --rate 200k -- \
    sh -c 'FAULT=write:3 exec "$1" -T 1 trace' sh "$xentrace"
expect 0 "$xenalyze" --summary trace
unwritten=$(sed -nE 's/^ records not written by the collector: //p' out)
[ "${unwritten:-0}" -gt 0 ] || fail "the unwritten records are not counted"
