#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare with stock's xenalyze line by line: summary and pcpus except for
# percentiles of times and the DIFFERENCES of xenalyze(1), and the points of
# scatterplots in any order.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

# plain: the lines to compare: up to the brace, without affinity and pcpus, and
# for HVM guests without details, which stock has for the first vcpu only.
plain() {
    sed -e '/^--- Domain names/,$d' -e '/^--- Where the time went/,$d' -e 's/ *{.*//' |
        awk '/^ cpu affinity/ { skip = 1; next }
             skip && /^   \[/ { next }
             { skip = 0 }
             /^pcpu / { exit }
             /^   [a-zA-Z(]/ && /cyc/ { next }
             /^    \[ *[a-z_]+(\(compat\))?\] / { next }
             /^ +\[ *[0-9]+\]: [0-9]+$/ && !/affinity/ { next }
             /^  [A-Z_]+\( *[0-9]+\): [0-9]+$/ { next }
             /^   [a-z0-9-]+ *: [0-9]+$/ { next }
             /^   \* (wake|intr) to halt/ { next }
             { print }'
}

pcpus() {
    awk '/^pcpu /, /^Total active/ { sub(/ *[{].*/, ""); print }
         /^Total active/ { exit }'
}

# Drop points from before the first known vcpu.
points() {
    grep -v '^32768v' | sort
}

for trace in $(traces); do
    svm=
    [ "$trace" = amd ] && svm=--svm-mode
    # shellcheck disable=SC2086 # may be nothing
    "$stock" $svm --cpu-hz 1000000000 --summary \
        --show-default-domain-summary "$trace" 2>/dev/null | plain >expected
    expect 0 "$xenalyze" --cpu-hz 1000000000 --summary \
        --show-default-domain-summary "$trace"
    plain <out >got
    [ "$(wc -l <expected)" -gt 20 ] || fail "$trace: stock prints too little"
    diff expected got >differ || {
        head -n 10 differ >&2
        fail "$trace: the summary differs"
    }
    # shellcheck disable=SC2086
    "$stock" $svm --cpu-hz 1000000000 --report-pcpu "$trace" 2>/dev/null |
        pcpus >expected
    grep -q running expected || fail "$trace: stock knows of no pcpu"
    expect 0 "$xenalyze" --cpu-hz 1000000000 --report-pcpu "$trace"
    pcpus <out | diff expected - >differ || {
        head -n 10 differ >&2
        fail "$trace: --report-pcpu differs"
    }
    for plot in runstate pcpu irq rdtsc vmexit-eip extint-cycles=250 \
        interrupt-eip=250 io=504; do
        # shellcheck disable=SC2086
        "$stock" $svm --cpu-hz 1000000000 --scatterplot-$plot "$trace" \
            2>/dev/null | points >expected
        # Without points, stock says nothing, and we say why (nothing.sh).
        expect "$([ -s expected ]; echo $?)" "$xenalyze" --cpu-hz 1000000000 \
            --scatterplot-$plot "$trace"
        points <out | diff expected - >differ || {
            head -n 10 differ >&2
            fail "$trace: --scatterplot-$plot differs"
        }
    done
done
exit 0
