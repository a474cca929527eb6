# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common functions of the tests of the ground truth.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# play OPTION...: simulate in virtual time; writes trace, truth and counts.
play() {
    expect 0 "$xensim" --virtual --output trace --truth truth \
        --report counts "$@"
}

# counts: CPU EMITTED UNSURE LOST, from the report
counts() {
    sed -nE 's/.*"cpu": ([0-9]+), "emitted": ([0-9]+), "unsure": ([0-9]+),.*"lost": ([0-9]+) .*/\1 \2 \3 \4/p' \
        counts
}

# events TRACE: CPU EVENTS, without LOST and WRAP records
events() {
    expect 0 "$xenalyze" --info "$1"
    # A clock that jumps back is no damage.
    sed -n '/^damage:/,$p' out | grep -vx 'damage: .*' |
        grep -qv ': time goes backwards, 0 bytes skipped$' &&
        fail "damage in the trace"
    sed -nE 's/^ +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+)  .*/\1 \3/p' out
}

# balance WHAT TRACE: on each pcpu, emitted records = drained + lost.
balance() {
    counts >counts.txt
    [ -s counts.txt ] || fail "$1: no counts"
    events "$2" >events.txt
    awk '
        NR == FNR { drained[$1] = $2; next }
        $3 || $2 != drained[$1] + $4 {
            print "pcpu " $1 ": emitted " $2 " (and " $3 " unsure), " \
                  "drained " drained[$1] + 0 ", lost " $4
            wrong = 1
        }
        { sum += $2 }
        END { if ( !sum ) print "nothing was emitted"; exit wrong || !sum }
        ' events.txt counts.txt >wrong || {
        head -n 3 wrong >&2
        fail "$1: the counts do not balance"
    }
}
