# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common to the tests of indexes: reports with and without one are compared.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

run_xensim() {
    expect 0 "$xensim" --virtual --boot tbuf_size=64 "$@"
}

# same_output TRACE COMMAND... : the output with and without the index is equal
same_output() {
    trace=$1; shift
    "$xenalyze" "$@" "$trace" >with 2>with.err
    with=$?
    mv "$trace.xti" aside
    "$xenalyze" "$@" "$trace" >without 2>without.err
    without=$?
    mv aside "$trace.xti"
    [ $with -eq $without ] && [ -s without ] && cmp with without >&2 &&
        cmp with.err without.err >&2 || {
        diff without with | sed 20q >&2
        fail "$trace: $* differs: $(cat with.err)"
    }
}

# same TRACE SPAN COMMAND... : likewise, of a span
same() {
    trace=$1; span=$2; shift 2
    same_output "$trace" "$@" --time="$span"
}

# same_counts TRACE [COMMAND...]: what the index has for info and count is right
same_counts() {
    trace_of_counts=$1; shift
    for command in info 'info --json' '--count --info' "$@"; do
        # shellcheck disable=SC2086
        same_output "$trace_of_counts" $command
    done
}

check_reports() {
    for command in summary latency exits why io wakeups --report-interrupts \
        --report-pcpu 'export json' --cut=- dump \
        'compare --against=0.2..0.5' 'latency --domain=1'
    do
        # shellcheck disable=SC2086
        same "$1" "$2" $command
    done
}

# A part of these is used if it is far shorter than what is in front of it.
play_mix() {
    run_xensim -T 14 --seed 3 --cpus 4 --kind mix --rate 10k --output mix
}

play_amd() {
    run_xensim -T 14 --seed 5 --cpus 6 --kind hvm --load io --rate 5k \
        --vendor amd --hotplug 150ms --output amd
}
