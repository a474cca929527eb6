#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shadow page faults with all their parts, what was in CR3, MMIO with the
# guest's address: as stock has it, of a trace that is composed.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

awk -f "$top_srcdir/tests/xenalyze/reports/shadow.awk" | compose shadow
options="--cpu-hz 1000000000 --with-cr3-enumeration --with-mmio-enumeration"

# What DIFFERENCES of xenalyze(1) has is taken out: percentiles of times,
# affinity, details of the second vcpu, the frame that is never left (id 4) and
# when others were, time in the guest after a sleep (id 3), names that two
# parts share, a kind of record that no Xen writes.
plain() {
    sed -e '/^--- Where the time went/,$d' -e 's/ *{.*//' \
        -e '/^ cpu affinity/d' -e '/^   \[/d' -e 's/set flush  /set changed/' \
        -e 's/set error  /set changed/' -e '/destroy:/d' \
        -e 's/\(Seen: .*\)-.*\(switch\)/\1 \2/' -e '/ (id 4)/d' |
        awk '/^-- v1 --/ { second = 1 }
             /^Emulate eip/ { second = 0 }
             second && /cyc/ && !/^ [A-Z]/ && !/page_fault|mmio|user/ { next }
             / \(id/ { slept = /id 3/ }
             slept && /%/ { gsub(/ *[0-9.]+%/, ""); sub(/guest: +[0-9]+/, "") }
             { print }'
}

# shellcheck disable=SC2086 # several words
"$stock" $options --summary shadow 2>/dev/null | plain >expected
grep -q '+ unsync:' expected || fail "stock says too little"
# shellcheck disable=SC2086
expect 0 "$xenalyze" $options --summary shadow
plain <out | diff expected - >differ || {
    head -n 10 differ >&2
    fail "the summary differs"
}
mv out whole
# shellcheck disable=SC2086
expect 0 sh -c '"$1" $2 --threads 4 --summary <shadow | cmp - whole' sh \
    "$xenalyze" "$options"

for plot in cr3-switch unpin-promote; do
    for ids in --with-pio-enumeration --with-cr3-enumeration; do
        "$stock" --cpu-hz 1000000000 $ids --scatterplot-$plot shadow \
            2>/dev/null >expected
        [ "$(wc -l <expected)" -gt 4 ] || fail "$plot: stock has few points"
        expect 0 "$xenalyze" --cpu-hz 1000000000 $ids --scatterplot-$plot \
            shadow
        cmp -s expected out || {
            diff expected out | head -n 10 >&2
            fail "--scatterplot-$plot $ids differs"
        }
    done
done
exit 0
