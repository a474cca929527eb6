#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several files as arguments: rotated and split files of one capture are read
# in the order of their names, whatever the order of the arguments; files of
# different captures are an error.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] && [ -x "$xentrace" ] || skip "there is no xensim"
cd "$tmp" || exit 99
# Copies of streams are made here, away from those of other programs.
TMPDIR=$tmp/copies
export TMPDIR
mkdir "$TMPDIR" || exit 99

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
"$xenalyze" --dump-all plain.* >got 2>err
cmp -s want got || fail 'plain files differ'
grep -q 'assuming that the [0-9]* files are parts of one capture' err ||
    fail 'the assumption on plain files is not printed'
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

# Runs of xensim have a boot id of their own, and the same options the same one.
for seed in 1 2 1; do
    "$xensim" --virtual --cpus 2 --seed $seed -T 0.1 -o run.$seed >/dev/null ||
        fail 'xensim fails'
    [ ! -e again ] || cmp -s again run.1 || fail 'the same seed differs'
    [ $seed = 2 ] && cp run.1 again
done
expect 1 "$xenalyze" --summary run.1 run.2
expect_message 'run.2 is not of the same capture as run.1: the boot id differs'
"$xensim" --virtual --cpus 3 --seed 1 -T 0.1 -o run.3 >/dev/null
expect 1 "$xenalyze" --summary run.1 run.3
expect_message 'the boot id differs'

# In one file; a domain of one capture and that of the other count as one.
cat run.1 run.2 >both
expect 0 "$xenalyze" info both
grep -q '^  captures: 2, one after another, 0\.[0-9]* s together$' out ||
    fail "info of two captures: $(cat out)"
grep -qx 'damage: none' out || fail "times that begin anew: $(tail -n 5 out)"
expect 0 "$xenalyze" count both
[ ! -s err ] || fail "times that begin anew: $(cat err)"

for report in why latency exits; do
    expect 0 "$xenalyze" $report both
    expect_message 'both has 2 parts with times that begin anew, as of several'
    expect 0 "$xenalyze" $report run.1
    [ ! -s err ] || fail "$report warns of a single capture: $(cat err)"
done
expect 0 "$xenalyze" --summary both
grep -q '^ segments: 2, each with its own start time' out ||
    fail 'the summary does not tell that there are two captures'
[ ! -s err ] || fail 'the summary warns of what it tells'

# Without metadata: a capture of another time, of another machine.
compose=$top_builddir/tests/xenalyze/reports/compose
if [ -x "$compose" ]; then
    # Times begin anew on both pcpus; later, one goes back.
    printf '%s 0x21101 0x10000\n' '0 1000' '0 2000' '1 1500' '0 500' '0 600' \
        '1 550' '0 800' '0 700' '1 900' | "$compose" >anew
    expect 0 "$xenalyze" info anew
    grep -q '^  captures: 2,' out || fail "two captures: $(cat out)"
    grep -qx 'damage: time goes backwards in 1 window' out ||
        fail "one time goes backwards: $(tail -n 5 out)"
    expect 0 "$xenalyze" count anew
    expect_message 'time goes backwards (windows: 1)'
    # A time goes back in the window with which the second capture begins.
    printf '%s 0x21101 0x10000\n' '0 1000' '0 2000' '1 1500' '1 1600' '0 500' \
        '0 600' '0 550' '1 700' | "$compose" >anew2
    expect 0 "$xenalyze" info anew2
    grep -qx 'damage: time goes backwards in 1 window' out ||
        fail "damage where a capture begins: $(tail -n 5 out)"
    # It begins within the time of the last window of the first one.
    printf '%s 0x21101 0x10000\n' '0 1000' '0 2000' '1 1500' '1 1900' '0 500' \
        '0 600' '1 1700' '1 1800' | "$compose" >anew3
    expect 0 "$xenalyze" info anew3
    grep -qx 'damage: none' out || fail "sound captures: $(tail -n 5 out)"
    # The same from a pipe, of which captures are unknown.
    "$xenalyze" info - <anew >out
    grep -qx 'damage: time goes backwards in 3 windows' out ||
        fail "a pipe: $(tail -n 5 out)"

    printf '0 %d 0x21101 0x10000\n' 1000 2000 3000 | "$compose" >part.1
    printf '0 %d 0x21101 0x10000\n' 3000 4000 | "$compose" >part.2
    printf '0 %d 0x21101 0x10000\n' 2500 5000 | "$compose" >part.3
    printf '1 %d 0x21101 0x10000\n' 500 1500 | "$compose" >zz
    expect 0 "$xenalyze" --count part.1 part.2 zz
    expect_message 'assuming that the 3 files are parts of one capture: not all'
    expect 1 "$xenalyze" --count part.1 part.3
    expect_message 'part.3 is not of the same capture as the files before it: pcpu 0'
    expect 1 "$xenalyze" --count part.2 part.3 part.1
    expect_message 'pcpu 0 has times that are not later'
    # One file has the metadata of a machine, the other one of another machine.
    meta() { printf '0 - 0x1f086 %s 1 %s 0 0\n' "$1" "$2"; }
    for machine in 'a 0x00110004 2' 'b 0x00130004 2' 'c 0x00110004 4'; do
        # shellcheck disable=SC2086 # words
        set -- $machine
        { meta "$2" "$3"; printf '%s 2000 0x21101 0x10000\n' "$3"; } |
            "$compose" >machine.$1
    done
    expect 1 "$xenalyze" --count machine.a machine.b
    expect_message 'machine.b is not of the same capture as machine.a: the version'
    expect 1 "$xenalyze" --count machine.a machine.c
    expect_message 'the number of pcpus differs'
fi

# The same records twice: a file given twice, a copy, snapshots of a capture.
expect 1 "$xenalyze" --summary rotated.1 rotated.2 rotated.1
expect_message 'rotated.1 begins with the same record as rotated.1'
cp rotated.2 copy
expect 1 "$xenalyze" --summary rotated.1 rotated.2 copy
expect_message 'begins with the same record as'
[ ! -s out ] || fail 'a report of records that count twice'
# In one file they count twice, and every output says so.
expect 0 "$xensim" --virtual -T 20ms --cpus 2 -o once
cat once once >twice
for option in --info --summary --json --report-overview --report-latency \
    --why --report-pcpu --plot=p.svg --export=perfetto:p.pb --export=ctf:folder \
    --cut=part --records; do
    expect 0 "$xenalyze" $option once
    ! grep -q 'capture' out err || fail "$option: a capture that is there once"
    rm -rf folder
    expect 0 "$xenalyze" $option twice
    grep -q 'the same capture \(again\|twice\)' out err ||
        fail "$option: no word about a capture that is there twice"
    ! grep -q 'clocks' out err || fail "$option: clocks are blamed for a copy"
    rm -rf folder
done
# A broken frame that holds the whole trace is read up to the broken block.
if command -v zstd >/dev/null; then
    expect 0 "$xensim" --virtual -T 400ms --cpus 2 -o whole
    zstd -q whole -o whole.zst
    printf '\377\377\377\377' | dd of=whole.zst bs=1 conv=notrunc \
        seek=$(($(wc -c <whole.zst) * 7 / 8)) 2>/dev/null
    expect 0 "$xenalyze" why whole.zst
    grep -q 'whole.zst: damaged (places: ' err || fail "no warning: $(cat err)"
    expect 0 "$xenalyze" --info whole.zst
    [ "$(sed -n 's/^ *records: \([0-9]*\):.*/\1/p' out)" -gt 1000 ] ||
        fail "few records before the broken block: $(cat out)"
fi
for mode in -M1M --flight-recorder; do
    "$xensim" --cpus 2 -- sh -c '"$0" -e sched "$1" snap &
        until "$0" status; do sleep 0.02; done
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
split -n 2 run.1 half.
expect 0 "$xenalyze" --info half.aa half.ab
expect_message 'assuming that the 2 files are parts of one capture'

expect 2 "$xenalyze" --follow --dump-all rotated.1 rotated.2
expect_message '--follow reads one file'
[ -z "$(ls -A "$TMPDIR")" ] || fail 'copies are left'
echo "$nr files"
