#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bad input: each is reported in one line that names the cause, with exit status
# 1, and changes no file.  wrong-usage.sh has wrong calls.
. "$top_srcdir/tests/tools/lib.sh"

cd "$tmp" || exit 99

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
expect_message "not a trace"
: >empty
expect 1 "$xenalyze" empty
expect_message "empty is empty"

# --- outputs that would replace the trace -------------------------------------

if [ -x "$xensim" ]; then
    expect 0 "$xensim" --virtual -T 0.1 --cpus 2 -o trace.svg
    cp trace.svg before
    ln -s trace.svg link
    for call in "summary -o trace.svg trace.svg" "plot -o trace.svg trace.svg" \
        "dump -o link trace.svg" "--scatterplot-runstate --plot trace.svg link" \
        "summary -o trace.svg"; do
        # shellcheck disable=SC2086 # several words
        "$xenalyze" $call <trace.svg >out 2>err
        [ $? -eq 2 ] || fail "$call: not refused"
        expect_message 'is the trace: give the output another name'
    done
    cmp -s trace.svg before || fail "the trace was replaced"
    # A trace in the place of the declarations: one line.
    expect 1 "$top_builddir/tools/simpletrace/simpletrace" trace.svg trace.svg
    expect_message 'trace.svg is not a file of events, but binary'
    rm trace.svg link
fi

# --- help and version --------------------------------------------------------

for program in "$xentrace" "$xenalyze"; do
    for option in --help -h '-?' --version -V; do
        expect 0 "$program" "$option"
        [ -s out ] || fail "$program $option: nothing on standard output"
        [ ! -s err ] || fail "$program $option: something on standard error"
    done
    expect 1 sh -c '"$1" --help >/dev/full' sh "$program"
done
