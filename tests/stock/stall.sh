#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A disk that takes nothing for 400 ms of each 500, rings of stock's own size
# and the same load at the same time: ours loses no more than stock's xentrace
# with its loop of event channel and poll, and prints how much that is.  Also a
# part of make bench.
. "$top_srcdir/tests/stock/lib.sh"

seconds=1
[ -z "${CHECK_FULL-}" ] || seconds=5
export seconds

# What it has taken it keeps: so nothing that takes is killed.
cat >disk <<'END'
exec 3<fifo
while sleep 0.4; do
    for i in 1 2 3 4 5 6 7 8 9 10; do
        dd bs=64k iflag=nonblock <&3 >>trace 2>dd && exit
        sleep 0.01
    done
done
END

# capture WHO COMMAND: in a folder of his own
capture() {
    mkdir "$1"
    cd "$1" || exit 99
    mkfifo fifo
    "$xensim" --cpus 4 --rate 100k --load busy --domains 4 --seed 3 \
        --report books -- sh -c "sh ../disk & $2; wait" >said 2>&1
}
(capture theirs '"$stock" -T "$seconds" fifo') &
(capture ours '"$xentrace" -T "$seconds" fifo')
wait

# Emitted, and not in the file.  That a signal in the middle of a write makes
# stock give up, and tear the file, is a part of its loop.
for who in theirs ours; do
    "$xenalyze" --info $who/trace >report || fail "$who: no trace"
    [ $who = theirs ] || grep -qx 'damage: none' report || fail "damage"
    emitted=$(sed -nE 's/^  "emitted": ([0-9]+),.*/\1/p' $who/books)
    events=$(sed -nE 's/^  records: [0-9]+: ([0-9]+) events.*/\1/p' report)
    echo "$emitted" $((emitted > events ? emitted - events : 0))
done >sums
paste -s sums | awk -v seconds="$seconds" '
    {
        printf "a disk that stalls for 0.4 s of each 0.5 s: of %d records in " \
               "%d s stock loses %d (%.1f %%), ours of %d %d (%.1f %%)\n",
               $1, seconds, $2, 100 * $2 / $1, $3, $4, 100 * $4 / $3
        # Else the disk was none that stalls.
        exit !$2 || $4 / $3 > $2 / $1
    }' || fail "ours loses more, or nobody loses"
