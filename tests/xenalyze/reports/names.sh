#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Domains are selected by name: in files, in streams, and for every kind of
# output.  A name that is not in the trace is one line, with the names that are.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

noisy=$top_srcdir/xensim/scenarios/noisy-neighbour.scenario
expect 0 "$xensim" --virtual -f "$noisy" -T 0.3 --output noisy

# same ID_OPTION NAME_OPTION OUTPUT...: both select the same
same() {
    by_id=$1
    by_name=$2
    shift 2
    # shellcheck disable=SC2086 # an option and its argument
    expect 0 "$xenalyze" "$@" $by_id noisy
    mv out expected
    [ -s expected ] || fail "$* $by_id: empty"
    # shellcheck disable=SC2086 # an option and its argument
    expect 0 "$xenalyze" "$@" $by_name noisy
    cmp out expected || fail "$* $by_name: not the output of $by_id"
    # shellcheck disable=SC2086 # an option and its argument
    "$xenalyze" "$@" $by_name - <noisy >out || fail "$* $by_name -: failed"
    cmp out expected || fail "$* $by_name: another output of a stream"
}

for output in --dump-all --records --count --report-latency --summary \
    --report-exits; do
    same '--domain 2' '--domain render' $output
    same '--vcpu d2v1,d1v0' '--vcpu render/1,voice/0' $output
done

# wrong CODE MESSAGE OPTION...: one line on standard error
wrong() {
    code=$1
    message=$2
    shift 2
    expect "$code" "$xenalyze" "$@" noisy
    [ -s out ] && fail "$*: output in spite of the error"
    [ "$(cat err)" = "xenalyze: $message" ] || {
        cat err >&2
        fail "$*: another message than '$message'"
    }
}

has='the trace has Domain-0, voice, render'
for output in --dump-all --summary; do
    wrong 1 "--domain: no domain is named vioce; did you mean voice? $has" \
        $output --domain vioce
    wrong 1 "--vcpu: no domain is named web/0; $has" $output --vcpu web/0
    wrong 2 '--domain: 2-1 is invalid; expected domains and ranges, such as 0,3-5,idle,web1' \
        $output --domain 2-1
    wrong 2 '--vcpu: render/x is invalid; expected vcpus, such as d1v0,d1v1,web1/0' \
        $output --vcpu render/x
done
