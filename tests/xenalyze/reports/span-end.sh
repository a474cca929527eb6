#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --time: a report reads a second more than the span, and nothing behind that.
# The report is that of the whole trace, and damage far behind the span is not
# found.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to compare texts"

# simulate NAME OPTION...
simulate() {
    name=$1
    shift
    expect 0 "$xensim" --virtual --rate 2k -T 3.5 "$@" -o "$name"
}

cat >contains.py <<'END'
import sys
part, whole = (open(name).read() for name in sys.argv[1:3])
assert part and part in whole, part
END

# A report beside the summary, which reads all, is the same.
nr=0
while read -r options; do
    # shellcheck disable=SC2086 # words are meant to split
    simulate trace $options
    for words in --why --report-latency --report-wakeups --report-io \
        --report-pcpu --report-interrupts --report-timers --report-migrations
    do
        for span in 0..0.5 1..1.8; do
            # shellcheck disable=SC2086
            expect 0 "$xenalyze" $words --time $span trace
            mv out part
            # shellcheck disable=SC2086
            expect 0 "$xenalyze" $words --time $span --summary trace
            python3 contains.py part out ||
                fail "$options: $words --time $span: $(cat part)"
            nr=$((nr + 1))
        done
    done
done <<'END'
--kind mix --load mix
--load quiet
--load mix --tsc-skew 1ms
--load mix --boot tbuf_size=1 --drain 30ms
--load mix --boot tbuf_size=1 --drain 1500ms
END
[ "$nr" -eq 80 ] || fail "only $nr reports were compared"

# Bytes that are no records, in the last fifth of the file
simulate long --kind mix
cp long damaged
size=$(wc -c <long)
head -c 4000 /dev/zero | tr '\0' '\377' |
    dd of=damaged bs=1 seek=$((size / 5 * 4)) conv=notrunc 2>/dev/null
expect 0 "$xenalyze" latency damaged
grep -q damage err || fail 'the damage is not found'
for words in why latency 'over run'; do
    # shellcheck disable=SC2086
    expect 0 "$xenalyze" $words --time 1..1.8 long
    mv out clean
    # shellcheck disable=SC2086
    expect 0 "$xenalyze" $words --time 1..1.8 damaged
    cmp -s out clean || fail "damage: $words"
    [ ! -s err ] || fail 'damage behind the span is found'
done
expect 0 "$xenalyze" summary --time 1..1.8 damaged
grep -q 'damage: [^n]' out || fail 'the summary does not read the whole file'

# Damage at the end of a pcpu, behind the span
head -c $((size / 5 * 4)) damaged >cut
dd if=/dev/zero bs=1000 count=300 >>cut 2>/dev/null
expect 0 timeout 60 "$xenalyze" latency --time 1..1.8 cut
