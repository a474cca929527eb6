#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An input that is no trace, alone or beside a trace: in every mode one line that
# says what it is, exit code 1, nothing on standard output, no file.
. "$top_srcdir/tests/tools/lib.sh"
cd "$tmp" || exit 99

"$top_builddir/tests/xenalyze/reports/compose" >trace <<'END' || fail 'no trace'
0 1000000 0x21101 0x10000
END

mkdir folder
: >nothing
printf 'one line\nof text\n' >text
printf '#!/bin/sh\nexit 0\n' >script
cp "$xenalyze" elf
printf '\211PNG\r\n\032\n\0\0\0\rIHDR' >png
printf '\037\213\010\0\0\0\0\0' >zipped
printf 'BZh91AY' >bzipped
printf x >byte
dd if=/dev/zero of=zeros bs=4096 count=9 2>/dev/null
python3 -c 'import random, sys
random.seed(1)
sys.stdout.buffer.write(bytes(random.randrange(256) for _ in range(5000)))
' >random
head -c 2 trace >two
head -c 7 trace >seven
head -c 12 trace >twelve
head -c 15 trace >fifteen

while read -r mode; do
    while read -r input message; do
        # The header of a window is a line of these.
        case $mode,$input in
        *raw-reads,*teen|*no-processing,*teen|*=file,*teen) continue ;;
        *raw-reads,twelve|*no-processing,twelve|*=file,twelve) continue ;;
        esac
        # The kind of input and the mode matter one by one: every kind in some
        # modes, some kinds in every mode.  With CHECK_FULL, all pairs.
        case ${CHECK_FULL:+full}$mode,$input in
        full*|--dump-all,*|--count,*|--summary,*|*,nothing|*,text|*,random) ;;
        *) continue ;;
        esac
        # shellcheck disable=SC2086 # several words
        expect 1 "$xenalyze" $mode $input
        expect_message "$input $message"
        [ ! -s out ] || fail "$mode $input: output"
        # shellcheck disable=SC2086
        [ $input = folder ] || "$xenalyze" $mode - <$input >out 2>err
        [ $? -eq 1 ] || fail "$mode <$input: exit code $?"
        [ "$(wc -l <err)" -eq 1 ] || fail "$mode <$input: not one line"
        [ ! -s out ] || fail "$mode <$input: output"
        # Beside a trace it does not matter which kind of no trace it is; but a
        # file that begins a window is a part of a trace, damaged or not.
        case $input in
        nothing|text|random) ;;
        *) continue ;;
        esac
        for files in "trace $input" "$input trace"; do
            # shellcheck disable=SC2086
            expect 1 "$xenalyze" $mode $files
            expect_message "$input $message"
            [ "$(wc -l <err)" -eq 1 ] || fail "$mode $files: not one line"
            [ ! -s out ] || fail "$mode $files: output"
        done
        for file in no.*; do
            [ ! -e "$file" ] || fail "$mode $input: a file"
        done
    done <<'END'
nothing is empty
/dev/null is empty
text is not a trace of Xen: it is text
script is not a trace of Xen: it is text
elf is not a trace of Xen: it is an ELF file
png is not a trace of Xen: it is a PNG picture
zipped is not a trace of Xen: gzip compressed it: unpack it with gzip -d
bzipped is not a trace of Xen: bzip2 compressed it
byte is not a trace of Xen: it has no record
zeros is not a trace of Xen: it has no record
random is not a trace of Xen: it has no record
two is not a trace of Xen: it has no record
seven is not a trace of Xen: it ends before its first record
twelve is not a trace of Xen: it ends before its first record
fifteen is not a trace of Xen: it ends before its first record
END
    # shellcheck disable=SC2086
    expect 1 "$xenalyze" $mode folder
    expect_message 'folder: Is a directory'
done <<END
--dump-all
--dump-raw-process
--dump-raw-reads
--dump-no-processing
--records
--records --order=file
--records --pcpu 7
--count
--count --time 1..2
--info
--formats=$top_srcdir/formats
--summary
--summary --domain 3
--summary --time 1..2
--report-pcpu
--report-latency
--report-exits
--report-storms
--report-wakeups
--report-migrations
--report-timers
--report-interrupts
--critical-path=d1v0
--dump-ipi-latency
--json
--csv
--scatterplot-pcpu
--interval-domain-total-time-all
--plot=no.svg
--plot=no.svg --scatterplot-runstate
--gnuplot=no.gp
END

# xentrace_format reads standard input only; a file there can be read again.
format=$top_builddir/tools/xenalyze/xentrace_format
while read -r input message; do
    "$format" "$top_srcdir/formats" <"$input" >out 2>err
    [ $? -eq 1 ] || fail "xentrace_format <$input: exit code $?"
    [ "$(cat err)" = "xentrace_format: standard input $message" ] ||
        fail "xentrace_format <$input: $(cat err)"
    [ ! -s out ] || fail "xentrace_format <$input: output"
done <<'END'
nothing is empty: capture a trace with xentrace
/dev/null is empty: capture a trace with xentrace
zipped is not a trace of Xen: gzip compressed it: unpack it with gzip -d
text is not a trace of Xen: it is text
END
"$xenalyze" - <bzipped 2>err
grep -q 'standard input .* bzip2 -d' err || fail "xenalyze <bzipped: $(cat err)"
# shellcheck disable=SC2002 # a pipe is the test
cat zipped | "$format" "$top_srcdir/formats" 2>err
grep -q 'unpack it if it is compressed' err || fail "a pipe: $(cat err)"
printf '# no rule\n\n' >rules
expect 1 "$format" rules
expect_message 'rules has no rule'
expect 1 "$xenalyze" --formats=rules trace
expect_message 'rules has no rule'
if command -v script >/dev/null; then
    script -qec "timeout 60 $format $top_srcdir/formats" /dev/null >out 2>&1 \
        </dev/null
    [ $? -eq 2 ] && grep -q 'no trace: send one to standard input' out ||
        fail "on a terminal: $(cat out)"
fi
# The example of xentrace_format(1) prints seconds.
sed 's/%(tsc)d/%(tsc).9f/' "$top_srcdir/formats" >seconds
"$format" -c 2400 seconds <trace >out || fail 'the rules with seconds'
grep -q '^CPU0  0\.[0-9]\{9\} ' out || fail "no seconds: $(cat out)"

# Three files, of which the second is no trace by its name's order.
"$top_builddir/tests/xenalyze/reports/compose" >trace.2 <<'END' || fail 'no trace'
0 2000000 0x21101 0x10000
END
cp random trace.1
for mode in info summary dump --count; do
    expect 1 "$xenalyze" $mode trace.2 trace.1 trace
    expect_message 'trace.1 is not a trace of Xen: it has no record'
    [ "$(wc -l <err)" -eq 1 ] || fail "$mode: not one line about trace.1"
    [ ! -s out ] || fail "$mode: output beside trace.1"
    expect 1 "$xenalyze" $mode trace text trace.1
    [ ! -s out ] || fail "$mode: output beside two files that are no trace"
done
rm trace.1

# A window without records is a part of a capture, and so is a cut window.
printf '\003\360\001\040\0\0\0\0\0\0\0\0' >header
for part in header two seven twelve fifteen; do
    expect 0 "$xenalyze" info trace "$part"
    expect 0 "$xenalyze" summary trace "$part"
done

# The middle of a window is no trace alone, and a part of one beside the rest.
awk 'BEGIN {
    for ( i = 0; i < 500; i++ )
        print 0, 1000000 + i * 1000,
              i % 2 ? "0x21011 0x10000" : "0x21101 0x10000"
}' | "$top_builddir/tests/xenalyze/reports/compose" >whole
expect 0 "$xenalyze" dump whole
mv out dumped
for size in 5 100 1001 4099; do
    split -a 5 -b $size whole piece.
    expect 0 "$xenalyze" dump piece.*
    cmp -s dumped out || fail "pieces of $size bytes differ"
    rm piece.*
done
# Cut in a record: the last piece has no complete one.
head -c 1998 whole | split -a 5 -b 1990 - piece.
expect 0 "$xenalyze" dump piece.*
rm piece.*

# No window in the bytes of the largest one: a sparse file and an endless input
# are neither read to an end nor copied.
truncate -s 10G sparse
long='is not a trace of Xen: its first 256 MiB have no record'
for mode in summary info --count; do
    expect 1 sh -c '"$1" $2 sparse; code=$?; grep rchar "/proc/$$/io"; exit $code' \
        sh "$xenalyze" $mode
    expect_message "sparse $long"
    [ "$(sed -n 's/^rchar: //p' out)" -lt 1000000000 ] ||
        fail "$mode reads more of a sparse file than its begin: $(cat out)"
    expect 1 "$xenalyze" $mode trace sparse
    expect_message "sparse $long"
    # ulimit counts blocks of 512 bytes
    expect 1 sh -c 'ulimit -f 1000000; "$1" $2 </dev/zero' sh "$xenalyze" $mode
    expect_message "standard input $long"
done
expect 1 sh -c 'ulimit -f 1000000; "$1" latency trace /dev/zero' sh "$xenalyze"
expect_message "/dev/zero $long"
# A trace whose begin is lost is one.
truncate -s 200M sparse
cat trace >>sparse
expect 0 "$xenalyze" info sparse
grep -q '^  at byte 0: not a window, 209715200 bytes skipped$' out ||
    fail 'a trace behind zeroes is not read'
