#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page in HTML in Chromium without a window: nothing is requested, nothing is
# blocked or thrown, mouse and keyboard work, and hostile names are text.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

command -v chromium >/dev/null || skip "there is no chromium"
command -v node >/dev/null || skip "there is no node to steer chromium"

compose_names
mv names "$hostile"
for trace in mix lossy "$hostile"; do
    expect 0 "$xenalyze" export html "$trace" -o page.html
    expect 0 timeout 120 node "$viewers/browse-html.mjs" "$tmp/page.html" \
        "$tmp/chromium"
    cat out
    [ "$trace" != mix ] || grep -q '[1-9] wakers, matrix of 3 domains' out ||
        fail 'there are no arrows, or no matrix'
done

for host in east west; do
    shift=0s
    [ $host = east ] || shift=100ms
    expect 0 "$xensim" --virtual -T 0.3 --host-name $host --wall-clock $shift \
        --output $host
done
expect 0 "$xenalyze" export html east west -o page.html
expect 0 timeout 120 node "$viewers/browse-html.mjs" "$tmp/page.html" \
    "$tmp/chromium"
cat out
grep -q ': 2 hosts, [1-9]' out || fail 'no hosts'

play xen --kind hvm --cpus 3 --programs programs
expect 0 "$xenalyze" export html xen programs -o page.html
expect 0 timeout 120 node "$viewers/browse-html.mjs" "$tmp/page.html" \
    "$tmp/chromium"
cat out
grep -q ', [1-9][0-9]* threads' out || fail 'no rows of programs'
