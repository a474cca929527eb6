#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The vendor of the CPU, which names exits, follows from all of the trace: here
# from exits that come behind more than a megabyte of scheduling.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

{
    awk 'BEGIN {
        print "0 1000000 0x21101 0x10000"
        for ( i = 1; i <= 50000; i++ )
            print "0 + 0x22205 0x10000 0\n0 + 0x22205 0x10000 1"
    }'
    for reason in 0x14 0x4e 0x60 0x7b 0x400 0x81; do
        echo "0 + 0x81002 $reason 0x1000"
        echo "0 + 0x81001"
    done
} | compose trace
[ "$(wc -c <trace)" -gt 1700000 ] || fail "a small trace"

# equal WHAT OPTION...: the same as with --vendor=amd; the names are AMD's
equal() {
    what=$1
    shift
    expect 0 "$xenalyze" "$@" --vendor=amd trace
    cp out wanted
    for name in CR4_WRITE INTR NPF VMMCALL; do
        [ "$what" != JSON ] || grep -q "VMEXIT_$name" wanted ||
            fail "$what: no $name"
    done
    expect 0 "$xenalyze" "$@" trace
    cmp -s out wanted || fail "$what differs from that of --vendor=amd"
    expect 0 "$xenalyze" "$@" --svm-mode trace
    cmp -s out wanted || fail "$what of --svm-mode differs"
    expect 0 "$xenalyze" "$@" --vendor=intel trace
    ! cmp -s out wanted || fail "$what: --vendor=intel changes nothing"
}

equal JSON --json --threads 1
equal "the summary" --summary --threads 2
equal "the report of exits" --report-exits
equal "a part" --report-exits --pcpu 0
equal "a dump" --dump-all
equal "the records" --records

expect 0 sh -c '"$1" --report-exits - <trace' sh "$xenalyze"
grep -q ' VMEXIT_VMMCALL ' out || fail "a report of a pipe has other names"

# Lines of a pipe are printed before the proof.
expect 0 sh -c 'cat trace | "$1" --dump-all -' sh "$xenalyze"
expect_message "repeat with --vendor=amd"
expect 0 sh -c 'cat trace | "$1" --dump-all --vendor=amd -' sh "$xenalyze"
[ ! -s err ] || fail "a warning, although the vendor is given: $(cat err)"

# Metadata names the vendor before all exits, also in a pipe.  The last record of
# a kind counts: older collectors wrote one without the hardware first.
{
    echo "0 - 0x1f086 0x00110004 0 2 0 0"
    echo "0 - 0x1f086 0x00110004 2 2 0 0"
    echo "0 1000000 0x21101 0x10000"
    echo "0 + 0x81002 0x14 0x1000"
    echo "0 + 0x81001"
} | compose described
expect 0 sh -c 'cat described | "$1" --records -' sh "$xenalyze"
[ ! -s err ] || fail "metadata does not name the vendor: $(cat err)"
grep -q ' CR4_WRITE ' out || fail "metadata does not name AMD's exits"

expect 0 "$xensim" --vendor amd --cpus 2 --kind pvh -- \
    "$xentrace" -e hvm -T 1 captured
expect 0 sh -c 'cat captured | "$1" --records -' sh "$xenalyze"
[ ! -s err ] || fail "the collector does not name the vendor: $(cat err)"
grep -q ' meta_xen .* svm, ' out || fail "the collector takes no vendor of xensim"

# Evidence for both vendors is reported: an interrupt with a vector is Intel's.
{
    echo "0 1000000 0x21101 0x10000"
    echo "0 - 0x8200f 0xfb"
    for reason in 0x7b 0x60 0x7b 0x7b 0x80; do
        echo "0 + 0x81002 $reason 0x1000"
        echo "0 + 0x81001"
    done
} | compose mixed
for threads in 1 2; do
    expect 0 "$xenalyze" --summary --threads $threads mixed
    grep -q '^ contradictions: 5 exits with reasons of AMD' out ||
        fail "$threads threads: mixed evidence is not reported: $(cat out)"
done
