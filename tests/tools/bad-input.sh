#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# User errors: each is reported in one line that names the cause, with exit
# status 1, and changes no file.
. "$top_srcdir/tests/tools/lib.sh"

cd "$tmp" || exit 99

# --- options -----------------------------------------------------------------

# program | words on the command line | text of the message
while IFS='|' read -r program words reason; do
    # shellcheck disable=SC2086 # several words
    expect 1 "$top_builddir/tools/$program/$program" $words
    expect_message "$reason"
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

# --- no hypervisor to connect to ---------------------------------------------

expect 1 "$xentrace" trace
expect_message "$tmp/xensim.sock"
expect 1 "$xentrace" --socket=nowhere trace
expect_message "nowhere"
: >plain
expect 1 "$xentrace" --socket=plain trace
expect_message "not a socket"
[ ! -e trace ] || fail "a trace was created without a hypervisor"

# --- files that are no trace -------------------------------------------------

expect 1 "$xenalyze" nowhere
expect_message "nowhere"
expect 1 "$xenalyze" .
expect_message "directory"
echo "this is not a trace, but it is long enough for one" >text
expect 1 "$xenalyze" text
expect_message "no trace"
: >empty
expect 0 "$xenalyze" empty
grep -q 'records: 0' out || fail "an empty file is not an empty trace"

# --- help and version --------------------------------------------------------

for program in "$xentrace" "$xenalyze"; do
    for option in --help -h '-?' --version -V; do
        expect 0 "$program" "$option"
        [ -s out ] || fail "$program $option: nothing on standard output"
        [ ! -s err ] || fail "$program $option: something on standard error"
    done
    expect 1 sh -c '"$1" --help >/dev/full' sh "$program"
done
