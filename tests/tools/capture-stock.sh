#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The output of stock's xenalyze is the same for traces with and without seals
# and metadata, except for the volume of class gen, which contains these.
. "$top_srcdir/tests/truth/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

for way in --plain --no-plain; do
    expect 0 "$xensim" --virtual --cpus 4 --seed 5 -T 1 -- \
        "$xentrace" $way trace
    "$stock" --summary trace >sum$way 2>warnings ||
        fail "$way: stock gives up: $(tail -n 1 warnings)"
    # A read that a device model answers is traced behind the answer.
    grep -E 'Strange|ERROR|FATAL|Unexpected|unexpected|Not processing' \
        sum$way warnings |
        grep -vF 'exit 1e(IO_INSTRUCTION) missing a handler' >matches &&
        fail "$way: $(head -n 1 matches)"
    grep -v '^  *gen  *: ' sum$way >rest$way
done
[ "$(wc -l <rest--plain)" -gt 20 ] || fail "the output is no summary"
diff rest--plain rest--no-plain >differ || {
    head -n 10 differ >&2
    fail "stock's output depends on metadata and seals"
}
cmp -s sum--plain sum--no-plain && fail "there are no metadata and seals"
echo "$(wc -l <rest--plain) lines agree"
