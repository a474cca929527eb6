# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common functions of the fault tests.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/tools/lib.sh"

find_leaks
[ -x "$xensim" ] || skip "there is no xensim"
sum_events=$top_builddir/tests/fault/sum-events
corrupt_prod=$top_builddir/tests/fault/corrupt-prod
signal_threads=$top_builddir/tests/fault/signal-threads
setsize=$top_builddir/tools/xentrace/xentrace_setsize
export xentrace setsize corrupt_prod signal_threads
cd "$tmp" || exit 99

# balance WHAT FILE...: each event of a pcpu is in the files, was lost in its
# ring, or is counted as unwritten by xentrace (in the file `messages`).
balance() {
    what=$1
    shift
    "$sum_events" "$@" >events 2>damage || {
        cat damage >&2
        fail "$what: a file is damaged"
    }
    sed -nE 's/^xentrace: warning: pcpu ([0-9]+): ([0-9]+) events? could not be written$/\1 \2/p' \
        messages >unwritten
    sed -nE 's/.*"cpu": ([0-9]+), "emitted": ([0-9]+), "unsure": ([0-9]+),.*"lost": ([0-9]+) .*/\1 \2 \3 \4/p' \
        counts >truth
    [ -s truth ] || fail "$what: no counts"
    awk '
        FILENAME == "events" { got[$1] = $2 }
        FILENAME == "unwritten" { got[$1] += $2 }
        FILENAME == "truth" {
            sum = got[$1] + $4
            if (sum < $2 || sum > $2 + $3) {
                print "pcpu " $1 ": emitted " $2 " (and " $3 " unsure), lost " \
                      $4 ", accounted for " got[$1] + 0
                bad = 1
            }
            all += $2
        }
        END { exit bad || !all }' events unwritten truth >wrong || {
        cat damage messages counts events unwritten >&2
        fail "$what: events in the files and losses do not add up: $(cat wrong)"
    }
}

# check_off WHAT: the file `state` shows that tracing is off.
check_off() {
    grep -q '^Tracing is off' state || fail "$1: Xen was left tracing"
}
