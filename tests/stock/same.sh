#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --plain writes exactly what stock's xentrace writes: both read the same rings,
# some of whose records go round the end, one after the other.
. "$top_srcdir/tests/stock/lib.sh"

turn=$top_builddir/tests/stock/turn-back
export turn

# Who goes away in the middle leaves rings that fill up behind him.  From
# stock's start on nothing is traced, and it does not ask Xen for a last word.
cat >both <<'END'
# rings CONDITION: wait until they are so; $1 and $2 are cons and prod
rings() {
    tries=0
    until "$turn" >now && awk "{ d = (\$2 - \$1 + 24560) % 24560 } $1" now; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || exit 9
        sleep 0.05
    done
}
"$xentrace" -S 3 -x -T 0.1 passing 2>said || exit 1
rings 'd > 12000 && $1 % 12280 + d > 12280 { round = 1 } END { exit !round }'
cp now before
"$stock" -X -x theirs 2>>said &
until [ -s theirs ]; do sleep 0.02; done
rings 'd { left = 1 } END { exit left }'
kill $!
wait $!
# shellcheck disable=SC2046 # one by one
"$turn" $(cut -d' ' -f1 before)
"$xentrace" -X -x --plain -T 0.1 ours 2>>said
END
expect 0 "$xensim" --cpus 3 --rate 100k --load busy -- sh both
cmp theirs ours >differ || fail "$(cat differ said)"
[ "$(wc -c <ours)" -gt 12000 ] || fail "that is not a ring"
expect 0 "$xenalyze" --info ours
grep -qx 'damage: none' out || fail "both are damaged"
echo "$(wc -c <ours) bytes of $(wc -l <before) rings are the same"
