#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --export as an option and as a command: a file gets its name when it is
# complete, a failure leaves the file as it was, and wrong calls say why.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

# left: fail if a temporary file is left
left() {
    set -- *.part
    [ ! -e "$1" ] || fail "a temporary file is left: $*"
}

# An exit of an unknown vcpu.
compose unknown <<'END'
0 1000000 0x81002 44 0x1000
0 1000500 0x81001
END

forms='html perfetto perfetto-compact fxt chrome speedscope collapsed'

for form in $forms; do
    # A disk that is full, at once or later: the old file stays.
    expect 1 sh -c '"$1" export "$2" mix >/dev/full' sh "$xenalyze" $form
    expect_message 'cannot write the report: No space left on device'
    expect 1 "$xenalyze" export $form mix -o /dev/full
    expect_message 'cannot write /dev/full: No space left on device'
    expect 1 "$xenalyze" --export $form:/dev/full mix
    expect_message 'cannot write /dev/full: No space left on device'
    echo old >kept
    (
        trap '' XFSZ
        ulimit -f 1
        exec "$xenalyze" --export $form:kept --export collapsed:- lossy
    ) >out 2>err
    case $? in
    0) case $form in
        html | perfetto | perfetto-compact | fxt | chrome) fail "$form: no error from a full disk" ;;
        esac ;;
    *) [ "$(cat kept)" = old ] || fail "$form: half a file" ;;
    esac
    left
    # All files at once, beside the text of a report.
    expect 0 "$xenalyze" --export $form:one --report-latency mix
    grep -q '^--- ' out || fail 'no text of the report'
    expect 0 "$xenalyze" export $form mix -o two
    cmp one two || fail "$form: the command writes another file"
    expect 0 "$xenalyze" --export $form:- mix
    cmp one out || fail "$form: standard output has another file"
    # A trace with nothing to show is an error, and no file.
    rm -f none
    expect 1 "$xenalyze" --export $form:none unknown
    expect_message 'no runstates or VM exits of known vcpus in unknown'
    [ ! -e none ] || fail "$form: a file with nothing"
    left
done

# A file of its own for each; an allocation that fails leaves no file.
expect 0 "$xenalyze" --export perfetto:a --export chrome:b --export speedscope:c \
    --export collapsed:d mix
[ ! -s out ] || fail "$(cat out)"
for file in a b c d; do
    [ -s $file ] || fail "no file $file"
done
n=1
while [ $n -lt 400 ]; do
    rm -f kept kept3 kept4 kept5
    FAULT=alloc:$n "$xenalyze" --threads 1 --export perfetto:kept \
        --export speedscope:kept2 --export html:kept3 --export fxt:kept4 \
        --export perfetto-compact:kept5 mix >out 2>err
    case $? in
    0) ;;
    1) [ ! -e kept ] || [ -s kept ] || fail "alloc:$n: half a file"
        [ ! -e kept3 ] || tail -c 8 kept3 | grep -q '^</html>$' ||
            fail "alloc:$n: half a page" ;;
    *) fail "alloc:$n: $(cat err)" ;;
    esac
    left
    n=$((n + 1 + n / 8))
done

# Wrong calls.
expect 2 "$xenalyze" --export perfeto:x mix
expect_message 'perfetto'
expect 2 "$xenalyze" --export perfetto mix
expect_message '--export perfetto: needs a file, as in --export perfetto:FILE'
expect 2 "$xenalyze" --export perfetto: mix
expect_message 'needs a file'
expect 2 "$xenalyze" --export perfetto:- --export chrome:- mix
expect_message 'standard output takes only one export'
expect 2 "$xenalyze" --export perfetto:twice --export chrome:twice mix
expect_message 'twice: another output has this name: choose another one'
expect 2 "$xenalyze" --summary --output twice --export html:twice mix
expect_message 'twice: another output has this name: choose another one'
expect 2 "$xenalyze" --plot twice --export html:twice mix
expect_message 'twice: another output has this name: choose another one'
[ ! -e twice ] || fail 'a refused file was written'
echo old >old
expect 2 "$xenalyze" --summary --output old --export html:./old mix
expect_message './old: another output has this name: choose another one'
[ "$(cat old)" = old ] || fail 'a refused call has changed a file'
expect 0 "$xenalyze" --summary --output /dev/null --export html:/dev/null mix
expect 2 "$xenalyze" --export perfetto:- --summary mix
expect_message 'is an output of its own'
expect 2 "$xenalyze" --export chrome:mix mix
expect_message 'mix is the trace: give the output another name'
set --
for i in 1 2 3 4 5 6 7 8 9; do
    set -- "$@" --export "collapsed:x$i"
done
expect 2 "$xenalyze" "$@" mix
expect_message 'more than 8 files'
expect 1 "$xenalyze" export perfetto nothing-here
if command -v script >/dev/null; then
    script -qec "'$xenalyze' export perfetto mix" /dev/null </dev/null >out 2>&1
    grep -q 'name a file with -o' out || fail "binary data on a terminal"
fi
