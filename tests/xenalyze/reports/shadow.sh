#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shadow page faults in all details, values of CR3, MMIO with guest addresses:
# equal to stock's output for a composed trace.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

awk -f "$top_srcdir/tests/xenalyze/reports/shadow.awk" | compose shadow
options="--cpu-hz 1000000000 --with-cr3-enumeration --with-mmio-enumeration"

# Remove the DIFFERENCES of xenalyze(1): percentiles of times, affinity, details
# of the second vcpu, the last frame (id 4) and times of others, time in the
# guest after blocking (id 3), names of two parts, a kind of record that Xen
# never writes.
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
grep -q '+ unsync:' expected || fail "stock prints too little"
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
