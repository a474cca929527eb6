#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An input that is no trace: in every mode one line that says what it is, exit
# code 1, nothing on standard output, no file.
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
        # shellcheck disable=SC2086 # several words
        expect 1 "$xenalyze" $mode $input
        expect_message "$input $message"
        [ ! -s out ] || fail "$mode $input: output"
        # shellcheck disable=SC2086
        [ $input = folder ] || "$xenalyze" $mode - <$input >out 2>err
        [ $? -eq 1 ] || fail "$mode <$input: exit code $?"
        [ "$(wc -l <err)" -eq 1 ] || fail "$mode <$input: not one line"
        [ ! -s out ] || fail "$mode <$input: output"
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
--report-wakeups
--report-migrations
--report-timers
--dump-ipi-latency
--json
--csv
--scatterplot-pcpu
--interval-domain-total-time-all
--plot=no.svg
--plot=no.png --scatterplot-runstate
--gnuplot=no.gp
END

# As stock: no input is no text.
expect 0 "$top_builddir/tools/xenalyze/xentrace_format" "$top_srcdir/formats"
