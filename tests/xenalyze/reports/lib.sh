# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For tests of reports: simulated traces of a second, and real ones.
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
    "$top_builddir/tests/xenalyze/reports/compose" >"$1" ||
        fail "$1 cannot be composed"
}

# shellcheck disable=SC2034 # a function for programs of awk: a line for compose
awk_line='function line(p, t, words) { print p, sprintf("%.0f", t), words }
'

# dom0_runs: lines for compose: d0v0 comes to pcpu 0 and goes, three times
dom0_runs() {
    for t in 1000 500000 1000000; do
        echo "0 $t 0x21211 0"
        echo "0 $((t + 10)) 0x21101 0"
        echo "0 $((t + 200)) 0x21021 0"
    done
}

# compose_ipis: compose the trace `ipi`, where a vcpu sends IPIs to all others,
# twice; the receiver's exit ends before the sender's, and then after it
compose_ipis() {
    compose ipi <<'END'
0 1000000 0x21101 0x10000
0 1000100 0x81002 44 0x1000
0 - 0x82217 0xfee00300 0xc00fd
0 1000500 0x81001
1 1000000 0x21101 0x10001
1 1000200 0x81002 1 0x1000
1 - 0x82004 0xfd 0
1 1000300 0x81001
0 2000100 0x81002 44 0x1000
0 - 0x82217 0xfee00300 0xc00fd
0 2000150 0x81001
1 2000200 0x81002 1 0x1000
1 - 0x82004 0xfd 0
1 2000900 0x81001
END
}

real=$top_srcdir/../shared/data/xen

# traces: the names of traces for comparisons, at most a megabyte each
traces() {
    ls intel amd
    for t in c2b-all credit-2pv-all rtds-real-sched dom0-idle-all; do
        [ -f "$real/$t/trace.bin" ] && echo "$real/$t/trace.bin"
    done
}

play intel --cpus 3 --kind mix
play amd --cpus 2 --kind pvh --vendor amd --domains 2
