#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock's xenalyze ignores seals and metadata: its output for a trace is the
# same with and without them, except for the counts of unknown records.
. "$top_srcdir/tests/truth/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}
reseal=$top_builddir/tests/truth/reseal

# check_same WHAT OPTION...: the outputs for both traces are equal after `filter`.
check_same() {
    what=$1
    shift
    for trace in plain sealed; do
        "$stock" "$@" $trace >$trace.all 2>$trace.warnings ||
            fail "$what: stock cannot read the $trace one:" \
                "$(tail -n 1 $trace.warnings)"
        sed "s/at offset [0-9]*//" $trace.all | filter >$trace.txt
        sed 's/at offset [0-9]*//' $trace.warnings >$trace.messages
    done
    [ -s plain.txt ] || fail "$what: stock prints nothing"
    cmp -s plain.txt sealed.txt && cmp -s plain.messages sealed.messages && return
    diff plain.txt sealed.txt | head -n 5 >&2
    diff plain.messages sealed.messages | head -n 5 >&2
    fail "$what: stock's output for the sealed trace differs"
}

while read -r options; do
    # shellcheck disable=SC2086 # options are several words
    play -T 0.3 $options
    mv trace plain
    "$reseal" plain >sealed || fail "reseal"

    # The counts of records per class.
    filter() { grep -v '^ gen   :'; }
    check_same "$options, summary" --summary
    cmp -s plain.all sealed.all &&
        fail "$options: the trace has no seals"

    # Unknown records are dumped as numbers.
    filter() { grep -v ' 1f0[89].(1:f:'; }
    check_same "$options, dump" --dump-all
done <<'END'
--cpus 4
--cpus 2 --kind pv
--cpus 4 --kind hvm --load io
END
