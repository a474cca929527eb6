#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The facts equal the ground truth: each runstate of each vcpu, each wake-up
# with its latency, each migration, each exit with its cycles; to the cycle, and
# no others.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

# read_both: sort the listed and the expected facts
read_both() {
    expect 0 "$facts" list trace
    first=$(awk '$1 == "first" { print $2 }' out)
    awk -f "$analysis/listed.awk" out | sort >listed
    awk -f "$top_srcdir/tests/truth/field.awk" -f "$analysis/told.awk" truth |
        sort >whole
    awk -f "$analysis/away.awk" whole whole | sort >told
}

# compare_kind KIND: compare the listed and the expected facts
compare_kind() {
    grep "^$1 " listed >ours
    grep "^$1 " told >theirs
    [ -s ours ] || fail "$what: no $1 is listed"
    comm -23 ours theirs >odd
    [ ! -s odd ] || {
        head -n 4 odd >&2
        fail "$what: a listed $1 is not in the truth"
    }
    comm -13 ours theirs >missing
}

# at_most PER_VCPU COLUMN: missing facts are only at an end of the trace
at_most() {
    awk -v most="$1" -v column="$2" -v first="$first" '
        $column > first && ++n[$2] > most { print; bad = 1 }
        END { exit bad }' missing >odd || {
        head -n 4 odd >&2
        fail "$what: facts of the truth are missing"
    }
}

agree() {
    what=$1
    shift
    play --duration=200ms "$@"
    read_both
    compare_kind runstate
    # The last one is cut by the end of the trace.
    at_most 1 4
    # The pcpu of a vcpu before its first run is unknown.
    if grep -q '^migration' listed; then
        compare_kind migration
        at_most 1 3
    fi
    if grep -q '^exit' told; then
        compare_kind exit
        cut -d' ' -f7 ours >>ends
        # The last one is cut by the end of the trace.
        at_most 1 3
    fi
    # The truth has no wakers in interrupts.  All other wakers are in the truth,
    # and have to be listed.
    grep '^wake .* d[0-9]*v[0-9]*$' told | sort >wakers
    [ -s wakers ] || fail "$what: the truth has no wakers"
    cut -d' ' -f1-6 wakers >woken
    grep '^wake' listed | awk 'NR == FNR { by[$0] = 1; next }
        $1 " " $2 " " $3 " " $4 " " $5 " " $6 in by' woken - | sort >ours
    comm -13 wakers ours >odd
    [ ! -s odd ] || {
        head -n 4 odd >&2
        fail "$what: a listed waker is wrong"
    }
    [ $(wc -l <ours) -gt $(($(wc -l <wakers) / 2)) ] ||
        fail "$what: too few wakers are listed"
    for file in listed told; do
        awk '{ if ( $1 == "wake" ) NF = 6; print }' $file | sort >$file.wake
        mv $file.wake $file
    done
    compare_kind wake
    at_most 1 3
}

agree "credit2, Intel" --seed=1
agree "null, AMD, nested" --seed=2 --scheduler=null -c 8 --vendor=amd --nested
agree "master, AMD" --seed=3 --layout=master --vendor=amd --kind=hvm
agree "crowded" --seed=4 -c 2 --domains=6 --load=io
[ "$(sort -u ends | tr '\n' ' ')" = "0 1 2 " ] ||
    fail "not all that ends an exit was there: $(sort ends | uniq -c)"
