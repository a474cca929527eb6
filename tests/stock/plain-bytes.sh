#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --plain writes exactly the same bytes as stock's xentrace.  Both read the same
# rings one after the other, with some records that wrap around the end.
. "$top_srcdir/tests/stock/lib.sh"

ring_position=$top_builddir/tests/stock/ring-position
export ring_position

# A passing xentrace leaves full rings behind.  While stock and then ours read
# them, nothing is traced, and no late LOST record is requested.
cat >both <<'END'
# rings CONDITION: wait until it holds for all rings; $1 is cons, $2 is prod
rings() {
    tries=0
    until "$ring_position" >now &&
        awk "{ d = (\$2 - \$1 + 24560) % 24560 } $1" now
    do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || exit 9
        sleep 0.05
    done
}
"$xentrace" -S 3 -x -T 0.1 passing 2>messages || exit 1
rings 'd > 12000 && $1 % 12280 + d > 12280 { round = 1 } END { exit !round }'
cp now before
"$stock" -X -x theirs 2>>messages &
until [ -s theirs ]; do sleep 0.02; done
rings 'd { left = 1 } END { exit left }'
kill $!
wait $!
# shellcheck disable=SC2046 # one by one
"$ring_position" $(cut -d' ' -f1 before)
"$xentrace" -X -x --plain -T 0.1 ours 2>>messages
END
expect 0 "$xensim" --cpus 3 --rate 100k --load busy -- sh both
cmp theirs ours >differ || fail "$(cat differ messages)"
[ "$(wc -c <ours)" -gt 12000 ] || fail "the output is shorter than a ring"
expect 0 "$xenalyze" --info ours
grep -qx 'damage: none' out || fail "both are damaged"
echo "$(wc -c <ours) bytes of $(wc -l <before) rings are the same"
