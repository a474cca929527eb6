# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For tests of reports: traces of a second that is played, and the real ones.
. "$top_srcdir/tests/tools/lib.sh"

cd "$tmp" || exit 99
[ -x "$xensim" ] || skip "there is no xensim"

# play NAME OPTION...: a trace of virtual time, big enough rings
play() {
    name=$1
    shift
    expect 0 "$xensim" --virtual --boot tbuf_size=64 -T 1 --seed 3 "$@" \
        --output "$name"
}

# compose NAME: a trace of the lines on standard input; compose.c has which
compose() {
    "$top_builddir/tests/report/compose" >"$1" ||
        fail "$1 cannot be composed"
}

real=$top_srcdir/../shared/data/xen

# traces: names of those to compare on, at most a megabyte each
traces() {
    ls intel amd
    for t in c2b-all credit-2pv-all rtds-real-sched dom0-idle-all; do
        [ -f "$real/$t/trace.bin" ] && echo "$real/$t/trace.bin"
    done
}

play intel --cpus 3 --kind mix
play amd --cpus 2 --kind pvh --vendor amd --domains 2
