#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All destinations of windows: plain, compressed, memory, rotated files, a
# nearly full disk.  Each emitted event is in a file, or is reported as lost at
# the end.
. "$top_srcdir/tests/tools/capture-lib.sh"

# value WORDS: the number before these words in the messages of xentrace
value() {
    sed -n "s/^xentrace:.* \([0-9]*\) $1.*/\1/p" messages | tail -n 1
}

# events FILE...: the total number of events
events() {
    total=0
    for file; do
        expect 0 "$xenalyze" --info "$file"
        grep -qx 'damage: none' out || fail "$file: damage"
        n=$(sed -nE 's/^  records: [0-9]+: ([0-9]+) events.*/\1/p' out)
        total=$((total + n))
    done
    echo "$total"
}

# emitted WHAT N: N events and the losses of the rings are all emitted events,
# give or take the unsure ones.
emitted() {
    sed -nE 's/^  "emitted": ([0-9]+), "unsure": ([0-9]+),.*"lost": ([0-9]+).*/\1 \2 \3/p' \
        counts >sums
    awk -v n="$2" '
        { n += $3; right = $1 <= n && n <= $1 + $2 }
        END { exit !right }' sums || {
        cat sums >&2
        fail "$1: $2 events do not agree with the report"
    }
}

# --- with and without metadata -----------------------------------------------

capture "plain" --cpus 3 -- --plain -T 0.5
grep -q ' 0 metadata$' report || fail "--plain, and still metadata"
# In virtual time the rings are the same in each run.  So a plain trace equals
# the trace written by xensim itself, record by record, except for metadata, and
# in the numbers of all other records, including fillers.
expect 0 "$xensim" --virtual --cpus 3 --seed 9 -T 0.3 --output itself
expect 0 "$xensim" --virtual --cpus 3 --seed 9 -T 0.3 -- \
    "$xentrace" --plain ours
for file in itself ours; do
    "$xenalyze" --records "$file" | grep -v ' meta_' >"$file.txt"
    "$xenalyze" --info "$file" |
        sed -nE 's/^  records: [0-9]+: (.* fillers), .*/\1/p' >"$file.n"
done
[ -s ours.txt ] && cmp -s itself.txt ours.txt || fail "plain: other records"
[ -s ours.n ] && cmp -s itself.n ours.n ||
    fail "plain: other numbers: $(cat itself.n ours.n)"
capture "with metadata" --cpus 3 -- -T 2
grep -q ' 0 metadata$' report && fail "no metadata"
expect 0 "$xenalyze" --dump-all trace
for word in 'version 1' 'Hz, from hypervisor' 'simulated' 'time_limit' \
    'arguments 0/1: -T 2 trace' 'Xen 4.17'; do
    grep -q "meta_.*$word" out || fail "the trace lacks: $word"
done
[ "$(grep -c meta_clock out)" -ge 2 ] || fail "the trace has no clock readings"
# Both clocks advance between the last two readings.
grep meta_clock out | tail -n 2 | awk '
    { for (i = 1; i < NF; i++)
        if ($i == "tsc") tsc[NR] = $(i + 1)
        else if ($i == "monotonic") ns[NR] = $(i + 1) }
    END { exit !(tsc[2] > tsc[1] && ns[2] > ns[1]) }' ||
    fail "the clocks do not advance"

# --- an older file -----------------------------------------------------------

# It is replaced with a word, in each mode; a new or empty file without.
replaced() {
    expect 0 "$xensim" --cpus 2 -- "$xentrace" "$@"
    cp err messages
    sed -nE 's/^xentrace: (.*): the older file of [0-9.]+ .?i?B is replaced$/\1/p' \
        messages >names
}
for options in "" --plain "-M 1M" --flight-recorder; do
    rm -f old
    : >old
    for names in "" old; do
        # shellcheck disable=SC2086 # several words
        replaced $options -T 0.1 old
        [ "$(cat names)" = "$names" ] || fail "$options: $(cat messages)"
    done
done
replaced -q -T 0.1 old
[ ! -s names ] || fail "-q: $(cat messages)"
head -c 1000000 /dev/zero >old
replaced -T 0.1 old
grep -q 'old: the older file of 976.6 KiB is replaced' messages ||
    fail "no size: $(cat messages)"
expect 0 "$xenalyze" --info old
grep -qx 'damage: none' out || fail "a part of the older file is left"
echo text >old.1
echo text >old.2
replaced --rotate-time 100ms -T 0.5 old
[ "$(cat names)" = "old.1
old.2" ] || fail "rotated: $(cat messages)"
rm -f old.*
echo text >old.1
replaced --snapshot-on hvm_cpuid --snapshots 1 -T 60 old
[ "$(cat names)" = "old
old.1" ] || fail "snapshot: $(cat messages)"
expect 0 "$xensim" --cpus 2 -- sh -c '"$1" --daemon -T 0.3 old; sleep 1' sh "$xentrace"
grep -q 'old: the older file' err || fail "--daemon: $(cat err)"
mkfifo old.fifo
cat old.fifo >/dev/null &
replaced -T 0.1 old.fifo
[ ! -s names ] || fail "a FIFO: $(cat messages)"
rm -f old*

# --- compressed --------------------------------------------------------------

expect 0 "$xensim" --cpus 2 --report counts -- sh -c '"$1" -z -T 0.7 trace ||
    "$1" -T 0.1 trace' sh "$xentrace"
cp err messages
if grep -q 'no zstd' messages; then
    echo "this build has no zstd"
else
    expect 0 "$xenalyze" --info trace
    cp out report
    grep -qx 'damage: none' report || fail "compressed: damage"
    agree "compressed"
    [ "$(od -An -tx4 -N4 trace)" = ' fd2fb528' ] || fail "the output is not zstd"
    # A pipe that ends inside the first frame: the records before the cut.
    all=$(sed -n 's/^  records: *\([0-9]*\).*/\1/p' report)
    expect 0 sh -c 'head -c $(($(wc -c <trace) / 2)) trace | "$1" --info -' sh "$xenalyze"
    part=$(sed -n 's/^  records: *\([0-9]*\).*/\1/p' out)
    [ "$part" -gt 0 ] && [ "$part" -lt "$all" ] || fail "cut: $part of $all records"
    grep -q 'the input ends inside a window' out || fail "cut: the end is no damage"
fi

# A full disk during compression.
for n in 2 4; do
    expect 0 "$xensim" --cpus 2 --rate 100k --report counts -- sh -c '
        FAULT=write:$2+ "$1" -z -T 30 trace || exit 0' sh "$xentrace" $n
    cp err messages
    grep -q 'No space left\|no zstd' err || fail "-z: the reason is not the disk"
    unwritten=$(sed -n 's/.*: \([0-9]*\) events* could not be written/\1/p' messages |
        awk '{ n += $1 } END { print n + 0 }')
    grep -q 'no zstd' messages ||
        emitted "-z, full disk" $(($(events trace) + unwritten))
done

# Windows kept for compression are consumed at the end, too, and the next
# xentrace does not read them again.
expect 0 "$xensim" --cpus 2 --report counts -- sh -c '
    "$1" -z -T 0.3 trace && "$1" -X -T 0.1 rest || exit 0' sh "$xentrace"
[ ! -e rest ] || emitted "after -z" "$(events trace rest)"

# --- in memory ---------------------------------------------------------------

expect 0 "$xensim" --cpus 2 --report counts -- "$xentrace" -M 40k -T 1 trace
cp err messages
kept=$(events trace)
[ "$kept" -gt 0 ] || fail "-M: no events"
[ "$(wc -c <trace)" -le 60000 ] || fail "-M: the file is too large"
emitted "-M" $((kept + $(value "older events")))
# The summary has the events of the file, and apart from them the overwritten.
[ "$(value 'events* from [12] pcpus*')" -eq "$kept" ] ||
    fail "-M: $kept events in the file: $(cat messages)"
grep -qE '[1-9][0-9]* older events were overwritten in memory: -M keeps the newest 40.0 KiB$' \
    messages || fail "-M: $(cat messages)"

expect 0 "$xensim" --cpus 2 -- sh -c '
    rm -f trace; "$1" -M 100k --keep 1 trace &
    while [ ! -s trace ]; do sleep 0.02; done
    kill -USR1 $!; while [ ! -s trace.1 ]; do sleep 0.02; done; sleep 0.2
    kill -USR1 $!; while [ ! -s trace.2 ]; do sleep 0.02; done; sleep 0.2
    kill -INT $!; wait $!' sh "$xentrace"
grep -q 'wrote trace.2 (.*): SIGUSR1' err || fail "no message about the second snapshot"
[ ! -e trace.1 ] && [ -e trace.2 ] || fail "--keep 1 kept the wrong snapshots"
[ "$(events trace.2)" -gt 0 ] || fail "the snapshot is empty"
rm trace.2

# Less memory than a ring, and an empty trace.
expect 0 "$xensim" --cpus 2 --report counts -- \
    "$xentrace" -S 64 -M 4096 -T 0.5 trace
cp err messages
emitted "tiny -M" $(($(events trace) + $(value "older events")))
expect 0 "$xensim" --cpus 2 -- "$xentrace" -X -D -M 1M -T 0.2 --plain trace
[ ! -s trace ] || fail "-M without events wrote to the file"

# -M 0 turns the memory buffer off, and the help has what is valid.
expect 0 "$xentrace" help all
tr -s ' \n' ' ' <out | grep -qF 'records in memory (0 or 4k to 64T)' ||
    fail "the help of -M: $(grep -A1 memory-buffer out)"
expect 0 "$xensim" --cpus 2 -- "$xentrace" -M 0 -T 0.1 trace
grep -q 'overwritten' err && fail "-M 0 buffers in memory"

# -X reads nothing from rings that are new (it discards the records of new rings
# from before tracing was disabled).
expect 0 "$xensim" --cpus 2 -- "$xentrace" -X -T 0.1 trace
grep -q ' 0 events' err || fail "-X: $(cat err)"
# Records left in the rings by -x are not lost, but are read by the next
# xentrace.
expect 0 "$xensim" --cpus 2 --report counts -- sh -c '
    "$1" -x -T 0.3 first 2>passed; "$1" -X -T 0.1 last' sh "$xentrace"
grep -q 'could not' passed && fail "-x: $(cat passed)"
emitted "-x, and the rest" "$(events first last)"

# --- texts in the file -------------------------------------------------------

# --comment, and the texts that --info prints; control characters are not
# printed.  6120 bytes fit.
expect 0 "$xensim" --cpus 2 -- "$xentrace" \
    --comment "$(printf 'before the upgrade \033[31m')" -T 0.1 trace
expect 0 "$xenalyze" --info trace
grep -qx '  comment: before the upgrade ?\[31m' out || fail "no comment"
grep -qx "  host:    $(uname -n)" out || fail "no name of the host"
grep -qE '^  Xen:     [0-9]+\.[0-9]+' out || fail "no version of Xen"
grep -q '^  arguments: --comment before the upgrade .* -T 0.1 trace$' out ||
    fail "no command line"
grep -q '^  trigger:' out && fail "a trigger without a snapshot"
longest=$(head -c 6120 /dev/zero | tr '\0' x)
expect 0 "$xensim" --cpus 2 -- "$xentrace" --comment "$longest" -T 0.1 trace
expect 0 "$xenalyze" --info trace
grep -qx "  comment: $longest" out || fail "the longest comment is cut"
expect 2 "$xentrace" --comment "x$longest" -T 0.1 trace
expect_message 'at most 6120 bytes'
expect 2 "$xentrace" --comment x --plain -T 0.1 trace
expect_message '--plain'

# --- rotated files -----------------------------------------------------------

expect 0 "$xensim" --cpus 2 --report counts -- \
    "$xentrace" --rotate-size 100k -T 1 trace
[ -e trace.3 ] || fail "fewer than three files"
for file in trace.*; do
    [ "$(wc -c <"$file")" -le 102400 ] || fail "$file is too large"
done
emitted "rotated by size" "$(events trace.*)"
rm trace.*
expect 0 "$xensim" --cpus 2 --report counts -- \
    "$xentrace" --rotate-time 200ms --keep 2 -T 1 trace
set -- trace.*
[ $# -eq 2 ] || fail "--keep 2 kept $#"
grep -qE -- '--keep has kept the newest 2 of [1-9][0-9]* files: these numbers' err ||
    fail "the numbers are those of removed files: $(cat err)"
[ "$(events "$@")" -gt 0 ] || fail "the newest files are empty"
rm trace.*

# --- a disk that is nearly full ----------------------------------------------

expect 1 "$xensim" --cpus 2 --report counts -- sh -c '
    "$1" -r 1000000000 -T 30 trace; echo $?; "$1" -X -T 0.1 rest; exit 1' \
    sh "$xentrace"
grep -q 'stopped: less than 1000000000 MB (-r)' err ||
    fail "-r prints no message"

# An older trace survives a capture that cannot begin, in each mode; a new file
# does not stay.
expect 0 "$xensim" --cpus 2 -- "$xentrace" -T 0.1 good
for options in "" --plain -z "-M 1M" "-M 1M --plain" --flight-recorder \
    --snapshot-on=hvm_cpuid "--rotate-size 1M"; do
    rm -f old*
    for names in "" "old old.1"; do
        for file in $names; do
            cp good "$file"
        done
        # shellcheck disable=SC2086 # several words
        expect 1 "$xensim" --cpus 2 -- "$xentrace" $options \
            -r 1000000000 -T 30 old
        grep -q 'is replaced' err && fail "$options: $(cat err)"
        grep -q 'no zstd\|stopped: less than 1000000000 MB' err ||
            fail "$options: $(cat err)"
        [ "$(echo old*)" = "${names:-old*}" ] || fail "$options: $(echo old*)"
        for file in $names; do
            cmp -s good "$file" || fail "$options: the older $file is gone"
        done
    done
done
# Memory, the write thread, the rings: no capture begins without.
for fault in alloc open mmap; do
    n=1
    while [ $n -le 16 ]; do
        cp good old
        "$xensim" --cpus 2 -- env FAULT=$fault:$n "$xentrace" -T 0.1 old \
            >out 2>err || grep -q ' events from ' err || cmp -s good old ||
            fail "$fault:$n: the older file is gone"
        n=$((n + 1))
    done
done
rm -f old*

# Events not written to a full disk are counted for each pcpu, and not among
# those of the file.
expect 1 "$xensim" --cpus 2 --rate 100k --report counts -- \
    sh -c 'FAULT=write:3+ exec "$1" -T 30 trace' sh "$xentrace"
grep -q 'No space left' err || fail "the reason is not the disk"
cp err messages
unwritten=$(sed -n 's/.*: \([0-9]*\) events* could not be written/\1/p' messages |
    awk '{ n += $1 } END { print n + 0 }')
emitted "a full disk" $(($(events trace) + unwritten))
[ "$(value 'events* from [0-2] pcpus*')" -eq "$(events trace)" ] ||
    fail "a full disk: other events in the file: $(cat messages)"

# --- incompatible options ----------------------------------------------------

while IFS='|' read -r words reason; do
    # shellcheck disable=SC2086 # several words
    expect 2 "$xentrace" $words
    expect_message "$reason"
done <<'END'
-M 1M --rotate-size 1M trace|-M
--rotate-time 1s -|file
--keep 3 trace|--keep
-M 100 trace|--memory-buffer 100: must be 0 or 4k to 64T
-M 4095 trace|must be 0 or 4k to 64T
-M 65T trace|must be 0 or 4k to 64T
--rotate-size 10 trace|10
END
