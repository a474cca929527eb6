#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Seals and notes are nothing to stock's xenalyze: what it says of a trace is
# the same with them, but for the records that it counts and does not know.
. "$top_srcdir/tests/truth/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}
reseal=$top_builddir/tests/truth/reseal

# same WHAT OPTION...: with these options it says the same of both, but for
# what `filter` leaves out.
same() {
    what=$1
    shift
    for trace in plain sealed; do
        "$stock" "$@" $trace >$trace.all 2>$trace.noise ||
            fail "$what: stock cannot read the $trace one:" \
                "$(tail -n 1 $trace.noise)"
        sed "s/at offset [0-9]*//" $trace.all | filter >$trace.txt
        sed 's/at offset [0-9]*//' $trace.noise >$trace.words
    done
    [ -s plain.txt ] || fail "$what: stock says nothing"
    cmp -s plain.txt sealed.txt && cmp -s plain.words sealed.words && return
    diff plain.txt sealed.txt | head -n 5 >&2
    diff plain.words sealed.words | head -n 5 >&2
    fail "$what: stock says something else of the sealed one"
}

while read -r options; do
    # shellcheck disable=SC2086 # options are several words
    play -T 0.3 $options
    mv trace plain
    "$reseal" plain >sealed || fail "reseal"

    # How much there is of each class.
    filter() { grep -v '^ gen   :'; }
    same "$options, summary" --summary
    cmp -s plain.all sealed.all &&
        fail "$options: there are no seals"

    # Records that it does not know are dumped as numbers.
    filter() { grep -v ' 1f0[89].(1:f:'; }
    same "$options, dump" --dump-all
done <<'END'
--cpus 4
--cpus 2 --kind pv
--cpus 4 --kind hvm --load io
END
