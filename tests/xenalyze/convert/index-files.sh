#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Indexes that do not fit or are wrong themselves, inputs that cannot have one,
# files of the name of an index, and failures.
. "$top_srcdir/tests/xenalyze/convert/index-lib.sh"

play_mix
expect 0 "$xenalyze" index mix
expect 0 "$xenalyze" latency --time=13.2..13.25 mix
mv out want
for command in info count; do
    expect 0 "$xenalyze" $command mix
    mv out want.$command
done

# An index that does not fit is written anew by a report, in silence.
cp mix touched
cp mix.xti touched.xti
touch -d 2020-01-01 touched
expect 0 "$xenalyze" latency --time=13.2..13.25 touched
sed 's/touched/mix/g' out | cmp want - >&2 || fail 'a stale index: other output'
[ ! -s err ] || fail "$(cat err)"
cmp -s mix.xti touched.xti && fail 'the index was not written anew'
cp touched.xti renewed
expect 0 "$xenalyze" latency --time=13.2..13.25 touched
cmp touched.xti renewed >&2 || fail 'an index that fits was written anew'
# Without an index, none is written.
rm touched.xti
expect 0 "$xenalyze" latency --time=13.2..13.25 touched
[ ! -e touched.xti ] || fail 'an index was written without being asked for'
rm touched

# Any byte of an index may be wrong.
size=$(wc -c <mix.xti)
for at in 0 9 14 20 30 41 50 60 70 80 200 2000 $((size / 2)) $((size - 3000)) \
    $((size - 500)) $((size - 9)) $((size - 1))
do
    expect 0 "$xenalyze" index mix
    printf '\252' | dd of=mix.xti bs=1 seek=$at conv=notrunc 2>dd
    expect 0 "$xenalyze" latency --time=13.2..13.25 mix
    cmp out want >&2 || fail "byte $at of the index is wrong: other output"
done

# number OFFSET BYTES: a number in the header of the index
number() {
    od -An -tu"$2" -j"$1" -N"$2" mix.xti | tr -d ' '
}

# Any byte of the counts may be wrong: the checkpoints are used all the same.
expect 0 "$xenalyze" index mix
counts=$(number 56 8)
length=$(number 64 4)
[ "$length" -gt 1000 ] || fail "$length bytes of counts"
for at in 0 8 100 130 200 600 $((length / 2)) $((length - 1)); do
    expect 0 "$xenalyze" index mix
    printf '\252' | dd of=mix.xti bs=1 seek=$((counts + at)) conv=notrunc 2>dd
    for command in info count; do
        expect 0 "$xenalyze" $command mix
        cmp out want.$command >&2 || fail "byte $at of the counts: $command"
        [ ! -s err ] || fail "byte $at of the counts: $(cat err)"
    done
    cp mix.xti before
    expect 0 "$xenalyze" latency --time=13.2..13.25 mix
    cmp before mix.xti >&2 || fail "byte $at of the counts: a new index"
done
for size in 0 1 71 72 87 88 500; do
    expect 0 "$xenalyze" index mix
    cp mix.xti whole
    head -c $size whole >mix.xti
    for command in info count; do
        expect 0 "$xenalyze" $command mix
        cmp out want.$command >&2 || fail "an index of $size bytes: $command"
    done
    expect 0 "$xenalyze" latency --time=13.2..13.25 mix
    cmp out want >&2 || fail "an index of $size bytes: other output"
done

# Inputs without an index.
for path in - /dev/stdin; do
    code=0
    "$xenalyze" index $path <mix >out 2>err || code=$?
    [ $code -eq 1 ] || fail "an index of $path: exit code $code"
    expect_message 'an index is beside a file: give the name of the trace'
    [ ! -e $path.xti ] || fail "there is $path.xti"
done
if command -v zstd >/dev/null; then
    zstd -q mix -o mix.zst
    expect 1 "$xenalyze" index mix.zst
    expect_message 'only a file that is neither compressed nor of the other'
    rm mix.zst
fi
if command -v python3 >/dev/null; then
    head -c 30000 mix >short
    python3 -c 'import array, sys
a = array.array("I", open("short", "rb").read())
a.byteswap()
a.tofile(open("swapped", "wb"))'
    expect 1 "$xenalyze" index swapped
    expect_message 'neither compressed nor of the other byte order can have an'
fi
head -c 100000 mix >short
expect 1 "$xenalyze" index short mix
expect 2 "$xenalyze" index --time=1..2 mix
expect_message '--index has the whole file: leave out --time'
: >empty
expect 1 "$xenalyze" index empty
expect_message 'empty is empty: capture a trace'
[ ! -e empty.xti ] || fail 'an index of nothing'
head -c 100000 /dev/urandom >noise
expect 1 "$xenalyze" index noise
[ ! -e noise.xti ] || fail 'an index of noise'

# Other files of the index's name: a report leaves them alone, and only regular
# files are replaced by an index.
ln mix named
echo precious >named.xti
expect 0 "$xenalyze" latency --time=13.2..13.25 named
[ "$(cat named.xti)" = precious ] || fail 'a report replaced another file'
rm named.xti
for kind in 'mkfifo' 'mkdir' 'ln -s mix' 'ln -s /dev/null'; do
    $kind named.xti
    expect 1 "$xenalyze" index named
    expect_message 'cannot write named.xti: it is '
    expect 0 "$xenalyze" latency --time=13.2..13.25 named
    sed 's/named/mix/g' out | cmp want - >&2 || fail "$kind: other output"
    rm -r named.xti
done
cmp mix named >&2 || fail 'the index replaced the trace'
rm named

# A full disk: one line, and the index that was there stays.
expect 0 "$xenalyze" index mix
cp mix.xti before
(
    trap '' XFSZ
    ulimit -f 1
    exec "$xenalyze" index mix
) >out 2>err && fail 'no error from a full disk'
grep -q '^xenalyze: cannot write mix.xti: ' err || fail "$(cat err)"
cmp mix.xti before >&2 || fail 'a failure damaged the index'
set -- *.xti.*
[ ! -e "$1" ] || fail "a failure left $1"

# A failure inside is an error, or the trace is read from its begin.
find_leaks
for kind in alloc open read mmap; do
    nr=1
    while [ $nr -lt 200 ]; do
        FAULT=$kind:$nr "$xenalyze" latency --time=13.2..13.25 mix >out 2>err
        case $? in
        0) cmp out want >&2 || fail "$kind $nr: another output" ;;
        1) [ "$(wc -l <err)" -eq 1 ] || fail "$kind $nr: $(cat err)" ;;
        *) fail "$kind $nr: it crashes" ;;
        esac
        for command in info count; do
            FAULT=$kind:$nr "$xenalyze" $command mix >out 2>err
            case $? in
            0) cmp out want.$command >&2 || fail "$command, $kind $nr" ;;
            1) [ "$(wc -l <err)" -eq 1 ] || fail "$kind $nr: $(cat err)" ;;
            *) fail "$command, $kind $nr: it crashes" ;;
            esac
        done
        FAULT=$kind:$nr "$xenalyze" index mix >out 2>err
        case $? in
        0) ;;
        1) [ "$(wc -l <err)" -eq 1 ] || fail "$kind $nr: $(cat err)" ;;
        *) fail "index, $kind $nr: it crashes" ;;
        esac
        nr=$((nr + 1 + nr / 2))
    done
done
set -- *.xti.*
[ ! -e "$1" ] || fail "a failure left $1"
