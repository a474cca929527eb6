#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A trace of libusertrace contains its declarations: without a file of events,
# simpletrace prints the same lines as the log back end in the same run.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

make_sample log,simple || exit 1
./sample -t 1 -n 500 -e 'sample_*' -f trace 2>log || fail "exit $?"
"$simpletrace" -s log trace >text 2>err || fail "exit $?: $(head -n 3 err)"
# A NULL string cannot be distinguished from an empty one.
sed 's/(null)//' log >wanted
cmp -s wanted text || {
    fail 'simpletrace prints other lines than the log'
    diff wanted text | head -n 10
}
"$simpletrace" -s text trace >text || fail "exit $?"
grep -vcE "^[0-9]{4}-[0-9-]{5} [0-9:]{8}\.[0-9]{9} [0-9]+/[0-9]+ sample_" text \
    >odd && fail "no time, process and thread in $(cat odd) lines"

# Statistics of many traces, each with declarations of its own: a row per event.
for n in $(seq 80); do
    ln trace "trace.$n"
done
"$simpletrace" -s stats trace >one || fail "exit $?"
"$simpletrace" -s stats trace.* >all || fail "80 traces: exit $?"
awk 'NR > 3 { print $1 * 80, $2, $3 * 80, $4 }' one | sort >wanted
awk 'NR > 3 { print $1, $2, $3, $4 }' all | sort >got
[ -s got ] && cmp -s wanted got || {
    fail 'not a row per event'
    diff wanted got | head -n 10
}

# A filter that matches nothing is an error, which names what the trace has.
# unmatched CODE TEXT OPTION...
unmatched()
{
    code=$1
    text=$2
    shift 2
    "$simpletrace" "$@" >out 2>err
    rc=$?
    [ $rc = "$code" ] || fail "$*: exit $rc"
    [ ! -s out ] || fail "$*: prints $(head -n 1 out)"
    [ "$(wc -l <err)" = 1 ] && grep -qF -e "$text" err ||
        fail "$*: not '$text' but $(cat err)"
}

pid=$("$simpletrace" -s json trace | sed -n '1s/.*"pid": *\([0-9]*\).*/\1/p')
unmatched 1 '--name nosuch matches nothing in trace: the events are sample_begin,' \
    -N nosuch trace
unmatched 1 '--name nosuch ... matches nothing in the traces: the events are' \
    -N nosuch -N '-sample_*' trace trace.1
unmatched 1 "--pid 1 matches nothing in trace: the processes are $pid" -p 1 trace
unmatched 1 "--tid 1 matches nothing in trace: the threads are $pid," --tid 1 \
    trace
unmatched 1 '--from 1:00 matches nothing in trace: the last record is at' \
    --from 60s trace
unmatched 1 'no record of trace matches all of --from,--to' \
    --from 1ns --to 1ns trace
unmatched 1 '--name nosuch matches nothing' -s csv -N nosuch trace
unmatched 1 '--name nosuch matches nothing' -s stats -N nosuch trace
unmatched 2 'the end is before the begin' --from 2s --to 1s trace
unmatched 2 '--to 0: must be' --to 0 trace
head -c 24 trace >header
unmatched 1 'no record in header' -p "$pid" header
"$simpletrace" header || fail 'a trace without records, and without filter'

# The message names the kind of a file that is no trace.
: >void
unmatched 1 'void is empty' void
unmatched 1 '/dev/null is empty' /dev/null
unmatched 1 'it is text' "$example/sample.trace-events"
unmatched 1 'it is an ELF file' sample
head -c 23 trace >begin
unmatched 1 'its header is damaged or incomplete' begin
printf '\037\213\010\000' >made.gz
unmatched 1 'zcat FILE | simpletrace -' made.gz
printf '\050\265\057\375' >made.zst
unmatched 1 'zstdcat FILE | simpletrace -' made.zst
unmatched 1 'standard input is not a trace of the simple back end: zstd' - \
    <made.zst
dd if=trace bs=1 skip=24 of=tail 2>dd.log
unmatched 1 'add --no-header' tail

# One is no plural.
{ head -c 24 trace; printf 'x'; } >byte
"$simpletrace" byte 2>err
[ $? = 3 ] || fail 'a damaged byte: not exit 3'
grep -q 'skipped 1 byte at offset 24, where no valid record is' err &&
    grep -q 'read 0 records; skipped 1 damaged byte in 1 place$' err ||
    fail "a damaged byte: $(cat err)"
exit $failed
