#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Further inputs that make stock's xenalyze fail: many places, many samples, a
# window shorter than its records, time that goes backwards, and a file that is
# truncated while being read.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# Places and domains: lists of stock's are searched from their beginning.
many=3000
awk -v n=$many 'BEGIN {
    print "0 + 0x21101 0x10000"
    for ( i = 1; i <= n; i++ ) {
        print "0 + 0x81002 1", 4096 + i
        print "0 - 0x8200f 240"
        print "0 + 0x81001"
        print "0 + 0x81002 30 0x1000"
        print "0 - 0x82016", i, 1
        print "0 + 0x81001"
        print "0 + 0x81002 48 0x1000"
        print "0 - 0x82017", i * 4096, 1
        print "0 + 0x81001"
        print "0 + 0x81002 28 0x1000"
        print "0 - 0x82009 3", i * 4096
        print "0 + 0x81001"
        print "1 + 0x21101", (i + 1) * 65536 + i
        print "1 + 0x21021", (i + 1) * 65536 + i
    }
}' | sort -s -n -k 1,1 | compose many
eips=--with-interrupt-eip-enumeration=240
expect 0 "$xenalyze" $eips --json many
for table in interrupted_addresses io_ports mmio_addresses; do
    n=$(awk -v heading="\"$table\":" '
        /^"/ { inside = index($0, heading) == 1 }
        inside && /^[{]/ { n++ }
        END { print n + 0 }' out)
    [ "$n" = $many ] || fail "$n rows of $table, not $many"
done
expect 0 "$xenalyze" --with-cr3-enumeration $eips --summary many
for line in '^|-- Domain [0-9]* --|$' '^            Seen: '; do
    n=$(grep -c -- "$line" out)
    [ "$n" -ge $many ] || fail "$n lines $line, not $many"
done

# More values of CR3 than rows of the table: the others are counted.
awk 'BEGIN {
    print "0 + 0x21101 65536"
    for ( i = 1; i <= 32768 + 5; i++ ) {
        print "0 + 0x81002 28 0x1000"
        print "0 - 0x82009 3", i * 4096
        print "0 + 0x81001"
    }
}' | compose frames
expect 0 "$xenalyze" --with-cr3-enumeration --summary frames
grep -q '^ CR3 values: 5 loads of further frames are not in' out ||
    fail "dropped loads of CR3: $(grep '^ CR3' out)"
expect 0 "$xenalyze" --with-cr3-enumeration --json frames
sed -n '/^"cr3_frames_beyond":/{n;p;}' out | grep -q '^{"loads":5}' ||
    fail "dropped loads of CR3 in JSON"

# Entities beyond the last column are reported, not silently dropped.
awk 'BEGIN {
    for ( i = 1; i <= 4200; i++ ) {
        print "0 + 0x21101", i * 65536
        print "0 + 0x21021", i * 65536
    }
}' | compose crowd
expect 1 "$xenalyze" --interval-domain-total-time-all crowd
expect_message "--interval-domain-total-time-all has more than 4096 columns, and"
[ "$(tail -n 1 out | wc -w)" = 4097 ] || fail "not as many as there is room for"
expect 1 "$xenalyze" over run --cpu-hz 1G --every 1ms crowd
expect_message "has more than 4096 columns, so there is no table"
[ ! -s out ] || fail "a table with wrong sums"
expect 1 "$xenalyze" over run --cpu-hz 1G --every 1ns crowd
expect_message "that makes too many intervals, so there is no table"
[ ! -s out ] || fail "a table without some rows"
expect 0 "$xenalyze" --interval-domain-total-time-all --domain 9-99 crowd

# A window with a size that ends in the middle of its last record.
compose short <<'END'
0 + 0x21101 0x10000
0 + 0x81002 12 0x1000
1 + 0x21101 0x10001
1 + 0x21011 0x10001
0 + 0x21011 0x10000
END
# 12 bytes of header, the first record of 16, the second of 20
printf '\034' | dd of=short bs=1 seek=8 conv=notrunc 2>dd.log
expect 0 "$xenalyze" --summary short
grep -Eq '^ damage: [1-9][0-9]* places?,' out || fail "short: no damage is reported"
grep -q '^-- v1 --$' out || fail "short: the next window is missing"
expect 0 "$xenalyze" --dump-all short
grep -q 'd1v1 running->runnable' out || fail "short: nothing behind it"

# Time that goes backwards skips nothing: lines have every record, and only
# reports warn.
compose backwards <<'END'
0 5000 0x21101 0x10000
0 9000 0x21011 0x10000
0 8000 0x21021 0x10000
END
for output in records dump-all; do
    expect 0 "$xenalyze" --$output backwards
    [ ! -s err ] || fail "backwards, $output: $(cat err)"
done
expect 0 "$xenalyze" --scatterplot-runstate backwards
expect_message "backwards: time goes backwards (windows: 1)"

# Truncate the file while it is read: lines are written meanwhile, so a
# consumer that stops reading holds xenalyze in the middle.  Half a million
# points are held back, and the trace has 790,000.
for output in scatterplot-runstate dump-all records; do
    expect 0 "$xensim" --virtual --boot tbuf_size=64 -T 16 --seed 3 --cpus 3 \
        --kind mix --output cut
    { "$xenalyze" --$output cut 2>err; echo $? >code; } | {
        head -c 1 >some
        truncate -s 100000 cut
        cat >>some
    }
    [ "$(cat code)" = 0 ] || fail "$output: cut: exit code $(cat code)"
    grep -q 'damaged (places: [1-9]' err || fail "$output: cut: no message"
done

# More samples than stock's 32 bits can take 95 % of: 22605091.
[ -n "${CHECK_FULL-}" ] || exit 0
awk 'BEGIN {
    print "0 + 0x21101 0x10000"
    for ( i = 0; i < 22700000; i++ ) {
        print "0 - 0x81002 12 0x1000"
        print "0 + 0x81001"
    }
}' | compose samples
expect 0 "$xenalyze" --cpu-hz 1G --summary samples
grep -q '^ HLT  *22700000 .*  100 cyc {  100|  100|  100}$' out ||
    fail "so many samples: $(grep HLT out)"
