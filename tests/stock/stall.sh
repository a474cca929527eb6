#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A disk that blocks for 400 ms of each 500 ms, with rings of stock's size and
# the same load at the same time: ours loses no more records than stock's
# xentrace, with its loop of event channel and poll.  Prints both losses.  Also
# part of make bench.
. "$top_srcdir/tests/stock/lib.sh"

seconds=1
[ -z "${CHECK_FULL-}" ] || seconds=5
export seconds

# Keeps all bytes it has read, so the reader must not be killed.
cat >disk <<'END'
exec 3<fifo
while sleep 0.4; do
    for i in 1 2 3 4 5 6 7 8 9 10; do
        dd bs=64k iflag=nonblock <&3 >>trace 2>dd && exit
        sleep 0.01
    done
done
END

# capture FOLDER COMMAND: capture in FOLDER
capture() {
    mkdir "$1"
    cd "$1" || exit 99
    mkfifo fifo
    "$xensim" --cpus 4 --rate 100k --load busy --domains 4 --seed 3 \
        --report counts -- sh -c "sh ../disk & $2; wait" >messages 2>&1
}
(capture theirs '"$stock" -T "$seconds" fifo') &
(capture ours '"$xentrace" -T "$seconds" fifo')
wait

# Records emitted but not in the file.  Stock gives up and tears the file when a
# signal interrupts a write, which counts as part of its loop.
for name in theirs ours; do
    "$xenalyze" --info $name/trace >report || fail "$name: no trace"
    [ $name = theirs ] || grep -qx 'damage: none' report || fail "damage"
    emitted=$(sed -nE 's/^  "emitted": ([0-9]+),.*/\1/p' $name/counts)
    events=$(sed -nE 's/^  records: [0-9]+: ([0-9]+) events.*/\1/p' report)
    echo "$emitted" $((emitted > events ? emitted - events : 0))
done >sums
paste -s sums | awk -v seconds="$seconds" '
    {
        printf "a disk that stalls for 0.4 s of each 0.5 s: of %d records in " \
               "%d s stock loses %d (%.1f %%), ours of %d %d (%.1f %%)\n",
               $1, seconds, $2, 100 * $2 / $1, $3, $4, 100 * $4 / $3
        # No loss of stock means that the disk never blocked.
        exit !$2 || $4 / $3 > $2 / $1
    }' || fail "ours loses more, or stock loses nothing"
