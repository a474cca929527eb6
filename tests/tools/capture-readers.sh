#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two readers of one ring: the second is refused, or each knows how many of the
# records the other one took.  Commands that ask a capture are no readers.
. "$top_srcdir/tests/tools/capture-lib.sh"

# events FILE: the number of events in it
events() {
    "$xenalyze" --info "$1" |
        sed -nE 's/^  records: [0-9]+: ([0-9]+) events.*/\1/p'
}

# taken FILE: the number of records that another program took, as the file has it
taken() {
    "$xenalyze" --info "$1" |
        sed -nE 's/^  taken: ([0-9]+) events, which another program read .*/\1/p'
}

# refused WHAT: the file `second.err` names the first reader, and what to do
refused() {
    [ "$(wc -l <second.err)" -eq 1 ] &&
        grep -qE "xentrace \($(cat first.pid)\) reads Xen's rings, .* --share-rings" \
            second.err || fail "$1: $(cat second.err)"
}

# --- refused -----------------------------------------------------------------

# The second one changes nothing: neither Xen's masks nor its own file.
echo precious >two
expect 0 "$xensim" --cpus 2 -- sh -c '"$1" -S 1024 one & echo $! >first.pid
    while [ ! -s one ]; do sleep 0.02; done
    "$1" -T 1 -e mem two 2>second.err && exit 9
    "$1" -M 1M -T 1 two 2>>other.err && exit 8
    "$1" --daemon -T 1 two 2>>other.err && exit 7
    sleep 0.3; kill $!; wait $!' sh "$xentrace"
refused "a second reader"
[ "$(cat two)" = precious ] || fail "a refused capture has changed its file"
grep -q 'no record was lost' err || fail "the first one lost records: $(cat err)"
grep -qE 'reads|stays on|since an earlier' err && fail "a word on the second one: $(cat err)"
[ "$(grep -c -- '--share-rings' other.err)" -ge 2 ] || fail "$(cat other.err)"
expect 0 "$xenalyze" --info one
grep -qE '^sched ' out || fail "the mask was changed"

# A reader that was killed is none.
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f one; "$1" one &
    while [ ! -s one ]; do sleep 0.02; done
    kill -9 $!; wait $! 2>/dev/null; "$1" -T 0.2 two' sh "$xentrace"
grep -q 'reads' err && fail "a dead reader: $(cat err)"

# The file of a running capture is not replaced, and a pipe or a device may have
# two writers.
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f one; "$1" one 2>first.err &
    while [ ! -s one ]; do sleep 0.02; done
    "$1" --share-rings -T 0.1 one 2>second.err; echo $? >code
    "$1" --share-rings -T 0.1 /dev/null 2>/dev/null || exit 9
    kill $!; wait $!' sh "$xentrace"
[ "$(cat code)" = 1 ] && grep -q 'another capture writes to one: give another name' \
    second.err || fail "two captures into one file: $(cat code second.err)"
expect 0 "$xenalyze" --info one
grep -qx 'damage: none' out || fail "the file of the first: $(cat out)"

# --- shared ------------------------------------------------------------------

# Rings that do not fill: the first one knows each record that it has not got.
expect 0 "$xensim" --cpus 2 --seed 7 --rate 20k --report counts -- sh -c 'rm -f one two
    "$1" -S 1024 one 2>first.err &
    while [ ! -s one ]; do sleep 0.02; done
    "$1" -S 1024 --share-rings -s 20 -T 1 two 2>second.err; sleep 0.3
    kill $!; wait $!' sh "$xentrace"
for file in first second; do
    grep -qE 'warning: [0-9]+ records are missing: another program read them' $file.err ||
        fail "$file: no number of missing records: $(cat $file.err)"
    grep -q 'no record was lost' $file.err && fail "$file: no record was lost"
    grep -q 'could not be written' $file.err && fail "$file: $(cat $file.err)"
    grep -q 'each reader gets only part of the records' $file.err ||
        fail "$file: no warning: $(cat $file.err)"
done
grep -q 'tracing stays on for xentrace (' second.err || fail "$(cat second.err)"
grep -q 'stays on' first.err && fail "no reader was left: $(cat first.err)"
[ "$(taken one)" -gt 0 ] && [ "$(taken two)" -gt 0 ] ||
    fail "the files do not know of each other"
all=$(($(events one) + $(taken one)))
read -r emitted unsure lost <<END
$(sed -nE 's/^  "emitted": ([0-9]+), "unsure": ([0-9]+),.*"lost": ([0-9]+).*/\1 \2 \3/p' counts)
END
if [ "$lost" -eq 0 ]; then
    [ "$all" -ge "$emitted" ] && [ "$all" -le $((emitted + unsure)) ] ||
        fail "one has $(events one) events, and $(taken one) were taken:" \
            "not $emitted (and $unsure unsure)"
fi
expect 0 "$xenalyze" summary one
grep -qx " records read from the rings by another program: $(taken one)" out ||
    fail "the summary does not report the taken records"

# --- commands are no readers -------------------------------------------------

# Tracing is on before the capture, so that other readers are searched.
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f one; "$1" -x -T 0.1 earlier 2>/dev/null
    "$1" -S 1024 -M 1M one & pid=$!
    while ! "$1" status >/dev/null 2>&1; do sleep 0.02; done
    for i in 1 2 3; do
        "$1" status; "$1" mark "number $i"; "$1" snapshot; "$1" list sched
    done >/dev/null
    # A client that waits while the capture ends.
    "$1" stop >stopped & wait $pid; wait' sh "$xentrace"
grep -qE 'read|stays on' err && fail "a command is taken for a reader: $(cat err)"
# Xen may lose records while this machine is busy.
lost=$(sed -nE 's/.*warning: pcpu [0-9]+ lost ([0-9]+) records?$/\1/p' err |
       awk '{ sum += $1 } END { print sum + 0 }')
grep -qE "/one: .* $lost lost(,|$)" stopped || fail "stop prints $(cat stopped)"

# Nor is a program with the name of a reader that maps other memory.
cp "$(command -v sleep)" xenbaked
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f one; "$1" -x -T 0.1 earlier 2>/dev/null
    ./xenbaked 60 & baked=$!; "$1" -T 0.3 one; kill $baked' sh "$xentrace"
grep -qE 'read|stays on' err && fail "sleep is taken for a reader: $(cat err)"
echo "passed"
