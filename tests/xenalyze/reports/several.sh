#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several files as arguments: rotated and split files of one capture are read
# in the order of their names, whatever the order of the arguments; files of
# different captures are an error.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] && [ -x "$xentrace" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# capture FILE OPTION...: xentrace writes FILE
capture() {
    "$xensim" --cpus 2 --rate 40k -- "$xentrace" -e sched -T "$seconds" "$@" \
        >log 2>&1 || fail "xentrace $*: $(cat log)"
}

# A machine under load needs more time for as many records.
nr=0
for seconds in 0.4 2 8 30; do
    [ "$nr" -lt 10 ] || break
    rm -f rotated.*
    capture --rotate-size 20k rotated
    nr=$(ls rotated.* | wc -l)
done
[ "$nr" -ge 10 ] || fail "$nr files are too few to be sorted wrongly"
# shellcheck disable=SC2012 # the names have no blanks
cat $(ls rotated.* | sort -t. -k2n) >whole

for output in --summary --dump-all --report-latency --info --count; do
    "$xenalyze" "$output" - <whole 2>&1 | sed 's/standard input/NAME/' >want
    # The shell sorts 10 before 2.
    "$xenalyze" "$output" rotated.* 2>&1 |
        sed 's/rotated.[0-9]* and [0-9]* more files/NAME/' >got
    cmp -s want got || { diff want got | head -5 >&2; fail "$output differs"; }
done
[ "$("$xenalyze" --dump-all rotated.* | wc -l)" -gt 1000 ] ||
    fail 'hardly any record'

# A command with events, and files in reverse order.
"$xenalyze" dump sched_wake whole >want
# shellcheck disable=SC2012,SC2046
"$xenalyze" dump sched_wake $(ls -r rotated.*) >got
cmp -s want got || fail 'the reverse order differs'
[ -s want ] || fail 'there is no sched_wake'

# Pieces of split(1), which begin within a window.
split -n 4 whole piece.
"$xenalyze" --dump-all whole >want
"$xenalyze" --dump-all piece.aa piece.ab piece.ac piece.ad >got
cmp -s want got || fail 'the pieces of split differ'

# Files without metadata, and compressed files.
capture --plain --rotate-size 60k plain
# shellcheck disable=SC2012,SC2046
cat $(ls plain.* | sort -t. -k2n) >whole-plain
"$xenalyze" --dump-all whole-plain >want
"$xenalyze" --dump-all plain.* >got
cmp -s want got || fail 'plain files differ'
if command -v zstd >/dev/null; then
    zstd -q plain.2 -o plain.2.zst
    rm plain.2
    "$xenalyze" --dump-all plain.* >got
    cmp -s want got || fail 'a compressed file among others differs'
fi

capture other
expect 1 "$xenalyze" --summary rotated.1 other
expect_message 'other is not of the same capture as rotated.1'
[ ! -s out ] || fail 'a report of two captures'
expect 1 "$xenalyze" --summary rotated.1 missing
expect_message 'missing'
expect 1 "$xenalyze" --summary rotated.1 .
[ -s err ] || fail 'a directory without a word'

# The same records twice: a file given twice, a copy, snapshots of a capture.
expect 1 "$xenalyze" --summary rotated.1 rotated.2 rotated.1
expect_message 'rotated.1 begins with the same record as rotated.1'
cp rotated.2 copy
expect 1 "$xenalyze" --summary rotated.1 rotated.2 copy
expect_message 'begins with the same record as'
[ ! -s out ] || fail 'a report of records that count twice'
for mode in -M1M --flight-recorder; do
    "$xensim" --cpus 2 -- sh -c '"$0" -e sched "$1" snap & sleep 0.2
        "$0" snapshot; sleep 0.2; "$0" snapshot; "$0" stop' "$xentrace" $mode \
        >log 2>&1 || fail "xentrace $mode: $(cat log)"
    expect 1 "$xenalyze" --summary snap.1 snap.2
    expect_message 'analyze these traces one by one'
    rm snap snap.1 snap.2
done

# A file that was forgotten; the first ones may be gone.
expect 0 "$xenalyze" --info rotated.2 rotated.3 rotated.5 rotated.6
expect_message 'a file is missing between rotated.3 and rotated.5'
expect 0 "$xenalyze" --info rotated.9 rotated.10
[ ! -s err ] || fail 'a word about files in order'
expect 0 "$xenalyze" --info piece.aa piece.ab
[ ! -s err ] || fail 'a word about names without numbers'

expect 2 "$xenalyze" --follow --dump-all rotated.1 rotated.2
expect_message '--follow reads one file'
ls "${TMPDIR:-/tmp}"/xenalyze.* >/dev/null 2>&1 && fail 'copies are left'
echo "$nr files"
