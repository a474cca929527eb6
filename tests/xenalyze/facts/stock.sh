#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every count and average in stock's summary equals that of the state machines,
# and there are no others.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

agree() {
    what=$1
    option=$2
    shift 2
    play --duration=300ms "$@"
    # shellcheck disable=SC2086
    "$stock" --cpu-hz 1000000000 $option --summary trace >said 2>noise ||
        fail "$what: stock gives up: $(tail -n 1 noise)"
    awk -f "$analysis/stock.awk" said >theirs
    [ "$(wc -l <theirs)" -gt 100 ] || fail "$what: stock prints too few lines"
    expect 0 "$facts" sums trace
    awk -f "$analysis/compare.awk" theirs out >differ
    [ ! -s differ ] || {
        head -n 4 differ >&2
        fail "$what: $(wc -l <differ) of $(wc -l <theirs) lines differ"
    }
    echo "$what: $(wc -l <theirs) lines"
}

agree "Intel" "" --seed=1
agree "AMD" --svm-mode --seed=2 --vendor=amd --kind=hvm
agree "PV" "" --seed=3 --kind=pv -c 8
agree "null" "" --seed=4 --scheduler=null -c 16
agree "crowded" "" --seed=5 -c 2 --domains=6 --load=io
