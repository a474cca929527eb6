#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What users get wrong: every mistake is one line that says what it was, exit
# status 1, and no harm done.
. "$top_srcdir/tests/tools/lib.sh"

cd "$tmp" || exit 99

# --- options -----------------------------------------------------------------

# program | words on the command line | what the reason says
while IFS='|' read -r program words reason; do
    # shellcheck disable=SC2086 # the words are several
    expect 1 "$top_builddir/tools/$program/$program" $words
    complains "$reason"
    [ ! -s out ] || fail "$program $words: something on standard output"
done <<'END'
xentrace|--no-such-option|no-such-option
xentrace|-e hvn trace|hvn
xentrace|-e hvm, trace|not a class
xentrace|-e 0x80000 trace|selects nothing
xentrace|-s 0 trace|0
xentrace|-s -1 trace|-1
xentrace|-S 65536 trace|65536
xentrace|-T 5x trace|5x
xentrace|-e|e
xentrace|one two|two
xentrace|--hypervisor=kvm trace|xen, xensim
xenalyze|--no-such-option trace|no-such-option
xenalyze|one two|two
END

# --- no server, or none that we can talk to ----------------------------------

expect 1 "$xentrace" trace
complains "$tmp/xensim.sock"
expect 1 "$xentrace" --socket=nowhere trace
complains "nowhere"
: >plain
expect 1 "$xentrace" --socket=plain trace
complains "not a socket"
[ ! -e trace ] || fail "a trace was made of nothing"

# --- what is no trace --------------------------------------------------------

expect 1 "$xenalyze" nowhere
complains "nowhere"
expect 1 "$xenalyze" .
complains "directory"
echo "this is not a trace, but it is long enough for one" >text
expect 1 "$xenalyze" text
complains "no trace"
: >empty
expect 0 "$xenalyze" empty
grep -q 'records: 0' out || fail "an empty trace is a trace of nothing"

# --- what is said about ourselves --------------------------------------------

for program in "$xentrace" "$xenalyze"; do
    for option in --help -h '-?' --version -V; do
        expect 0 "$program" "$option"
        [ -s out ] || fail "$program $option: nothing on standard output"
        [ ! -s err ] || fail "$program $option: something on standard error"
    done
    expect 1 sh -c '"$1" --help >/dev/full' sh "$program"
done
