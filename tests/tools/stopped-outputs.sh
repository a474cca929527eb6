#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that are killed while they write a file leave the old file and no
# other, also without O_TMPFILE, except if SIGKILL ends them.  The files are the
# same in both ways.
. "$top_srcdir/tests/tools/lib.sh"

cd "$tmp" || exit 99
[ -x "$xensim" ] || skip "there is no xensim"
expect 0 "$xensim" --virtual --boot tbuf_size=64 -T 1 --seed 3 --cpus 2 \
    --kind mix --output trace

# stop FAULT SIGNAL [unnamed [COMMAND...]]: stop a program that writes for ever to
# folder/file; its file must have no name
stop() {
    rm -rf folder
    mkdir folder
    echo old >folder/file
    [ $# -gt 3 ] || set -- "$1" "$2" "${3-}" \
        "$xenalyze" dump --follow trace -o folder/file
    fault=$1 signal=$2 kind=$3
    shift 3
    FAULT=$fault "$@" 2>err &
    pid=$!
    for _ in $(seq 1200); do
        # shellcheck disable=SC2012 # the names are ours
        [ -z "$(ls -l /proc/$pid/fd | grep -F "$tmp/folder/")" ] || break
        sleep 0.1
    done
    kill -0 $pid || fail "$fault: the program has ended"
    [ "$kind" ] && [ "$(ls folder)" != file ] &&
        fail "$fault: an unfinished file has a name: $(ls folder)"
    kill -s "$signal" $pid
    wait $pid 2>/dev/null
    code=$?
    [ "$(kill -l $code)" = "$signal" ] || fail "$fault, $signal: exit code $code"
    [ "$(cat folder/file)" = old ] || fail "$fault, $signal: the old file is gone"
    [ "$(ls folder)" = file ] || fail "$fault, $signal: it leaves $(ls folder)"
}

[ -d /proc/self/fd ] || skip "there is no /proc"
for signal in TERM HUP; do
    stop '' $signal
    stop tmpfile:1 $signal      # no O_TMPFILE
    stop tmpfile:2 $signal      # no /proc
done
# The probe of the test must not depend on the code under test.
if python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' \
    2>/dev/null; then
    stop '' KILL unnamed
    stop '' KILL unnamed "$xensim" --virtual -T 1000000 --rate 1 \
        --output folder/file
    unnamed=' and without a name'
fi

# A folder has a name from the start, which a signal removes with its files.
rm -rf folder/*
(
    ulimit -f 8
    exec "$xenalyze" --export ctf:folder/new trace
) 2>err
code=$?
[ "$(kill -l $code)" = XFSZ ] || fail "ctf, a file too large: exit code $code"
[ -z "$(ls folder)" ] || fail "ctf: it leaves $(ls folder)"

# outputs PREFIX COMMAND...: all kinds of outputs, into files PREFIX.*
outputs() {
    prefix=$1
    shift
    for n in 1 2; do            # a new file, and one that is replaced
        expect 0 "$@" "$xenalyze" cut --time=0.1..0.2 trace -o "$prefix.cut"
        expect 0 "$@" "$xenalyze" summary trace -o "$prefix.text"
        expect 0 "$@" "$xenalyze" --export "chrome:$prefix.chrome" \
            --export "collapsed:$prefix.stacks" trace
        rm -f trace.xti
        expect 0 "$@" "$xenalyze" index trace
        mv trace.xti "$prefix.xti"
    done
    for name in cut text chrome stacks xti; do
        cmp usual.$name "$prefix.$name" >&2 || fail "$prefix: another $name"
    done
    set -- *.part
    [ ! -e "$1" ] || fail "$prefix: a temporary file is left: $*"
}

outputs usual env
outputs named env FAULT=tmpfile:1+
outputs probed env FAULT=tmpfile:2
# without_proc COMMAND...: a sanitizer does not get its options there.
without_proc()
{
    # shellcheck disable=SC2016 # the inner shell expands
    unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}

if without_proc "$xenalyze" --version >out 2>&1; then
    outputs without without_proc
    without=', and without /proc'
fi
echo "named$unnamed$without"
