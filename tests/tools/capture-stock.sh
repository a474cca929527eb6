#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock's xenalyze makes the same of a trace with seals and metadata as of a
# plain one: only the volume of class gen, where these are, is another.
. "$top_srcdir/tests/truth/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

for way in --plain --no-plain; do
    expect 0 "$xensim" --virtual --cpus 4 --seed 5 -T 1 -- \
        "$xentrace" $way trace
    "$stock" --summary trace >sum$way 2>noise ||
        fail "$way: stock gives up: $(tail -n 1 noise)"
    grep -E 'Strange|ERROR|FATAL|Unexpected|unexpected|Not processing' \
        sum$way noise >complaints && fail "$way: $(head -n 1 complaints)"
    grep -v '^  *gen  *: ' sum$way >rest$way
done
[ "$(wc -l <rest--plain)" -gt 20 ] || fail "that is no summary"
diff rest--plain rest--no-plain >differ || {
    head -n 10 differ >&2
    fail "stock makes something else of notes and seals"
}
cmp -s sum--plain sum--no-plain && fail "there are no notes and seals"
echo "$(wc -l <rest--plain) lines agree"
