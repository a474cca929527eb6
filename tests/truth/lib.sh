# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the tests of the truth share.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# play OPTION...: in virtual time, into trace, truth and books.
play() {
    expect 0 "$xensim" --virtual --output trace --truth truth \
        --report books "$@"
}

# Of the books: cpu, emitted, unsure, lost.
books() {
    sed -nE 's/.*"cpu": ([0-9]+), "emitted": ([0-9]+), "unsure": ([0-9]+),.*"lost": ([0-9]+) .*/\1 \2 \3 \4/p' \
        books
}

# Of a trace: cpu, events (LOST and WRAP records are none).
events() {
    expect 0 "$xenalyze" --info "$1"
    grep -qx 'damage: none' out || fail "damage in the trace"
    sed -nE 's/^ +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+)  .*/\1 \3/p' out
}

# balance WHAT TRACE: what was emitted was drained or lost, on each pcpu.
balance() {
    books >books.txt
    [ -s books.txt ] || fail "$1: no books"
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
        ' events.txt books.txt >wrong || {
        head -n 3 wrong >&2
        fail "$1: the books do not balance"
    }
}
